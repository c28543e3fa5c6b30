package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import org.jspecify.annotations.Nullable;

/** One call that a test has armed. It passes unless configured otherwise. */
public final class ArmedCall {
    private final When when;
    private Runnable before = () -> {};
    private Runnable after = () -> {};
    private @Nullable Fault fault;
    private boolean answerLost;
    private boolean changesNothing;
    private boolean always;

    ArmedCall(When when) {
        this.when = when;
    }

    /**
     * Makes the call fail without doing anything. In a transaction, everything before it is rolled back.
     *
     * @param fault how {@link IdempotencyStore#classify} will classify the failure
     * @return this
     */
    public ArmedCall fails(Fault fault) {
        this.fault = fault;
        return this;
    }

    /**
     * Makes the call succeed and then fail as {@link Fault#CONNECTION_LOST}. A standalone step or a commit is then
     * committed; a step in a transaction is rolled back with everything else.
     *
     * @return this
     */
    public ArmedCall losesAnswer() {
        answerLost = true;
        return this;
    }

    /**
     * Makes the call do nothing and return false, like a compare-and-set that encounters another caller's record.
     *
     * @return this
     */
    public ArmedCall changesNothing() {
        changesNothing = true;
        return this;
    }

    /**
     * Runs an action before the call.
     *
     * @param hook the action
     * @return this
     */
    public ArmedCall before(Runnable hook) {
        before = hook;
        return this;
    }

    /**
     * Runs an action when the call is done, before its reply is returned or lost.
     *
     * @param hook the action
     * @return this
     */
    public ArmedCall after(Runnable hook) {
        after = hook;
        return this;
    }

    /**
     * Applies this to every such call from now on, until {@link FaultyStore#disarm}.
     *
     * @return this
     */
    public ArmedCall always() {
        always = true;
        return this;
    }

    void begins() {
        before.run();
        if (fault != null) {
            throw new InjectedFault(fault);
        }
    }

    void ends() {
        after.run();
        if (answerLost) {
            throw new InjectedFault(Fault.CONNECTION_LOST);
        }
    }

    boolean matches(StoreCall call, int number) {
        return when.matches(call, number);
    }

    boolean isAlways() {
        return always;
    }

    boolean mayChange() {
        return !changesNothing;
    }

    /** Selects a call. */
    interface When {
        boolean matches(StoreCall call, int number);
    }
}
