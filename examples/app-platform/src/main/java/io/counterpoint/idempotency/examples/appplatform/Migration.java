package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Comparison;
import io.counterpoint.idempotency.consistency.comparison.JdbiJournal;
import io.counterpoint.idempotency.consistency.comparison.KeyOrder;
import io.counterpoint.idempotency.consistency.comparison.RepairTarget;
import io.counterpoint.idempotency.consistency.comparison.Source;
import io.counterpoint.idempotency.consistency.comparison.SqlTable;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jdbi.v3.core.Jdbi;

/**
 * Apps move from their users to workspaces. While both tables are written they are compared. The old rows are read as they
 * have to become: with the workspace of their user.
 */
final class Migration {

    private static final String NAME = "apps by user and by workspace";

    private final Jdbi jdbi;
    private final Duration minimumAge;
    private final Consumer<String> progress;
    private final SqlTable<UUID> old;
    private final SqlTable<UUID> replacement;

    Migration(Jdbi jdbi, Duration minimumAge, Consumer<String> progress) {
        this.jdbi = jdbi;
        this.minimumAge = minimumAge;
        this.progress = progress;
        old = SqlTable.of(jdbi, """
                        (SELECT a.id, m.workspace_id, a.name, a.version
                        FROM app_by_user a LEFT JOIN workspace_of_user m ON m.user_id = a.user_id) by_user
                        """, "id", KeyOrder.uuids())
                .fields("workspace_id", "name")
                .version("version", "version + 1");
        replacement = SqlTable.of(jdbi, "app_by_workspace", "id", KeyOrder.uuids())
                .fields("workspace_id", "name")
                .version("version", "version + 1");
    }

    private Comparison<UUID> compare(Source<UUID> left, Source<UUID> right) {
        return Comparison.builder(NAME, left, right)
                .minimumAge(minimumAge)
                .pageSize(5_000)
                .journal(JdbiJournal.on(jdbi))
                .progress(step -> progress.accept(step.toString()))
                .build();
    }

    /** A comparison of whose findings a repair changes only some, on either side. */
    Comparison<UUID> chosen(Predicate<UUID> keys, RepairTarget<UUID> oldTarget) {
        return compare(new ChosenChanges<>(old, oldTarget, keys), new ChosenChanges<>(replacement, replacement, keys));
    }

    Source<UUID> old() {
        return old;
    }

    Source<UUID> replacement() {
        return replacement;
    }
}
