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
 * The options of a store. An option that is set again is overwritten. Not thread-safe.
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
     * @param name the table's name, with or without a schema; default {@code idempotency_record}. Without a schema each
     *     connection finds it by its own settings. Operations that record last are refused then
     * @return this
     * @throws IllegalArgumentException if it is not a plain identifier of at most 48 characters
     */
    public JdbcStoreBuilder<S> table(String name) {
        this.name = RecordTable.parse(name);
        return this;
    }

    /**
     * Sets the isolation of domain transactions. Operations of several levels use several {@linkplain
     * JdbcIdempotencyStore#toBuilder views} of a store. Costs PostgreSQL one more statement a transaction, which a default
     * set on the pool would not.
     *
     * @param level the level; default: that of the connection
     * @return this
     */
    public JdbcStoreBuilder<S> isolation(Isolation level) {
        isolation = OptionalInt.of(level.level());
        return this;
    }

    /**
     * Makes claims durable. By default PostgreSQL may commit the claim of a {@code CLAIM_FIRST} operation asynchronously:
     * its log is written in order, so no effect can outlive its claim. Extensions of it that keep several logs, such as
     * Citus, do not promise that order: use this there. Other databases commit claims like everything
     * else.
     *
     * @param durable whether claims are; default false
     * @return this
     */
    public JdbcStoreBuilder<S> durableClaims(boolean durable) {
        relaxedClaims = !durable;
        return this;
    }

    /**
     * Lets a claim of {@code SINGLE_TRANSACTION} wait for another call of its key as long as the session's own {@code
     * lock_timeout} allows, also where its operation waits less. PostgreSQL then executes 4 to 6 % fewer instructions for a
     * call. Set the bound on the role, by {@code ALTER ROLE application SET lock_timeout = '2s'}: without one the claim is
     * refused, and {@code checkTable()} refuses the start. Other databases, and claims of batches, keep to the operation's.
     *
     * @param session whether the session's bound holds; default false
     * @return this
     */
    public JdbcStoreBuilder<S> lockTimeoutOfSession(boolean session) {
        boundedBySession = session;
        return this;
    }

    /**
     * Lets a call that returns the result of another call's record first wait for a commit of its own. With a
     * synchronous standby, what a call has only read then outlives the promotion of that standby, as what a leader has
     * written does. The commit writes a message to PostgreSQL's log, by {@code pg_logical_emit_message}, and touches
     * no table. It costs each such answer a connection, a round trip and a flush of the log. Other databases have
     * none: {@code checkTable()} and such calls refuse.
     *
     * @param durable whether they wait; default false
     * @return this
     */
    public JdbcStoreBuilder<S> durableReplays(boolean durable) {
        durableReplays = durable;
        return this;
    }

    /**
     * Lets one transaction at a time work on a key of a {@code RECORD_LAST} operation, in all processes that set this. A
     * concurrent duplicate then waits, as its operation says, and is {@code InProgress}; without this option it does the work
     * in vain. The turn is an advisory lock of PostgreSQL, taken by {@code pg_try_advisory_xact_lock}, and costs each call a
     * round trip. Other databases have none: {@code checkTable()} and such calls refuse.
     *
     * <p>The turn only decides who works; the record's key decides what is committed. So nodes with and without this option may
     * share a table. While a client is dead and the server has not noticed, callers of its key are {@code InProgress}. Batches
     * take no turns. {@code pg_locks} shows 64 bits of the key's hash.
     *
     * <p>The lock is the transaction's first statement. Work that begins with {@code SET TRANSACTION} fails after it, and under
     * REPEATABLE READ it takes the snapshot: do not use it for work that begins with {@code LOCK TABLE} and then reads.
     *
     * @param turns whether they take turns; default false
     * @return this
     */
    public JdbcStoreBuilder<S> turnAcrossProcesses(boolean turns) {
        this.turns = turns;
        return this;
    }

    /**
     * Rejects every call while a transaction that the store does not know is open on the calling thread. What such a
     * transaction rolls back would not undo the operation, and what the work does in it would not commit with the record.
     * With Spring, use {@code idempotency-spring}: there the work's transactions join that of the record. It does not see
     * what the work itself does through other connections: give the work's own SQL the handle.
     *
     * @param foreignTransaction whether such a transaction is open on this thread; asked at every call. It may throw
     *     instead, to say more: the call throws the same. Given again, each of them rejects
     * @return this
     */
    public JdbcStoreBuilder<S> rejectCallsWhile(BooleanSupplier foreignTransaction) {
        BooleanSupplier before = insideForeignTransaction;
        insideForeignTransaction = () -> before.getAsBoolean() || foreignTransaction.getAsBoolean();
        return this;
    }

    /**
     * Sets the store's dialect, whatever the database reports. By default the first call, or the check of the table,
     * asks the database which one it is.
     *
     * @param ofDatabase the statements, for the table that they name
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
