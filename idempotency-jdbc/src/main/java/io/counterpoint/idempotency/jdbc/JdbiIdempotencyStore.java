package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.jdbc.jdbi.HandleConnections;
import io.counterpoint.idempotency.jdbc.session.DatabaseErrors;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;

/**
 * Like {@link JdbcIdempotencyStore}, for work that uses a Jdbi {@link Handle}. The handle is guarded like the
 * connection; a nested {@code inTransaction} on it joins the transaction. Anything that a callback of the handle begins
 * after the end of the transaction is rolled back.
 *
 * <p>Calls inside {@code jdbi.inTransaction}, {@code useHandle} and the like on the same thread are rejected too.
 */
// Users of handles require Jdbi's module anyway.
@SuppressWarnings("exports")
public final class JdbiIdempotencyStore extends SqlStore<Handle> {

    private JdbiIdempotencyStore(View<Handle> view) {
        super(view);
    }

    /**
     * Creates a store like {@link JdbcIdempotencyStore#on}.
     *
     * @param jdbi the Jdbi instance. One plugin is added to it, which affects only this library's handles. Its plugins
     *     and settings apply to the handles passed to domain code
     * @return the store
     */
    public static JdbiIdempotencyStore on(Jdbi jdbi) {
        return builder(jdbi).build();
    }

    /**
     * Like {@link #on(Jdbi)}, but creates a handle, with Jdbi's own settings, only when the work requests one.
     *
     * @param dataSource the data source, preferably a pool
     * @return the store
     */
    public static JdbiIdempotencyStore on(DataSource dataSource) {
        return builder(dataSource).build();
    }

    /**
     * Like {@link #on(Jdbi)}, with options.
     *
     * @param jdbi as in {@link #on(Jdbi)}
     * @return the builder
     */
    public static JdbcStoreBuilder<JdbiIdempotencyStore> builder(Jdbi jdbi) {
        return new JdbcStoreBuilder<>(new View<>(HandleConnections.of(jdbi)), JdbiIdempotencyStore::new);
    }

    /**
     * Like {@link #on(DataSource)}, with options.
     *
     * @param dataSource as in {@link #on(DataSource)}
     * @return the builder
     */
    public static JdbcStoreBuilder<JdbiIdempotencyStore> builder(DataSource dataSource) {
        return new JdbcStoreBuilder<>(new View<>(HandleConnections.of(dataSource)), JdbiIdempotencyStore::new);
    }

    /**
     * Like {@link JdbcIdempotencyStore#toBuilder}.
     *
     * @return the builder
     */
    public JdbcStoreBuilder<JdbiIdempotencyStore> toBuilder() {
        return new JdbcStoreBuilder<>(view, JdbiIdempotencyStore::new);
    }

    /**
     * Like {@link JdbcIdempotencyStore#createTableIfMissing}.
     *
     * @return this
     */
    public JdbiIdempotencyStore createTableIfMissing() {
        createTable();
        return this;
    }

    /**
     * Like {@link JdbcIdempotencyStore#checkTable}.
     *
     * @return this
     * @throws IllegalStateException as in {@link JdbcIdempotencyStore#checkTable}
     */
    @Override
    public JdbiIdempotencyStore checkTable() {
        requireFitTable();
        return this;
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return thrown instanceof JdbiException
                ? Optional.of(DatabaseErrors.describe(thrown, classify(thrown)))
                : super.describe(thrown);
    }
}
