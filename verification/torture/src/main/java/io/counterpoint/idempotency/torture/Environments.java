package io.counterpoint.idempotency.torture;

import java.util.Optional;

/** The environments of a run. The one with a standby is only created when a mode needs it. */
final class Environments implements AutoCloseable {

    private final Isolation isolation;
    private final Environment alone;
    private Optional<Environment> replicated = Optional.empty();

    Environments(Engine engine, Isolation isolation) {
        this.isolation = isolation;
        this.alone = Environment.alone(engine, isolation, Segment.slots());
    }

    Environment alone() {
        return alone;
    }

    Environment of(Mode mode) {
        if (!mode.isReplicated()) {
            return alone;
        }
        if (replicated.isEmpty()) {
            replicated = Optional.of(Environment.replicated(isolation, Segment.slots()));
        }
        return replicated.get();
    }

    @Override
    public void close() {
        replicated.ifPresent(Environment::close);
        alone.close();
    }
}
