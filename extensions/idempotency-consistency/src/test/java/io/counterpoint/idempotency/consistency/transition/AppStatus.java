package io.counterpoint.idempotency.consistency.transition;

import java.util.Locale;

/** The states of an app, with publishing in between. */
public enum AppStatus {
    DRAFT,
    PUBLISHING,
    PUBLISHED,
    ARCHIVED;

    public static final String APP_TABLE = """
            CREATE TABLE app (
                id               uuid         PRIMARY KEY,
                status           varchar(100) NOT NULL,
                publisher        uuid,
                publishing_since timestamp(6) with time zone,
                updated_at       timestamp(6) with time zone)
            """;

    public static StateGraph<AppStatus> graph() {
        return StateGraph.builder("app-publication", AppStatus.class)
                .initial(DRAFT)
                .owned(PUBLISHING)
                .allow(DRAFT, PUBLISHING, ARCHIVED)
                .allow(PUBLISHING, PUBLISHED, DRAFT)
                .allow(PUBLISHED, ARCHIVED)
                .storedAs(status -> status.name().toLowerCase(Locale.ROOT))
                .build();
    }

    public static StatusTransitions.Builder<AppStatus> publication() {
        return StatusTransitions.builder(graph()).table("app").owner("publisher", "publishing_since");
    }
}
