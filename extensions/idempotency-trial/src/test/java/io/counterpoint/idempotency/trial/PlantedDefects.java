package io.counterpoint.idempotency.trial;

import static io.counterpoint.idempotency.trial.Planted.LEDGER;
import static io.counterpoint.idempotency.trial.Planted.PAY;
import static io.counterpoint.idempotency.trial.Planted.RECEIPT;
import static io.counterpoint.idempotency.trial.Planted.attempt;
import static io.counterpoint.idempotency.trial.Planted.byHand;
import static io.counterpoint.idempotency.trial.Planted.inTransaction;
import static io.counterpoint.idempotency.trial.Planted.operation;
import static io.counterpoint.idempotency.trial.Planted.query;
import static io.counterpoint.idempotency.trial.Planted.receipt;
import static io.counterpoint.idempotency.trial.Planted.update;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.trial.Planted.Outside;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.h2.jdbc.JdbcConnection;

/** Mistakes that developers of applications make, five of each kind, written down before the first was tried. */
final class PlantedDefects {

    private PlantedDefects() {}

    static List<Planted> all() {
        List<Planted> all = new ArrayList<>();
        all.addAll(notInTheTransaction());
        all.addAll(twoEffects());
        all.addAll(answerDiffers());
        all.addAll(swallowed());
        all.addAll(failureBesideTheEffect());
        all.addAll(committedByTheWork());
        all.addAll(changedByAnotherKey());
        all.addAll(retention());
        all.addAll(outside());
        all.addAll(death());
        all.addAll(connections());
        all.addAll(noAnswer());
        return all;
    }

    private static List<Planted> notInTheTransaction() {
        String fault = "effect not in the transaction";
        return List.of(
                Planted.of(
                        fault,
                        "repository opens a second connection",
                        (source, pay, key) -> pay.execute(attempt(key), connection -> {
                            String id = receipt();
                            update(source, PAY, key, id);
                            return id;
                        })),
                Planted.of(fault, "booked before the call, unless it is there", (source, pay, key) -> {
                    if (query(source, RECEIPT, key) == null) {
                        update(source, PAY, key, receipt());
                    }
                    return pay.execute(attempt(key), connection -> query(connection, RECEIPT, key));
                }),
                Planted.of(fault, "booked after the call, if it was executed", (source, pay, key) -> {
                    Outcome<String> outcome = pay.execute(attempt(key), connection -> receipt());
                    if (outcome instanceof Outcome.Executed) {
                        update(source, PAY, key, outcome.orElseThrow());
                    }
                    return outcome;
                }),
                Planted.of(
                                fault,
                                "ledger is written in a transaction of its own",
                                (source, pay, key) -> pay.execute(attempt(key), connection -> {
                                    String id = receipt();
                                    update(connection, PAY, key, id);
                                    update(source, LEDGER, key);
                                    return id;
                                }))
                        .withLedger(),
                Planted.of(
                        fault,
                        "booked by another thread",
                        (source, pay, key) -> pay.execute(attempt(key), connection -> {
                            String id = receipt();
                            CompletableFuture.runAsync(() -> {
                                        try {
                                            update(source, PAY, key, id);
                                        } catch (SQLException thrown) {
                                            throw new IllegalStateException(thrown);
                                        }
                                    })
                                    .join();
                            return id;
                        })));
    }

