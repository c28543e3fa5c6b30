package io.counterpoint.idempotency.trial;

import static io.counterpoint.idempotency.trial.Planted.LEDGER;
import static io.counterpoint.idempotency.trial.Planted.PAY;
import static io.counterpoint.idempotency.trial.Planted.RECEIPT;
import static io.counterpoint.idempotency.trial.Planted.attempt;
import static io.counterpoint.idempotency.trial.Planted.byHand;
import static io.counterpoint.idempotency.trial.Planted.operation;
import static io.counterpoint.idempotency.trial.Planted.query;
import static io.counterpoint.idempotency.trial.Planted.receipt;
import static io.counterpoint.idempotency.trial.Planted.update;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.trial.FaultInjection.Call;
import io.counterpoint.idempotency.trial.FaultInjection.InAnotherProcess;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Use cases that do not survive the death of their process. */
final class DyingUseCases {

    private DyingUseCases() {}

    private abstract static class Dying implements InAnotherProcess {
        @Override
        public final DataSource dataSource(String url) {
            return PlantedDefectsTest.pool(url);
        }
    }

    public static final class KeyFirst extends Dying {
        @Override
        public Call open(DataSource source) {
            return key -> {
                String id = receipt();
                if (update(
                                source,
                                "INSERT INTO processed (key_id, response) VALUES (?, ?) ON CONFLICT DO NOTHING",
                                key,
                                id)
                        == 0) {
                    return query(source, "SELECT response FROM processed WHERE key_id = ?", key);
                }
                try {
                    update(source, PAY, key, id);
                } catch (SQLException | RuntimeException | Error thrown) {
                    update(source, "DELETE FROM processed WHERE key_id = ?", key);
                    throw thrown;
                }
                return id;
            };
        }
    }

    public static final class EffectFirst extends Dying {
        @Override
        public Call open(DataSource source) {
            return key -> {
                String found = query(source, "SELECT response FROM processed WHERE key_id = ?", key);
                if (found != null) {
                    return found;
                }
                String id = receipt();
                update(source, PAY, key, id);
                update(source, "INSERT INTO processed (key_id, response) VALUES (?, ?)", key, id);
                return id;
            };
        }
    }

    public static final class LedgerLast extends Dying {
        @Override
        public Call open(DataSource source) {
            return key -> {
                String id = receipt();
                String paid = byHand(source, key, connection -> id);
                if (paid.equals(query(source, RECEIPT, key)) && isNew(source, key, paid)) {
                    update(source, LEDGER, key);
                }
                return paid;
            };
        }

        /** Whether the payment's row has not been seen by a call before. */
        private static boolean isNew(DataSource source, String key, String paid) throws SQLException {
            return update(
                            source,
                            "UPDATE payment SET tries = 1 WHERE reference = ? AND id = ? AND tries = 0",
                            key,
                            paid)
                    == 1;
        }
    }

    public static final class Running extends Dying {
        @Override
        public Call open(DataSource source) {
            return key -> {
                if (update(
                                source,
                                "INSERT INTO processed (key_id, response) VALUES (?, NULL) ON CONFLICT DO NOTHING",
                                key)
                        == 0) {
                    String response = query(source, "SELECT response FROM processed WHERE key_id = ?", key);
                    if (response == null) {
                        throw new IllegalStateException("This payment is running.");
                    }
                    return response;
                }
                try {
                    String id = receipt();
                    return Planted.inTransaction(source, connection -> {
                        update(connection, PAY, key, id);
                        update(connection, "UPDATE processed SET response = ? WHERE key_id = ?", id, key);
                        return id;
                    });
                } catch (SQLException | RuntimeException | Error thrown) {
                    update(source, "DELETE FROM processed WHERE key_id = ? AND response IS NULL", key);
                    throw thrown;
                }
            };
        }
    }

    public static final class EventLast extends Dying {
        @Override
        public Call open(DataSource source) {
            Operation<Connection, String> pay = operation(source);
            return key -> {
                Outcome<String> outcome = pay.execute(attempt(key), connection -> PlantedDefects.paid(connection, key));
                if (outcome instanceof Outcome.Executed) {
                    update(source, LEDGER, key);
                }
                return outcome;
            };
        }
    }
}
