package io.counterpoint.idempotency.testkit.faults;

import io.counterpoint.idempotency.spi.Fault;

/** A fault injected by a test. */
public final class InjectedFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** How {@link FaultyStore#classify} classifies this. */
    private final Fault fault;

    /**
     * Creates a fault, which domain code can throw as well.
     *
     * @param fault how {@link FaultyStore#classify} will classify it
     */
    public InjectedFault(Fault fault) {
        super("injected: " + fault);
        this.fault = fault;
    }

    /**
     * Returns the fault.
     *
     * @return how {@link FaultyStore#classify} classifies this
     */
    public Fault fault() {
        return fault;
    }
}
