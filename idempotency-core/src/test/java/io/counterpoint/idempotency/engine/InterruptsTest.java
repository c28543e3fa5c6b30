package io.counterpoint.idempotency.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who sees the interrupt of the caller's thread. */
class InterruptsTest {

    private final Interrupts interrupts = new Interrupts();
    private final List<Boolean> seen = new ArrayList<>();

    @AfterEach
    void clear() {
        boolean unused = Thread.interrupted();
    }

    private boolean run() {
        return interrupts.shownTo(() -> seen.add(Thread.currentThread().isInterrupted()));
    }

    @Test
    void firstRunSeesItAndTheCallerHasItAfterTheSecond() {
        Thread.currentThread().interrupt();

        boolean unused = interrupts.keptFromStore(() -> {
            assertThat(Thread.currentThread().isInterrupted()).isFalse();
            boolean first = run();
            return run() && first;
        });

        assertThat(seen).containsExactly(true, false);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }

    /** A batch reads its records between two runs. */
    @Test
    void innerPartLeavesItHiddenFromTheRestOfTheOuterOne() {
        Thread.currentThread().interrupt();

        boolean hidden = interrupts.keptFromStore(() -> {
            boolean unused = interrupts.keptFromStore(() -> true);
            return !Thread.currentThread().isInterrupted();
        });

        assertThat(hidden).isTrue();
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