    private static List<Planted> twoEffects() {
        String fault = "two effects under one key";
        return List.of(
                Planted.of(
                        fault,
                        "SELECT, then INSERT, and no constraint",
                        source -> key -> inTransaction(source, connection -> {
                            String found = query(connection, RECEIPT, key);
                            if (found != null) {
                                return found;
                            }
                            String id = receipt();
                            update(connection, PAY, key, id);
                            return id;
                        })),
                Planted.of(
                        fault,
                        "no check at all",
                        source -> key -> inTransaction(source, connection -> {
                            update(connection, PAY, key, "paid");
                            return "paid";
                        })),
                Planted.of(
                        fault,
                        "a new key for each try",
                        (source, pay, key) -> pay.execute(attempt(receipt()), connection -> {
                            update(connection, PAY, key, "paid");
                            return "paid";
                        })),
                Planted.of(fault, "keys are remembered in memory, and forgotten after a failure", source -> {
                    Map<String, String> seen = new ConcurrentHashMap<>();
                    return key -> {
                        String id = receipt();
                        String first = seen.putIfAbsent(key, id);
                        if (first != null) {
                            return first;
                        }
                        try {
                            update(source, PAY, key, id);
                            return id;
                        } catch (SQLException thrown) {
                            seen.remove(key);
                            throw thrown;
                        }
                    };
                }),
                Planted.of(fault, "an unknown outcome is retried with another key", (source, pay, key) -> {
                    try {
                        return pay.execute(attempt(key), connection -> paid(connection, key));
                    } catch (OutcomeUnknownException unknown) {
                        return pay.execute(attempt(key + "-2"), connection -> paid(connection, key));
                    }
                }));
    }

    private static List<Planted> answerDiffers() {
        String fault = "answer differs on a retry";
        return List.of(
                Planted.of(fault, "a duplicate gets the answer that it is one", source -> key -> {
                    try {
                        return inTransaction(source, connection -> {
                            String id = receipt();
                            update(connection, "INSERT INTO processed (key_id, response) VALUES (?, ?)", key, id);
                            update(connection, PAY, key, id);
                            return id;
                        });
                    } catch (SQLException | RuntimeException | Error thrown) {
                        if (query(source, RECEIPT, key) != null) {
                            return "already paid";
                        }
                        throw thrown;
                    }
                }),
                Planted.of(fault, "answer says whether it is a replay", (source, pay, key) -> {
                    Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                    return (outcome.isReplay() ? "found " : "created ") + outcome.orElseThrow();
                }),
                Planted.of(fault, "receipt is drawn after the call", (source, pay, key) -> {
                    pay.execute(attempt(key), connection -> paid(connection, key))
                            .orElseThrow();
                    return receipt();
                }),
                Planted.of(fault, "codec loses a field", source -> {
                    record Receipt(String id, String note) {}
                    Operation<Connection, Receipt> pay = Idempotency.on(JdbcIdempotencyStore.on(source))
                            .operation("pay", ResultCodec.text(Receipt::id, id -> new Receipt(id, "")))
                            .build();
                    return key -> pay.execute(
                            attempt(key), connection -> new Receipt(paid(connection, key), "Thank you, " + key));
                }),
                Planted.of(fault, "answer has the number of tries", (source, pay, key) -> {
                    String id = pay.execute(attempt(key), connection -> paid(connection, key))
                            .orElseThrow();
                    update(source, "UPDATE payment SET tries = tries + 1 WHERE reference = ?", key);
                    return id + ", try " + query(source, "SELECT tries FROM payment WHERE reference = ?", key);
                }));
    }

    private static List<Planted> swallowed() {
        String fault = "exception is swallowed";
        return List.of(
                Planted.of(
                        fault,
                        "the work logs what the insert throws",
                        (source, pay, key) -> pay.execute(attempt(key), connection -> {
                            String id = receipt();
                            try {
                                update(connection, PAY, key, id);
                            } catch (SQLException logged) {
                                return id;
                            }
                            return id;
                        })),
                Planted.of(fault, "the handler answers 'accepted' whatever is thrown", (source, pay, key) -> {
                    try {
                        Outcome<String> unused = pay.execute(attempt(key), connection -> paid(connection, key));
                    } catch (Exception logged) {
                        return "accepted";
                    }
                    return "accepted";
                }),
                Planted.of(fault, "a call in progress is taken for a success", source -> {
                    Operation<Connection, String> pay = claimFirst(source);
                    return key -> pay.execute(attempt(key), connection -> {
                                update(connection, PAY, key, "paid");
                                return "paid";
                            })
                            .fold(
                                    completed -> completed.result(),
                                    inProgress -> "paid",
                                    rejected -> {
                                        throw new IllegalStateException("rejected");
                                    },
                                    keyReused -> {
                                        throw new IllegalStateException("reused");
                                    });
                }),
                Planted.of(
                                fault,
                                "the ledger is optional, behind a savepoint",
                                (source, pay, key) -> pay.execute(attempt(key), connection -> {
                                    String id = paid(connection, key);
                                    Savepoint before = connection.setSavepoint();
                                    try {
                                        update(connection, LEDGER, key);
                                    } catch (SQLException logged) {
                                        connection.rollback(before);
                                    }
                                    return id;
                                }))
                        .withLedger(),
                Planted.of(fault, "a return in finally", source -> key -> returnInFinally(source, key)));
    }

