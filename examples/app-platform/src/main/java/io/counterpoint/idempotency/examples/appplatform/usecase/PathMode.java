package io.counterpoint.idempotency.examples.appplatform.usecase;

import io.counterpoint.idempotency.consistency.transition.StateGraph;
import java.util.Locale;

/**
 * The path along which apps are stored: by user, by workspace, or both while a migration is compared. There is no way
 * back from the new path, because the old one lacks everything written after the switch.
 */
public enum PathMode {
    OLD,
    BOTH,
    NEW;

    public static StateGraph<PathMode> graph() {
        return StateGraph.builder("app-paths", PathMode.class)
                .initial(OLD)
                .allow(OLD, BOTH)
                .allow(BOTH, OLD, NEW)
                .storedAs(PathMode::toString)
                .build();
    }

    /** As stored. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
