package io.counterpoint.idempotency.examples.appplatform.usecase;

import io.counterpoint.idempotency.consistency.transition.StateGraph;
import java.util.Locale;

/** The status of an app's publication. */
public enum AppStatus {
    DRAFT,
    PUBLISHING,
    PUBLISHED;

    public static StateGraph<AppStatus> graph() {
        return StateGraph.builder("app-publication", AppStatus.class)
                .initial(DRAFT)
                .owned(PUBLISHING)
                .allow(DRAFT, PUBLISHING)
                .allow(PUBLISHING, PUBLISHED, DRAFT)
                .storedAs(AppStatus::toString)
                .build();
    }

    /** As stored and returned. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