    @SuppressWarnings("finally")
    private static String returnInFinally(DataSource source, String key) throws SQLException {
        try {
            byHand(source, key, connection -> "");
        } finally {
            return "paid";
        }
    }

    private static List<Planted> failureBesideTheEffect() {
        String fault = "failure is reported beside the effect";
        return List.of(
                Planted.of(fault, "what commit throws is a failure", source -> key -> {
                    try {
                        return inTransaction(source, connection -> {
                            String id = receipt();
                            update(connection, "INSERT INTO processed (key_id, response) VALUES (?, ?)", key, id);
                            update(connection, PAY, key, id);
                            return id;
                        });
                    } catch (SQLException thrown) {
                        if (thrown.getSQLState() != null && thrown.getSQLState().startsWith("23")) {
                            return query(source, RECEIPT, key);
                        }
                        throw new IllegalStateException("The payment has failed.", thrown);
                    }
                }),
                Planted.of(fault, "an unknown outcome is a failure", (source, pay, key) -> {
                    try {
                        return pay.execute(attempt(key), connection -> paid(connection, key));
                    } catch (OutcomeUnknownException unknown) {
                        throw new IllegalStateException("The payment has failed.");
                    }
                }),
                Planted.of(fault, "every exception is answered as rejected", (source, pay, key) -> {
                    try {
                        return pay.execute(attempt(key), connection -> paid(connection, key));
                    } catch (IdempotencyException thrown) {
                        return new Outcome.Rejected<>(thrown.key(), new Failure("failed", "The payment has failed."));
                    }
                }),
                Planted.of(fault, "a statistic after the commit fails", source -> key -> {
                    String id = byHand(source, key, connection -> "");
                    try {
                        query(source, "SELECT count(*) FROM payment WHERE id = ?", id);
                    } catch (SQLException thrown) {
                        throw new IllegalStateException("The payment has failed.", thrown);
                    }
                    return id;
                }),
                Planted.of(
                        fault, "only SQLException is rolled back, then autocommit commits the rest", source -> key -> {
                            try (Connection connection = source.getConnection()) {
                                connection.setAutoCommit(false);
                                try {
                                    String id = receipt();
                                    update(
                                            connection,
                                            "INSERT INTO processed (key_id, response) VALUES (?, ?)",
                                            key,
                                            id);
                                    update(connection, PAY, key, id);
                                    connection.commit();
                                    return id;
                                } catch (SQLException thrown) {
                                    connection.rollback();
                                    String found = query(source, RECEIPT, key);
                                    if (found != null) {
                                        return found;
                                    }
                                    throw thrown;
                                } finally {
                                    connection.setAutoCommit(true);
                                }
                            }
                        }));
    }

