package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.comparison.RepairPlan;
import io.counterpoint.idempotency.examples.appplatform.page.ShownPlatform;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** The platform of this process, as its page sees it. */
record PagePlatform(
        Platform platform,
        DatabaseAddress database,
        String service,
        String operatorToken,
        boolean isMendedOnSchedule,
        Migration migration)
        implements ShownPlatform {

    private static final Duration MINIMUM_AGE = Duration.ofMillis(300);

    static PagePlatform of(
            Platform platform,
            DatabaseAddress database,
            String service,
            String operatorToken,
            boolean isMendedOnSchedule) {
        return new PagePlatform(
                platform,
                database,
                service,
                operatorToken,
                isMendedOnSchedule,
                new Migration(platform.database().jdbi(), MINIMUM_AGE, step -> {}));
    }

    /** What {@link CreateApp} does, without its operation: the page shows what retries make of that. */
    @Override
    public UUID createAppUnprotected(long workspace, String name) {
        UUID app = UUID.randomUUID();
        platform.database().jdbi().useTransaction(handle -> {
            handle.execute("INSERT INTO app (id, workspace_id, name) VALUES (?, ?, ?)", app, workspace, name);
            handle.execute("INSERT INTO app_version (id, app_id, number) VALUES (?, ?, 1)", UUID.randomUUID(), app);
            platform.events().appCreated(handle, app);
        });
        return app;
    }

    @Override
    public Map<String, String> graphs() {
        return Map.of(
                "publishing", AppStatus.graph().toMermaid(),
                "provisioning", DatabaseStatus.graph().toMermaid());
    }

    @Override
    public Comparison<UUID> comparison() {
        return migration.comparison();
    }

    @Override
    public RepairPlan<UUID> repairOfNewTable() {
        return migration.plan();
    }
}
