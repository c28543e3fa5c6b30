package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import java.util.function.Supplier;

/** What the explorer's store throws. */
final class Injected extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;
    private final boolean atCommit;

    Injected(Fault fault, boolean atCommit) {
        super("injected: " + fault, null, false, false);
        this.fault = fault;
        this.atCommit = atCommit;
    }

    /** The connection is lost with a step on it. */
    static Injected lost() {
        return new Injected(Fault.CONNECTION_LOST, false);
    }

    /** The connection is lost with a commit on it. */
    static Injected lostAtCommit() {
        return new Injected(Fault.CONNECTION_LOST, true);
    }

    /** The caller gets the answer, or the fault that keeps it from one. */
    static void answers(Caller caller, String code, Supplier<?> answer) {
        try {
            caller.answered(code, answer.get());
        } catch (Injected fault) {
            caller.failed(code, fault);
        }
    }

    Fault fault() {
        return fault;
    }

    boolean atCommit() {
        return atCommit;
    }
}
