package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.spi.Fault;

/** A fault on demand. */
public final class InjectedFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What {@link FaultyStore#classify} says of this. */
    private final Fault fault;

    /**
     * A fault that domain code can throw as well.
     *
     * @param fault its classification by {@link FaultyStore#classify}
     */
    public InjectedFault(Fault fault) {
        super("injected: " + fault);
        this.fault = fault;
    }

    /**
     * The fault.
     *
     * @return the classification by {@link FaultyStore#classify}
     */
    public Fault fault() {
        return fault;
    }
}
