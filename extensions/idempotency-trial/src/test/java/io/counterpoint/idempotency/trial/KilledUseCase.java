package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.FaultInjection.Call;
import io.counterpoint.idempotency.trial.FaultInjection.InAnotherProcess;
import io.counterpoint.idempotency.trial.Payments.Way;
import java.sql.Connection;
import javax.sql.DataSource;

/** Payments in a process that is killed. */
public class KilledUseCase implements InAnotherProcess {

    private final Way way;

    KilledUseCase(Way way) {
        this.way = way;
    }

    @Override
    public DataSource dataSource(String url) {
        return Payments.pool(url);
    }

    @Override
    public Call open(DataSource source) {
        return Payments.call(source, way, Payments::insert);
    }

    /** A process that has claimed its key before it is killed. */
    public static final class ClaimingFirst extends KilledUseCase {
        public ClaimingFirst() {
            super(Way.CLAIM_FIRST);
        }
    }

    /** A process that is killed in its only transaction. */
    public static final class InASingleTransaction extends KilledUseCase {
        public InASingleTransaction() {
            super(Way.SINGLE_TRANSACTION);
        }
    }

    /** The mistake: the work writes in a second connection. */
    public static final class PastTheHandle extends KilledUseCase {
        public PastTheHandle() {
            super(Way.SINGLE_TRANSACTION);
        }

        @Override
        public Call open(DataSource source) {
            return Payments.call(source, Way.SINGLE_TRANSACTION, (connection, key, id) -> {
                try (Connection other = source.getConnection()) {
                    Payments.insert(other, key, id);
                }
            });
        }
    }
}
