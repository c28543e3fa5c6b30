package io.counterpoint.idempotency.examples.appplatform.usecase;

import io.counterpoint.idempotency.consistency.transition.StateGraph;
import java.util.Locale;

/** The status of an app's database. */
public enum DatabaseStatus {
    NONE,
    CREATING,
    MIGRATING,
    READY;

    public static StateGraph<DatabaseStatus> graph() {
        return StateGraph.builder("app-database", DatabaseStatus.class)
                .initial(NONE)
                .owned(CREATING)
                .owned(MIGRATING)
                .allow(NONE, CREATING)
                .allow(CREATING, MIGRATING)
                .allow(MIGRATING, READY)
                .storedAs(DatabaseStatus::toString)
                .build();
    }

    /** As stored and returned. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
