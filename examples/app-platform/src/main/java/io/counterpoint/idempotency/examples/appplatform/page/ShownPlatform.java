package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What the page needs of the platform that it shows. Everything else goes over HTTP, and through tables. */
public interface ShownPlatform {

    /** Where the platform's tables are; a PostgreSQL. */
    DatabaseAddress database();

    /** Where the service listens, without a path. */
    String service();

    /** What an operator sends to check, to repair and to migrate. */
    String operatorToken();

    /** Whether scheduled checks mend what they find. */
    boolean isMendedOnSchedule();

    /** Creates an app with all that belongs to it, in one transaction, and without a key. */
    UUID createAppUnprotected(long workspace, String name);

    /** The processes that run executions now. */
    List<Long> workers();

    /** {@code kill -9} of such a process, which is replaced. Returns whether there is one. */
    boolean killWorker(long pid);

    /** The state machines {@code publishing} and {@code provisioning}, drawn as Mermaid. */
    Map<String, String> graphs();
}
