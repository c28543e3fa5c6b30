package io.counterpoint.idempotency.trial;

/** Who calls, and how: all but the fault. */
record Setting(TestEnvironment stage, Made made, ProtocolVariant way, Scenario scenario) {

    String meets() {
        return way + " " + scenario;
    }

    String reaches() {
        return stage + " " + made;
    }

    @Override
    public String toString() {
        return meets() + " on " + reaches();
    }
}
