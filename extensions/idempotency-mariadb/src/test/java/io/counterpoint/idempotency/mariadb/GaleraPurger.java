package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Fault;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Leaves records of its own on a node, which expire at once, and purges there, until something has ended. */
final class GaleraPurger implements Runnable {

    private static final int BATCH = 10;

    private final JdbiIdempotencyStore store;
    private final Idempotency<Handle> idempotency;
    private final Operation<Handle, String> brief;
    private final Future<?> until;
    private final AtomicLong purged = new AtomicLong();

    GaleraPurger(DataSource node, Future<?> until) {
        this.store = JdbiIdempotencyStore.builder(node)
                .dialect(MariaDbDialect.galera())
                .build();
        this.idempotency = Idempotency.on(store);
        this.brief = idempotency
                .operation("brief", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .retention(Duration.ofMillis(1))
                .build();
        this.until = until;
    }

    @Override
    public void run() {
        do {
            try {
                Attempt attempt = Attempt.inScope("user:1")
                        .key(UUID.randomUUID().toString())
                        .request("request");
                // The node may be gone, and its answer then says nothing.
                var unused = brief.execute(attempt, handle -> "brief");
                purged.addAndGet(idempotency.purgeExpired(BATCH));
            } catch (IdempotencyException unanswered) {
                // The node is gone, or was.
            } catch (RuntimeException thrown) {
                if (store.classify(thrown) == Fault.UNRECOGNISED) {
                    throw thrown;
                }
            }
        } while (!until.isDone());
    }

    /** Records that it has purged so far. */
    long purged() {
        return purged.get();
    }
}
