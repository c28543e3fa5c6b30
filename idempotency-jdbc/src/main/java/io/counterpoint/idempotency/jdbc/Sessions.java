package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.internal.KeyedPermits;
import io.counterpoint.idempotency.jdbc.session.Borrowed;
import io.counterpoint.idempotency.jdbc.session.Connections;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.jdbc.session.SqlErrorClassifier;
import io.counterpoint.idempotency.jdbc.session.StoreException;
import io.counterpoint.idempotency.jdbc.session.StoreOptions;
import io.counterpoint.idempotency.jdbc.session.StoreOptions.Coalescing;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.Session;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens the sessions of one view of a store, outside of transactions only. A claim waits for the permit of its key before it
 * borrows a connection. A read that is alone may share its statement with others.
 *
 * @param <C> what the work sees
 */
final class Sessions<C> {

    private final Connections<C> connections;
    private final SharedByViews shared;
    private final StoreOptions options;
    private final Optional<GroupedReads> grouped;
    private final Function<IdempotencyKey, Optional<IdempotencyRecord>> reads;

    private Sessions(Connections<C> connections, SharedByViews shared, StoreOptions options) {
        this.connections = connections;
        this.shared = shared;
        this.options = options;
        this.grouped = options.coalescing().map(how -> new GroupedReads(how.database(), () -> coalesced(how)));
        this.reads = grouped.<Function<IdempotencyKey, Optional<IdempotencyRecord>>>map(together -> together::read)
                .orElse(key -> readAlone(key, () -> {}));
    }

    /**
     * What the views of one table share.
     *
     * @param dialect its statements, once the database is known
     * @param permits lets the callers of one key wait for each other
     * @param sweep where the next batch of a purge goes on
     * @param checked whether the table was checked, and found fit
     */
    record SharedByViews(
            StoreDialect dialect, KeyedPermits<IdempotencyKey> permits, PurgeSweep sweep, AtomicBoolean checked) {
        SharedByViews(StoreDialect dialect) {
            this(dialect, new KeyedPermits<>(), new PurgeSweep(), new AtomicBoolean());
        }
    }

    void checkTable() {
        Dialect dialect = dialect();
        ask("check", dialect, connection -> {
            TableCheck.check(connection, dialect);
            return true;
        });
        shared.checked().set(true);
    }

    TableInspection inspectTable() {
        Dialect dialect;
        try {
            dialect = dialect();
        } catch (IllegalStateException unfit) {
            return TableInspection.unfit(String.valueOf(unfit.getMessage()));
        }
        return ask("inspect", dialect, connection -> TableCheck.inspect(connection, dialect));
    }

    void createTableIfMissing() {
        requireNotInside();
        Dialect dialect = dialect();
        ask("create", dialect, connection -> {
            Connections.requireNotBegun(connection, dialect);
            Schema.create(connection, dialect);
            return true;
        });
        checkTable();
    }

    private <T> T ask(String doing, Dialect dialect, Connections.Question<T> question) {
        try {
            return connections.ask(question);
        } catch (SQLException thrown) {
            throw StoreException.of(
                    "Could not " + doing + " table " + dialect.table(),
                    SqlErrorClassifier.classify(thrown, dialect),
                    dialect,
                    thrown);
        }
    }

    /**
     * Whether nothing but this library decides what becomes of an insert into the table. A name without a schema may mean
     * another table on the next connection, which nobody has checked.
     */
    boolean keepsEveryInsert() {
        return isChecked() && !table().schema().isEmpty();
    }

    boolean isChecked() {
        return shared.checked().get();
    }

    static <C> Sessions<C> on(Connections<C> connections) {
        return new Sessions<>(connections, new SharedByViews(StoreDialect.detected(connections)), StoreOptions.DEFAULT);
    }

    /** The dialect. Borrows a connection where it is not known yet. */
    Dialect dialect() {
        return shared.dialect().get();
    }

    StoreDialect storeDialect() {
        return shared.dialect();
    }

    RecordTable table() {
        return shared.dialect().table();
    }

    StoreOptions options() {
        return options;
    }

    /** Another view. With the same dialect it is one of the same table. */
    Sessions<C> with(StoreDialect dialect, StoreOptions other) {
        return new Sessions<>(connections, dialect == shared.dialect() ? shared : new SharedByViews(dialect), other);
    }

    JdbcSession<C> open() {
        return open(null);
    }

    JdbcSession<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        requireNotInside();
        KeyedPermits<IdempotencyKey>.Permit permit = shared.permits().acquire(key, maxWait);
        try {
            return open(permit);
        } catch (RuntimeException | Error thrown) {
            permit.release();
            throw thrown;
        }
    }

    private JdbcSession<C> open(KeyedPermits<IdempotencyKey>.@Nullable Permit permit) {
        requireNotInside();
        Dialect dialect = dialect();
        Borrowed<C> borrowed = connections.borrow(dialect);
        try {
            shared.dialect().requireSame(borrowed.guard().delegate());
            return new JdbcSession<>(dialect, keepsEveryInsert(), borrowed, options, permit);
        } catch (RuntimeException | Error thrown) {
            borrowed.close(thrown instanceof IllegalStateException);
            throw thrown;
        }
    }

    Optional<IdempotencyRecord> read(IdempotencyKey key) {
        requireNotInside();
        return reads.apply(key);
    }

    int purge(int batch) {
        try (JdbcSession<?> session = open()) {
            return session.purge(connection -> shared.sweep().purge(dialect(), connection, batch));
        }
    }

    /** How many groups have callers that read at this moment. */
    int groupsOfReads() {
        return grouped.map(GroupedReads::size).orElse(0);
    }

    private CoalescedReads coalesced(Coalescing how) {
        return new CoalescedReads(statements(), new AdaptiveLimit(how.few()));
    }

    /** The statements of coalesced reads. */
    CoalescedReads.Reads statements() {
        return new CoalescedReads.Reads() {
            @Override
            public Optional<IdempotencyRecord> alone(IdempotencyKey key, Runnable connected) {
                return readAlone(key, connected);
            }

            @Override
            public Map<IdempotencyKey, IdempotencyRecord> all(Set<IdempotencyKey> keys, Runnable connected) {
                try (JdbcSession<?> session = open()) {
                    connected.run();
                    return session.autoCommit(steps -> steps.readAll(List.copyOf(keys)));
                }
            }
        };
    }

    private Optional<IdempotencyRecord> readAlone(IdempotencyKey key, Runnable connected) {
        try (Session<?> session = open()) {
            connected.run();
            return session.autoCommit(steps -> steps.read(key));
        }
    }

    /** Rule 17: a transaction that is not this library's is refused, and so is a call inside another. */
    void requireNotInside() {
        if (options.insideForeignTransaction().getAsBoolean()) {
            throw new NestedCallException("Called inside a transaction that is not this library's. Its rollback would"
                    + " not undo the operation, and it would not see the operation's effect: call it outside, and do"
                    + " the domain's part with the handle that the work is given.");
        }
        connections.requireNotInside();
    }
}