    private static List<Planted> committedByTheWork() {
        String fault = "work commits by itself";
        return List.of(
                Planted.of(fault, "commit()", working((connection, key) -> {
                    String id = paid(connection, key);
                    connection.commit();
                    return id;
                })),
                Planted.of(fault, "COMMIT as a statement", working((connection, key) -> {
                    String id = paid(connection, key);
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("COMMIT");
                    }
                    return id;
                })),
                Planted.of(fault, "setAutoCommit(true)", working((connection, key) -> {
                    connection.setAutoCommit(true);
                    return paid(connection, key);
                })),
                Planted.of(fault, "a definition of a table, which commits", working((connection, key) -> {
                    String id = paid(connection, key);
                    try (Statement statement = connection.createStatement()) {
                        statement.execute("CREATE TABLE IF NOT EXISTS daily (reference varchar(100))");
                    }
                    return id;
                })),
                Planted.of(fault, "commit of the unwrapped connection", working((connection, key) -> {
                    String id = paid(connection, key);
                    connection.unwrap(JdbcConnection.class).commit();
                    return id;
                })));
    }

    private static List<Planted> changedByAnotherKey() {
        String fault = "another key changes it between two tries";
        AtomicReference<String> last = new AtomicReference<>();
        return List.of(
                Planted.of(fault, "answer is the number of payments", answering("SELECT count(*) FROM payment")),
                Planted.of(fault, "answer is the balance", answering("SELECT 1000000 - sum(cents) FROM payment")),
                Planted.of(
                        fault,
                        "answer is the newest receipt",
                        answering("SELECT id FROM payment ORDER BY number DESC FETCH FIRST ROW ONLY")),
                Planted.of(fault, "answer is kept in a field", (source, pay, key) -> {
                    Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                    if (!outcome.isReplay()) {
                        last.set(outcome.orElseThrow());
                    }
                    return last.get();
                }),
                Planted.of(
                                fault,
                                "effect is a row of the account, which the next key takes",
                                (source, pay, key) -> pay.execute(attempt(key), connection -> {
                                    update(
                                            connection,
                                            "MERGE INTO account (id, reference) KEY (id) VALUES (7, ?)",
                                            key);
                                    return key;
                                }))
                        .counting("SELECT count(*) FROM account WHERE reference = ?"));
    }

    private static List<Planted> retention() {
        String fault = "retention is shorter than the retries";
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        return List.of(
                Planted.of(fault, "records are kept for an hour", source -> {
                            Operation<Connection, String> pay = Idempotency.on(JdbcIdempotencyStore.on(source))
                                    .operation("pay", ResultCodec.string())
                                    .retention(Duration.ofHours(1))
                                    .build();
                            return key -> pay.execute(attempt(key), connection -> paid(connection, key));
                        })
                        .retriedLate(source -> () -> Payments.age(source, Duration.ofHours(24))),
                Planted.of(fault, "own keys are deleted after an hour", source -> key -> {
                            update(source, "DELETE FROM processed WHERE at < CURRENT_TIMESTAMP - INTERVAL '1' HOUR");
                            return byHand(source, key, connection -> "");
                        })
                        .retriedLate(
                                source -> () -> update(source, "UPDATE processed SET at = at - INTERVAL '24' HOUR")),
                Planted.of(fault, "a cache that forgets", source -> {
                            record Kept(String id, Instant at) {}
                            Map<String, Kept> cache = new ConcurrentHashMap<>();
                            return key -> {
                                cache.values()
                                        .removeIf(kept ->
                                                kept.at().isBefore(now.get().minusSeconds(3600)));
                                synchronized (cache) {
                                    Kept kept = cache.get(key);
                                    if (kept == null) {
                                        String id = receipt();
                                        kept = new Kept(id, now.get());
                                        update(source, PAY, key, id);
                                        cache.put(key, kept);
                                    }
                                    return kept.id();
                                }
                            };
                        })
                        .retriedLate(source -> () -> now.updateAndGet(time -> time.plusSeconds(86_400))),
                Planted.of(
                                fault,
                                "the key has the day in it",
                                (source, pay, key) -> pay.execute(
                                        attempt(key + LocalDate.ofInstant(now.get(), ZoneOffset.UTC)),
                                        connection -> paid(connection, key)))
                        .retriedLate(source -> () -> now.updateAndGet(time -> time.plusSeconds(86_400))),
                Planted.of(
                                fault,
                                "old keys go to an archive that nobody asks",
                                source -> key -> byHand(source, key, connection -> ""))
                        .retriedLate(source -> () -> inTransaction(source, connection -> {
                            update(connection, "INSERT INTO archive SELECT key_id FROM processed");
                            update(connection, "DELETE FROM processed");
                            return "";
                        })));
    }

    private static List<Planted> outside() {
        String fault = "side effect outside of the database";
        Outside inWork = new Outside();
        Outside before = new Outside();
        Outside after = new Outside();
        Outside provider = new Outside();
        Outside beforeCommit = new Outside();
        return List.of(
                Planted.of(fault, "a mail in the work", working((connection, key) -> {
                            inWork.send(key);
                            return paid(connection, key);
                        }))
                        .with(inWork),
                Planted.of(fault, "a mail before the call", (source, pay, key) -> {
                            before.send(key);
                            return pay.execute(attempt(key), connection -> paid(connection, key));
                        })
                        .with(before),
                Planted.of(fault, "a mail after the call, if it was executed", (source, pay, key) -> {
                            Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                            if (outcome instanceof Outcome.Executed) {
                                after.send(key);
                            }
                            return outcome;
                        })
                        .with(after),
                Planted.of(
                                fault,
                                "a provider is called in the work, after the payment's row",
                                working((connection, key) -> {
                                    String id = paid(connection, key);
                                    provider.send(key);
                                    return id;
                                }))
                        .with(provider),
                Planted.of(
                                fault,
                                "a message is published before the commit",
                                source -> key -> byHand(source, key, connection -> {
                                    beforeCommit.send(key);
                                    return "";
                                }))
                        .with(beforeCommit));
    }

    private static List<Planted> death() {
        String fault = "process dies between two calls";
        return List.of(
                Planted.of(fault, "the key is committed before the effect", new DyingUseCases.KeyFirst())
                        .killed(DyingUseCases.KeyFirst.class),
                Planted.of(fault, "the effect is committed before the key", new DyingUseCases.EffectFirst())
                        .killed(DyingUseCases.EffectFirst.class),
                Planted.of(fault, "the ledger is a second transaction", new DyingUseCases.LedgerLast())
                        .killed(DyingUseCases.LedgerLast.class)
                        .withLedger(),
                Planted.of(fault, "nobody takes a running row over", new DyingUseCases.Running())
                        .killed(DyingUseCases.Running.class),
                Planted.of(fault, "the event is written after the call", new DyingUseCases.EventLast())
                        .killed(DyingUseCases.EventLast.class)
                        .withLedger());
    }

    private static List<Planted> connections() {
        String fault = "connection is not given back";
        return List.of(
                Planted.of(fault, "it is not closed after an exception", (source, pay, key) -> {
                    Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                    Connection reading = source.getConnection();
                    query(reading, RECEIPT, key);
                    reading.close();
                    return outcome;
                }),
                Planted.of(fault, "its transaction is left open after an exception", (source, pay, key) -> {
                    try (Connection reading = source.getConnection()) {
                        reading.setAutoCommit(false);
                        query(reading, RECEIPT, key);
                        reading.commit();
                        reading.setAutoCommit(true);
                    }
                    return pay.execute(attempt(key), connection -> paid(connection, key));
                }),
                Planted.of(fault, "it is kept in a field", source -> {
                    Operation<Connection, String> pay = operation(source);
                    AtomicReference<Connection> kept = new AtomicReference<>();
                    return key -> {
                        if (kept.get() == null) {
                            kept.set(source.getConnection());
                        }
                        return pay.execute(attempt(key), connection -> paid(connection, key));
                    };
                }),
                Planted.of(fault, "a read leaves its transaction open", (source, pay, key) -> {
                    try (Connection reading = source.getConnection()) {
                        reading.setAutoCommit(false);
                        query(reading, RECEIPT, key);
                    }
                    return pay.execute(attempt(key), connection -> paid(connection, key));
                }),
                Planted.of(fault, "a replay opens one and forgets it", (source, pay, key) -> {
                    Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                    if (outcome.isReplay()) {
                        query(source.getConnection(), RECEIPT, key);
                    }
                    return outcome;
                }));
    }

    private static List<Planted> noAnswer() {
        String fault = "retries do not end with an answer";
        return List.of(
                Planted.of(fault, "a set of running keys keeps the failed ones", source -> {
                    Operation<Connection, String> pay = operation(source);
                    Set<String> running = ConcurrentHashMap.newKeySet();
                    return key -> {
                        if (!running.add(key)) {
                            throw new IllegalStateException("This payment is running.");
                        }
                        Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                        running.remove(key);
                        return outcome;
                    };
                }),
                Planted.of(fault, "a running row is left behind by a failure", source -> key -> {
                    String found = query(source, RECEIPT, key);
                    if (found != null) {
                        return found;
                    }
                    update(source, "INSERT INTO processed (key_id, response) VALUES (?, 'running')", key);
                    String id = receipt();
                    update(source, PAY, key, id);
                    return id;
                }),
                Planted.of(fault, "the exception of the first try is remembered", source -> {
                    Operation<Connection, String> pay = operation(source);
                    Map<String, Exception> failed = new ConcurrentHashMap<>();
                    return key -> {
                        if (failed.containsKey(key)) {
                            throw failed.get(key);
                        }
                        try {
                            return pay.execute(attempt(key), connection -> paid(connection, key));
                        } catch (Exception thrown) {
                            failed.put(key, thrown);
                            throw thrown;
                        }
                    };
                }),
                Planted.of(fault, "a permit is not given back after an exception", source -> {
                    Operation<Connection, String> pay = operation(source);
                    Semaphore permits = new Semaphore(4);
                    return key -> {
                        if (!permits.tryAcquire(100, TimeUnit.MILLISECONDS)) {
                            throw new IllegalStateException("Too many payments are running.");
                        }
                        Outcome<String> outcome = pay.execute(attempt(key), connection -> paid(connection, key));
                        permits.release();
                        return outcome;
                    };
                }),
                Planted.of(fault, "a breaker opens, and never closes", source -> {
                    Operation<Connection, String> pay = operation(source);
                    AtomicBoolean open = new AtomicBoolean();
                    return key -> {
                        if (open.get()) {
                            throw new IllegalStateException("Payments are switched off.");
                        }
                        try {
                            return pay.execute(attempt(key), connection -> paid(connection, key));
                        } catch (RuntimeException | SQLException thrown) {
                            open.set(true);
                            throw thrown;
                        }
                    };
                }));
    }

    /** Use cases without a mistake. */
    static List<Planted> correct() {
        String fault = "none";
        return List.of(
                Planted.of(fault, "payment and ledger through the handle", working((connection, key) -> {
                            String id = paid(connection, key);
                            update(connection, LEDGER, key);
                            return id;
                        }))
                        .withLedger(),
                Planted.of(fault, "a claim first", source -> {
                    Operation<Connection, String> pay = claimFirst(source);
                    return key -> pay.execute(attempt(key), connection -> paid(connection, key));
                }),
                Planted.of(fault, "a unique column by hand", source -> key -> byHand(source, key, connection -> "")),
                Planted.of(fault, "the balance in the result, made in the work", working((connection, key) -> {
                    paid(connection, key);
                    return query(connection, "SELECT 1000000 - sum(cents) FROM payment");
                })),
                Planted.of(
                                fault,
                                "records that outlive the retries",
                                working((connection, key) -> paid(connection, key)))
                        .retriedLate(source -> () -> Payments.age(source, Duration.ofHours(20))));
    }

    // ---- what they share -------------------------------------------------------------------------------------

    /** What a handler does in its transaction. */
    interface Work {
        String run(Connection connection, String key) throws SQLException;
    }

    private static Planted.Handler working(Work work) {
        return (source, pay, key) -> pay.execute(attempt(key), connection -> work.run(connection, key));
    }

    private static Planted.Handler answering(String sql) {
        return (source, pay, key) -> {
            pay.execute(attempt(key), connection -> paid(connection, key)).orElseThrow();
            return query(source, sql);
        };
    }

    private static Operation<Connection, String> claimFirst(DataSource source) {
        return Idempotency.on(JdbcIdempotencyStore.on(source))
                .operation("pay", ResultCodec.string())
                .whenAbandoned(Abandoned.FAIL, Duration.ofSeconds(1))
                .build();
    }

    static String paid(Connection connection, String key) throws SQLException {
        String id = receipt();
        update(connection, PAY, key, id);
        return id;
    }
}
