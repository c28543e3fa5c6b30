package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.ArmedCall;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Sequences of faults: each fault at each call to a store, followed by each fault at each later call. */
final class FaultSweep {

    private FaultSweep() {}

    enum Trouble {
        ANSWER_LOST(null),
        REQUEST_LOST(Fault.CONNECTION_LOST),
        CONFLICT(Fault.CONFLICT),
        LOCKED(Fault.LOCK_TIMEOUT),
        CANCELLED(Fault.CANCELLED),
        REFUSED(Fault.STATEMENT_REFUSED);

        private final @Nullable Fault fault;

        Trouble(@Nullable Fault fault) {
            this.fault = fault;
        }
    }

    record Fall(int call, Trouble trouble) {
        void arm(FaultyStore<?> store) {
            ArmedCall armed = store.atCall(call);
            Object unused = trouble.fault == null ? armed.losesAnswer() : armed.fails(trouble.fault);
        }
    }

    /**
     * Tries every sequence of up to {@code depth} faults. {@code survives} returns whether the last one was reached.
     */
    static void sweep(int depth, Predicate<List<Fall>> survives) {
        sweep(depth, 0, List.of(), survives);
    }

    private static void sweep(int depth, int after, List<Fall> falls, Predicate<List<Fall>> survives) {
        if (falls.size() == depth) {
            return;
        }
        for (Trouble trouble : Trouble.values()) {
            boolean reached = true;
            for (int call = after + 1; reached; call++) {
                List<Fall> all = new ArrayList<>(falls);
                all.add(new Fall(call, trouble));
                reached = survives.test(all);
                if (reached) {
                    sweep(depth, call, all, survives);
                }
            }
        }
    }
}
