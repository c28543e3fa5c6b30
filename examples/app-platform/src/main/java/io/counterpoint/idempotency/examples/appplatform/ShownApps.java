package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.invalidation.VersionedCache;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppPaths;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** The current state of apps, read along the path for the migration's current mode. */
final class ShownApps {

    static final Bound BOUND = new Bound(
            "cache invalidation",
            "an event for each version; entries expire after the bound",
            "nothing: each version is evicted once",
            Duration.ofSeconds(30));

    /** The type of this cache's messages on the channel. */
    static final String TYPE = "app";

    private static final int CACHED = 10_000;

    /** The visible part of an app. */
    record App(UUID id, long workspace, String name, String status, String databaseStatus, long version) {}

    private static final String SHOWN = "SELECT a.id, p.workspace_id, p.name, a.status, a.database_status, a.version"
            + " FROM app a JOIN " + AppPaths.SHOWN + " p ON p.id = a.id WHERE a.deleted_at IS NULL";

    private final Jdbi jdbi;

    ShownApps(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    Optional<App> find(UUID id) {
        return jdbi.withHandle(handle -> handle.createQuery(SHOWN + " AND a.id = ?")
                .bind(0, id)
                .map((row, context) -> app(row))
                .findOne());
    }

    /** The apps of a workspace, by name, up to a limit. */
    List<App> list(long workspace, int most) {
        return jdbi.withHandle(handle -> handle.createQuery(
                        SHOWN + " AND p.workspace_id = ? ORDER BY p.name, a.id FETCH FIRST " + most + " ROWS ONLY")
                .bind(0, workspace)
                .map((row, context) -> app(row))
                .list());
    }

    /** The cache of one node, which may lag behind. */
    VersionedCache<App> cache() {
        return VersionedCache.of(CACHED, BOUND.lag(), App::version, id -> find(UUID.fromString(id)));
    }

    private static App app(ResultSet row) throws SQLException {
        return new App(
                row.getObject(1, UUID.class),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6));
    }
}
