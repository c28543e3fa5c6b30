package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the explorer's store throws. */
final class Injected extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Fault fault;
    private final boolean atCommit;

    Injected(Fault fault, boolean atCommit) {
        this(fault, atCommit, null);
    }

    private Injected(Fault fault, boolean atCommit, @Nullable Throwable cause) {
        super("injected: " + fault, cause, false, false);
        this.fault = fault;
        this.atCommit = atCommit;
    }

    /** The connection is lost with a step in flight. */
    static Injected lost() {
        return new Injected(Fault.CONNECTION_LOST, false);
    }

    /** The connection is lost with a commit in flight. */
    static Injected lostAtCommit() {
        return new Injected(Fault.CONNECTION_LOST, true);
    }

    /** What a driver or pool throws if the caller's thread was interrupted. */
    static Injected interrupted() {
        return new Injected(Fault.CONNECTION_LOST, false, new InterruptedException("injected"));
    }

    /** Gives the caller the reply, or the fault that prevents it. */
    static void answers(Caller caller, String code, Supplier<?> answer) {
        try {
            caller.answered(code, answer.get());
        } catch (Injected fault) {
            caller.failed(code, fault);
        }
    }

    /** Thrown by the clock instead of the store, so it proves nothing. */
    static Injected ofTheClock() {
        return new Injected(Fault.UNRECOGNISED, false);
    }

    boolean isOfTheClock() {
        return fault == Fault.UNRECOGNISED;
    }

    /** Whether the reply was lost, as opposed to an error from the database. */
    boolean isLost() {
        return fault == Fault.CONNECTION_LOST;
    }

    Fault fault() {
        return fault;
    }

    boolean atCommit() {
        return atCommit;
    }
}
