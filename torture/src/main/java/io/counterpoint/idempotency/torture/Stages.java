package io.counterpoint.idempotency.torture;

import java.util.Optional;

/** The stages of a run; that with a standby is only put up when a mode asks for it. */
final class Stages implements AutoCloseable {

    private final Stage alone = Stage.alone(Segment.slots());
    private Optional<Stage> replicated = Optional.empty();

    Stage alone() {
        return alone;
    }

    Stage of(Mode mode) {
        if (!mode.isReplicated()) {
            return alone;
        }
        if (replicated.isEmpty()) {
            replicated = Optional.of(Stage.replicated(Segment.slots()));
        }
        return replicated.get();
    }

    @Override
    public void close() {
        replicated.ifPresent(Stage::close);
        alone.close();
    }
}
