package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.comparison.RepairPlan;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import java.util.Map;
import java.util.UUID;

/** What the page needs of the platform that it shows. Everything else goes over HTTP, and through tables. */
public interface ShownPlatform {

    /** Where the platform's tables are; a PostgreSQL. */
    DatabaseAddress database();

    /** Where the service listens, without a path. */
    String service();

    /** What an operator sends to check and to repair. */
    String operatorToken();

    /** Whether scheduled checks mend what they find. */
    boolean isMendedOnSchedule();

    /** Creates an app with all that belongs to it, in one transaction, and without a key. */
    UUID createAppUnprotected(long workspace, String name);

    /** The state machines {@code publishing} and {@code provisioning}, drawn as Mermaid. */
    Map<String, String> graphs();

    /** Compares both tables of the migration. */
    Comparison<UUID> comparison();

    /** Makes the new table of the migration like the old one, where the last comparison found a difference. */
    RepairPlan<UUID> repairOfNewTable();
}
