package io.counterpoint.idempotency.jdbc;

import io.counterpoint.idempotency.jdbc.SqlStore.View;
import io.counterpoint.idempotency.jdbc.session.StoreOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.util.OptionalInt;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The options of a store. Setting an option again overwrites it. Not thread-safe.
 *
 * @param <S> the store
 */
public final class JdbcStoreBuilder<S> {

    private final BiFunction<DetectedTable, StoreOptions, S> made;
    private DetectedTable table;
    private @Nullable RecordTable name;
    private OptionalInt isolation;
    private boolean relaxedClaims;
    private boolean boundedBySession;
    private boolean durableReplays;
    private boolean turns;
    private BooleanSupplier insideForeignTransaction;

    <C> JdbcStoreBuilder(View<C> from, Function<? super View<C>, ? extends S> made) {
        this.table = from.table();
        this.isolation = from.options().isolation();
        this.relaxedClaims = from.options().relaxedClaims();
        this.boundedBySession = from.options().boundedBySession();
        this.durableReplays = from.options().durableReplays();
        this.turns = from.options().turns();
        this.insideForeignTransaction = from.options().insideForeignTransaction();
        this.made = (newTable, newOptions) -> made.apply(new View<>(from.connections(), newTable, newOptions));
    }

    /**
     * Sets the table.
     *
     * @param name the table's name, with or without a schema; default {@code idempotency_record}. Without a schema,
     *     each connection resolves it by its own settings, and operations that record last are rejected
     * @return this
     * @throws IllegalArgumentException if it is not a plain identifier of at most 48 characters
     */
    public JdbcStoreBuilder<S> table(String name) {
        this.name = RecordTable.parse(name);
        return this;
    }

    /**
     * Sets the isolation of domain transactions. For operations with different levels, use several {@linkplain
     * JdbcIdempotencyStore#toBuilder views} of a store. On PostgreSQL this costs one more statement per transaction,
     * unlike a default set on the pool.
     *
     * @param level the level; default: the connection's
     * @return this
     */
    public JdbcStoreBuilder<S> isolation(Isolation level) {
        isolation = OptionalInt.of(level.level());
        return this;
    }

    /**
     * Makes claims durable. By default, PostgreSQL may commit the claim of a {@code CLAIM_FIRST} operation
     * asynchronously: its log is written in order, so no effect can outlive its claim. Extensions with several logs,
     * such as Citus, do not guarantee that order, so set this option there. Other databases commit claims like
     * everything else.
     *
     * @param durable whether claims are durable; default false
     * @return this
     */
    public JdbcStoreBuilder<S> durableClaims(boolean durable) {
        relaxedClaims = !durable;
        return this;
    }

    /**
     * Lets a claim of {@code SINGLE_TRANSACTION} wait for another call with its key as long as the session's own {@code
     * lock_timeout} allows, even if its operation sets a shorter wait. PostgreSQL then executes 4 to 6 % fewer
     * instructions per call. Set the timeout on the role, with {@code ALTER ROLE application SET lock_timeout = '2s'}:
     * without one, claims are rejected and {@code checkTable()} fails. Other databases, and claims of batches, use the
     * operation's wait.
     *
     * @param session whether the session's timeout applies; default false
     * @return this
     */
    public JdbcStoreBuilder<S> lockTimeoutOfSession(boolean session) {
        boundedBySession = session;
        return this;
    }

    /**
     * Makes a call that returns a result from another call's record wait for its own commit first. With a synchronous
     * standby, a result that was only read then survives the promotion of that standby, just like one that a leader
     * wrote. The commit writes a message to PostgreSQL's log with {@code pg_logical_emit_message} and touches no table.
     * Each such call costs a connection, a round trip and a flush of the log. Other databases have no equivalent:
     * {@code checkTable()} and such calls throw.
     *
     * @param durable whether they wait; default false
     * @return this
     */
    public JdbcStoreBuilder<S> durableReplays(boolean durable) {
        durableReplays = durable;
        return this;
    }

    /**
     * Lets only one transaction at a time work on a key of a {@code RECORD_LAST} operation, across all processes that
     * set this option. A concurrent duplicate then waits as configured for its operation and is {@code InProgress};
     * without this option, it does its work in vain. The turn is an advisory lock of PostgreSQL, taken with {@code
     * pg_try_advisory_xact_lock}, and costs each call a round trip. Other databases have no equivalent: {@code
     * checkTable()} and such calls throw.
     *
     * <p>The turn only decides who works; the record's key decides what is committed. Nodes with and without this
     * option may therefore share a table. As long as the server has not noticed that a client is dead, callers of its
     * key are {@code InProgress}. Batches take no turns. {@code pg_locks} shows 64 bits of the key's hash.
     *
     * <p>The lock is the transaction's first statement, so work that begins with {@code SET TRANSACTION} fails. Under
     * REPEATABLE READ the lock also takes the snapshot: don't use this option for work that begins with {@code LOCK
     * TABLE} and then reads.
     *
     * @param turns whether transactions take turns; default false
     * @return this
     */
    public JdbcStoreBuilder<S> turnAcrossProcesses(boolean turns) {
        this.turns = turns;
        return this;
    }

    /**
     * Rejects every call while a transaction that the store does not know is open on the calling thread. Rolling back
     * such a transaction would not undo the operation, and what the work does in it would not commit with the record.
     * With Spring, use {@code idempotency-spring}, where the work's transactions join that of the record. This check
     * cannot detect other connections that the work itself uses: use the handle for the work's own SQL.
     *
     * @param foreignTransaction returns whether such a transaction is open on this thread; evaluated on every call. It
     *     may throw instead to give more detail: the call then throws the same exception. If set repeatedly, all
     *     conditions apply
     * @return this
     */
    public JdbcStoreBuilder<S> rejectCallsWhile(BooleanSupplier foreignTransaction) {
        BooleanSupplier before = insideForeignTransaction;
        insideForeignTransaction = () -> before.getAsBoolean() || foreignTransaction.getAsBoolean();
        return this;
    }

    /**
     * Sets the store's dialect, regardless of what the database reports. By default, the first call or the check of the
     * table detects the database.
     *
     * @param ofDatabase the dialect
     * @return this
     */
    public JdbcStoreBuilder<S> dialect(Dialect ofDatabase) {
        table = table.withDialect(ofDatabase);
        return this;
    }

    /** {@return the store} */
    public S build() {
        return made.apply(
                name == null ? table : table.withName(name),
                new StoreOptions(
                        isolation, relaxedClaims, boundedBySession, durableReplays, turns, insideForeignTransaction));
    }
}
