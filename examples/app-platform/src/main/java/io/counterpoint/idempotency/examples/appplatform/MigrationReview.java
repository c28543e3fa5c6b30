package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Change;
import io.counterpoint.idempotency.consistency.comparison.Finding;
import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.consistency.comparison.Row;
import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.consistency.comparison.Source;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jspecify.annotations.Nullable;

/**
 * The findings of a migration, each with what both tables say, until somebody chooses the right side. A repair follows the
 * choices and leaves alone what is undecided, and what was written since.
 */
final class MigrationReview {

    private static final int PAGE = 500;

    private final Jdbi jdbi;
    private final Migration migration;
    private final Events events;

    /**
     * A difference.
     *
     * @param old what the old table says; empty if it has no such row
     * @param replacement what the new table says; empty if it has no such row
     * @param right which of them is right; empty until it is chosen
     */
    record Difference(UUID app, Optional<String> old, Optional<String> replacement, Optional<Side> right) {}

    MigrationReview(Jdbi jdbi, Migration migration, Events events) {
        this.jdbi = jdbi;
        this.migration = migration;
        this.events = events;
    }

    /**
     * Compares anew, and stores what differs in place of what was found before. A choice stays where both tables say what
     * they said when it was made.
     */
    Report<UUID> detect() {
        Report<UUID> report = migration.chosen(app -> false, this::applyToOld).startOver();
        List<UUID> apps = new ArrayList<>();
        for (List<Finding<UUID>> page = report.findings(0, PAGE);
                !page.isEmpty();
                page = report.findings(apps.size(), PAGE)) {
            page.forEach(finding -> apps.add(finding.key()));
        }
        jdbi.useTransaction(handle -> {
            Map<UUID, Difference> before =
                    differences(handle).stream().collect(Collectors.toMap(Difference::app, difference -> difference));
            handle.execute("DELETE FROM migration_finding");
            for (int from = 0; from < apps.size(); from += PAGE) {
                store(handle, apps.subList(from, Math.min(apps.size(), from + PAGE)), before);
            }
        });
        return report;
    }

    private void store(Handle handle, List<UUID> apps, Map<UUID, Difference> before) {
        Map<UUID, String> old = texts(migration.old(), apps);
        Map<UUID, String> replacement = texts(migration.replacement(), apps);
        try (PreparedBatch rows = handle.prepareBatch(
                "INSERT INTO migration_finding (app_id, old_value, new_value, right_side) VALUES (?, ?, ?, ?)")) {
            for (UUID app : apps) {
                Optional<String> oldValue = Optional.ofNullable(old.get(app));
                Optional<String> newValue = Optional.ofNullable(replacement.get(app));
                Optional<Side> right = Optional.ofNullable(before.get(app))
                        .filter(then -> then.old().equals(oldValue)
                                && then.replacement().equals(newValue))
                        .flatMap(Difference::right);
                rows.add(
                        app,
                        oldValue.orElse(null),
                        newValue.orElse(null),
                        right.map(Side::toString).orElse(null));
            }
            rows.execute();
        }
    }

    private static Map<UUID, String> texts(Source<UUID> source, Collection<UUID> apps) {
        return source.find(apps).stream()
                .collect(Collectors.toMap(Row::key, row -> row.fields().toString()));
    }

    /** What was found, in the order of keys. */
    List<Difference> differences() {
        return jdbi.withHandle(MigrationReview::differences);
    }

    private static List<Difference> differences(Handle handle) {
        return handle.createQuery(
                        "SELECT app_id, old_value, new_value, right_side FROM migration_finding ORDER BY app_id")
                .map((row, context) -> new Difference(
                        row.getObject(1, UUID.class),
                        Optional.ofNullable(row.getString(2)),
                        Optional.ofNullable(row.getString(3)),
                        Optional.ofNullable(row.getString(4)).map(MigrationReview::side)))
                .list();
    }

    private static Side side(String text) {
        return Side.valueOf(text.toUpperCase(Locale.ROOT));
    }

    /** Chooses the side that is right about an app. Returns whether there is such a finding. */
    boolean choose(UUID app, Side right) {
        return jdbi.withHandle(handle -> handle.execute(
                        "UPDATE migration_finding SET right_side = ? WHERE app_id = ?", right.toString(), app))
                == 1;
    }

    /** Chooses the side that is right about every app of which nobody has chosen yet. Returns about how many. */
    int chooseForTheRest(Side right) {
        return jdbi.withHandle(handle -> handle.execute(
                "UPDATE migration_finding SET right_side = ? WHERE right_side IS NULL", right.toString()));
    }

    /** Repairs what was chosen, notifies cache and search, and compares anew. Returns how many changes were made. */
    long repair() {
        long changes = 0;
        for (Side right : Side.values()) {
            Set<UUID> chosen = new HashSet<>(jdbi.withHandle(
                    handle -> handle.createQuery("SELECT app_id FROM migration_finding WHERE right_side = ?")
                            .bind(0, right.toString())
                            .mapTo(UUID.class)
                            .list()));
            if (!chosen.isEmpty()) {
                changes += migration
                        .chosen(chosen::contains, this::applyToOld)
                        .repair(right)
                        .allowDeletes()
                        .build()
                        .apply()
                        .counts()
                        .changes();
                jdbi.useTransaction(handle -> chosen.forEach(app -> events.appRepaired(handle, app)));
            }
        }
        Report<UUID> unused = detect();
        return changes;
    }

    /** The old table has users instead of workspaces: a workspace has one, who gets its apps. */
    private List<Change<UUID>> applyToOld(List<Change<UUID>> changes) {
        return jdbi.inTransaction(handle -> changes.stream()
                .filter(change -> change.<Integer>fold(
                                insert -> handle.execute(
                                        """
                                        INSERT INTO app_by_user (id, user_id, name, version)
                                        SELECT ?, m.user_id, ?, 1 FROM workspace_of_user m WHERE m.workspace_id = ?
                                            AND NOT EXISTS (SELECT 1 FROM app_by_user a WHERE a.id = ?)
                                        """,
                                        insert.key(),
                                        name(insert.wanted()),
                                        workspace(insert.wanted()),
                                        insert.key()),
                                update -> handle.execute(
                                        """
                                        UPDATE app_by_user SET name = ?, version = version + 1, user_id =
                                            (SELECT m.user_id FROM workspace_of_user m WHERE m.workspace_id = ?)
                                        WHERE id = ? AND version = ?
                                        """,
                                        name(update.wanted()),
                                        workspace(update.wanted()),
                                        update.key(),
                                        update.found().version()),
                                delete -> handle.execute(
                                        "DELETE FROM app_by_user WHERE id = ? AND version = ?",
                                        delete.key(),
                                        delete.found().version()))
                        == 1)
                .toList());
    }

    private static @Nullable Object name(Row<UUID> row) {
        return row.fields().get("name");
    }

    private static @Nullable Object workspace(Row<UUID> row) {
        return row.fields().get("workspace_id");
    }
}
