package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.usecase.AppPaths;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** Apps as they are now, read along the path that the mode of the migration names. */
final class ShownApps {

    private static final String SHOWN = "SELECT a.id, p.workspace_id, p.name, a.status, a.database_status, a.version"
            + " FROM app a JOIN " + AppPaths.SHOWN + " p ON p.id = a.id WHERE a.deleted_at IS NULL";

    private final Jdbi jdbi;

    ShownApps(Jdbi jdbi) {
        this.jdbi = jdbi;
    }

    Optional<AppCache.App> find(UUID id) {
        return jdbi.withHandle(handle -> handle.createQuery(SHOWN + " AND a.id = ?")
                .bind(0, id)
                .map((row, context) -> app(row))
                .findOne());
    }

    /** Those of a workspace, by name; at most so many. */
    List<AppCache.App> list(long workspace, int most) {
        return jdbi.withHandle(handle -> handle.createQuery(
                        SHOWN + " AND p.workspace_id = ? ORDER BY p.name, a.id FETCH FIRST " + most + " ROWS ONLY")
                .bind(0, workspace)
                .map((row, context) -> app(row))
                .list());
    }

    /** The version of an app, whatever its path says; 0 if it is gone. */
    long version(UUID app) {
        return jdbi.withHandle(
                handle -> handle.createQuery("SELECT version FROM app WHERE id = ? AND deleted_at IS NULL")
                        .bind(0, app)
                        .mapTo(Long.class)
                        .findOne()
                        .orElse(0L));
    }

    private static AppCache.App app(ResultSet row) throws SQLException {
        return new AppCache.App(
                row.getObject(1, UUID.class),
                row.getLong(2),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6));
    }
}
