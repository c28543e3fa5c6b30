package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The threads that hold transactions open. */
final class Backends implements AutoCloseable {

    private final Deque<Backend> idle = new ArrayDeque<>();
    private final List<Backend> all = new ArrayList<>();

    Backend take() {
        Backend backend = idle.poll();
        if (backend == null) {
            backend = new Backend();
            all.add(backend);
            Thread thread = new Thread(backend, "backend-" + all.size());
            thread.setDaemon(true);
            thread.start();
        }
        return backend;
    }

    void giveBack(Backend backend) {
        idle.push(backend);
    }

    @Override
    public void close() {
        all.forEach(Backend::quit);
    }

    static final class Backend implements Runnable {
        private final Signal forBackend = new Signal();
        private final Signal forOther = new Signal();
        private volatile @Nullable IdempotencyStore<Transaction> store;
        private volatile @Nullable RecordSteps steps;
        private volatile @Nullable WorkScope<Transaction> scope;
        private volatile @Nullable RuntimeException failed;
        private volatile boolean commits;

        void begin(IdempotencyStore<Transaction> on) {
            store = on;
            forBackend.raise();
            forOther.await();
        }

        RecordSteps steps() {
            RecordSteps now = steps;
            if (now == null) {
                throw new IllegalStateException("No transaction is open.");
            }
            return now;
        }

        WorkScope<Transaction> scope() {
            WorkScope<Transaction> now = scope;
            if (now == null) {
                throw new IllegalStateException("No transaction is open.");
            }
            return now;
        }

        void end(boolean how) {
            commits = how;
            forBackend.raise();
            forOther.await();
            RuntimeException thrown = failed;
            if (thrown != null) {
                throw thrown;
            }
        }

        void quit() {
            store = null;
            forBackend.raise();
        }

        @Override
        public void run() {
            for (; ; ) {
                forBackend.await();
                IdempotencyStore<Transaction> on = store;
                if (on == null) {
                    return;
                }
                try (Session<Transaction> session = on.open(Configuration.KEY)) {
                    session.<Object>inTransaction((transaction, work) -> {
                        steps = transaction;
                        scope = work;
                        forOther.raise();
                        forBackend.await();
                        if (!commits) {
                            throw new RollBack();
                        }
                        return this;
                    });
                } catch (RollBack asRequested) {
                    // The store has rolled back.
                } catch (RuntimeException thrown) {
                    failed = thrown;
                }
                steps = null;
                scope = null;
                forOther.raise();
            }
        }
    }

    private static final class RollBack extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RollBack() {
            super("roll back", null, false, false);
        }
    }
}
