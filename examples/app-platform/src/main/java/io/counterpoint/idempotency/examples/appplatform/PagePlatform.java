package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.execution.WorkerProcesses;
import io.counterpoint.idempotency.examples.appplatform.page.ShownPlatform;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.DatabaseStatus;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The platform of this process, as its page sees it. */
record PagePlatform(
        Platform platform,
        WorkerProcesses processes,
        DatabaseAddress database,
        String service,
        String operatorToken,
        boolean isMendedOnSchedule)
        implements ShownPlatform {

    static PagePlatform of(
            Platform platform,
            WorkerProcesses processes,
            DatabaseAddress database,
            String service,
            String operatorToken,
            boolean isMendedOnSchedule) {
        return new PagePlatform(platform, processes, database, service, operatorToken, isMendedOnSchedule);
    }

    /** What {@code CreateApp} does, without its operation: the page shows what retries make of that. */
    @Override
    public UUID createAppUnprotected(long workspace, String name) {
        UUID app = UUID.randomUUID();
        try {
            platform.database()
                    .jdbi()
                    .useTransaction(handle -> platform.createApp().insert(handle, app, workspace, name));
        } catch (Refusal noWorkspace) {
            throw new IllegalStateException(noWorkspace);
        }
        return app;
    }

    @Override
    public List<Long> workers() {
        return processes.pids();
    }

    @Override
    public boolean killWorker(long pid) {
        return processes.kill(pid);
    }

    @Override
    public Map<String, String> graphs() {
        return Map.of(
                "publishing", AppStatus.graph().toMermaid(),
                "provisioning", DatabaseStatus.graph().toMermaid());
    }
}
