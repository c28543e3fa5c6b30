package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * A table of events. An event is appended in the transaction of the change that it announces, so it exists if and only
 * if the change is committed; an {@link OutboxPublisher} publishes it from there. Immutable and thread-safe.
 *
 * <p>Promised: no event of a committed transaction is lost, and none of a rolled-back one is published. Events with the
 * same topic and order key are published in the order in which they were appended. That order requires that
 * transactions that append for the same key exclude each other, for example by updating the same row first, as a status
 * transition does. Append within {@link io.counterpoint.idempotency.consistency.Transactions} or an operation: on H2,
 * MariaDB and MySQL, a deadlock ends a transaction, and a caller that swallows its exception would commit the event
 * without the change. Not promised: that an event is published only once, or any order across keys.
 */
public final class Outbox {

    static final String COLUMNS = "id, topic, order_key, payload";
    /**
     * The leading columns of an index, for each of which {@link #OF_A_KEY} specifies one value; its last column is
     * {@code seq}.
     */
    static final String KEY = "topic, order_key, published_at";

    static final String OF_A_KEY = "topic = :topic AND order_key = :key AND published_at IS NULL";

    private static final String DEFAULT_TABLE = "outbox_event";

    private final String table;

    private Outbox(String table) {
        this.table = table;
    }

    /**
     * Returns the outbox in the table {@code outbox_event}.
     *
     * @return the outbox
     */
    public static Outbox create() {
        return new Outbox(DEFAULT_TABLE);
    }

    /**
     * Returns the outbox in a table.
     *
     * @param table its name, without a schema
     * @return the outbox
     * @throws IllegalArgumentException if it is not a plain identifier
     */
    public static Outbox in(String table) {
        return new Outbox(DatabaseProduct.nameWithoutSchema("a table", table));
    }

    /**
     * Creates the table if it is missing, for demos and tests. In production, copy {@code
     * io/counterpoint/idempotency/consistency/outbox/postgresql.sql} (or {@code h2.sql}, {@code mariadb.sql}, {@code
     * mysql.sql}) into your migrations.
     *
     * @param handle a handle outside any transaction
     * @return this
     */
    public Outbox createTableIfMissing(Handle handle) {
        DatabaseProduct.create(handle, Outbox.class::getResourceAsStream, DEFAULT_TABLE, table);
        return this;
    }

    /**
     * Appends an event.
     *
     * @param handle the transaction of the change that the event announces
     * @param event the event
     * @throws IllegalStateException if the handle is not in a transaction, because the event would not commit with the
     *     change
     * @throws AppendFailedException if the database rejects the event or is unreachable
     */
    public void append(Handle handle, OutboxEvent event) {
        append(handle, List.of(event));
    }

    /**
     * Appends events in one round trip, such as one event for each of several topics.
     *
     * @param handle the transaction of the change that the events announce
     * @param events the events
     * @throws IllegalStateException if the handle is not in a transaction, because the events would not commit with the
     *     change
     * @throws AppendFailedException if the database rejects the events or is unreachable
     */
    public void append(Handle handle, Collection<OutboxEvent> events) {
        requireTransaction(handle);
        if (events.isEmpty()) {
            return;
        }
        DatabaseProduct database = DatabaseProduct.of(handle);
        try (PreparedBatch batch = handle.prepareBatch("""
                INSERT INTO %1$s (%2$s, appended_at, due_at, attempts)
                VALUES (:id, :topic, :order_key, :payload, %3$s, %3$s, 0)
                """.formatted(table, COLUMNS, database.now()))) {
            for (OutboxEvent event : events) {
                batch.bind("id", database.bound(event.id()))
                        .bind("topic", event.topic())
                        .bind("order_key", event.orderKey().orElse(null))
                        .bind("payload", event.payload())
                        .add();
            }
            batch.execute();
        } catch (JdbiException thrown) {
            throw new AppendFailedException(table, events, thrown);
        }
    }

    /**
     * Appends events in a transaction of Spring, JPA or any other framework, on the connection of that transaction,
     * such as that of {@code JdbcTemplate.execute}, of Hibernate's {@code Session.doWork}, or the handle of an
     * operation on the Spring store.
     *
     * @param connection the connection, which stays open
     * @param events the events
     * @throws IllegalStateException if it is not in a transaction, because the events would not commit with the change
     * @throws AppendFailedException if the database rejects the events or is unreachable
     */
    public void append(Connection connection, Collection<OutboxEvent> events) {
        append(Jdbi.open(connection), events);
    }

    /**
     * Returns the backlog of a topic's publishers.
     *
     * @param handle a handle
     * @param topic the topic
     * @return its current status
     */
    public OutboxStatus status(Handle handle, String topic) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        String oldest = "MIN(CASE WHEN parked_at IS NULL THEN appended_at END)";
        return handle.createQuery("""
                        SELECT count(*) - count(parked_at), count(parked_at), COALESCE(%s, 0)
                        FROM %s WHERE topic = :topic AND published_at IS NULL
                        """.formatted(database.secondsBetween(oldest, database.now()), table))
                .bind("topic", topic)
                .map((row, context) ->
                        new OutboxStatus(topic, row.getLong(1), row.getLong(2), notNegative(row.getBigDecimal(3))))
                .one();
    }

    /**
     * Returns the parked events, oldest first.
     *
     * @param handle a handle
     * @param limit the maximum number of events
     * @return the events
     */
    public List<ParkedEvent> parked(Handle handle, int limit) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        return handle.createQuery("""
                        SELECT %s, attempts, last_error, parked_at FROM %s WHERE parked_at IS NOT NULL
                        ORDER BY seq LIMIT %d
                        """.formatted(COLUMNS, table, DatabaseProduct.positive("the limit", limit)))
                .map((row, context) -> new ParkedEvent(
                        event(row),
                        row.getInt("attempts"),
                        String.valueOf(row.getString("last_error")),
                        database.instant(row, "parked_at")))
                .list();
    }

    /**
     * Releases a parked event for publishing, with all its attempts available again. The events that wait behind it
     * follow.
     *
     * @param handle a handle
     * @param id the event
     * @return whether it was parked
     */
    public boolean retry(Handle handle, UUID id) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        return handle.createUpdate("""
                                UPDATE %s SET parked_at = NULL, attempts = 0, claim = NULL, due_at = %s
                                WHERE id = :id AND parked_at IS NOT NULL
                                """.formatted(table, database.now()))
                        .bind("id", database.bound(id))
                        .execute()
                == 1;
    }

    /**
     * Discards a parked event permanently. The events that wait behind it are published without it. Don't delete events
     * in any other way.
     *
     * @param handle a handle
     * @param id the event
     * @return whether it was parked and has been deleted
     * @throws IllegalStateException if the handle is in a transaction above READ COMMITTED, which would not see the
     *     waiting events: use a handle outside any transaction
     */
    public boolean discard(Handle handle, UUID id) {
        if (!handle.isInTransaction()) {
            return handle.inTransaction(TransactionIsolationLevel.READ_COMMITTED, own -> delete(own, id));
        }
        requireReadCommitted(handle);
        return delete(handle, id);
    }

    private static void requireReadCommitted(Handle handle) {
        TransactionIsolationLevel level = handle.getTransactionIsolationLevel();
        if (level.intValue() > TransactionIsolationLevel.READ_COMMITTED.intValue()) {
            throw new IllegalStateException(
                    "An event must be discarded in a transaction at READ COMMITTED, but this one is at " + level + ""
                            + " and would not see the waiting events. Use a handle without a transaction.");
        }
    }

    private boolean delete(Handle handle, UUID id) {
        String parked = "id = :id AND parked_at IS NOT NULL";
        Object bound = DatabaseProduct.of(handle).bound(id);
        Optional<Runnable> release = handle.createQuery(
                        "SELECT seq, %s FROM %s WHERE %s FOR UPDATE".formatted(COLUMNS, table, parked))
                .bind("id", bound)
                .map((row, context) -> {
                    long seq = row.getLong("seq");
                    OutboxEvent event = event(row);
                    return (Runnable) () -> release(handle, event, seq);
                })
                .findOne();
        boolean deleted = handle.createUpdate("DELETE FROM %s WHERE %s".formatted(table, parked))
                        .bind("id", bound)
                        .execute()
                == 1;
        release.ifPresent(Runnable::run);
        return deleted;
    }

    /**
     * Makes the next event that waits behind an event of its key due, after that event was published or discarded. If
     * there is still another one in front, it waits again.
     */
    void release(Handle handle, OutboxEvent event, long seq) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        String waits = "parked_at IS NULL AND due_at IS NULL";
        event.orderKey()
                .flatMap(key -> handle.createQuery("SELECT seq FROM %s WHERE %s AND seq > :seq AND %s %s"
                                .formatted(table, OF_A_KEY, waits, database.first(1, KEY, "seq")))
                        .bind("topic", event.topic())
                        .bind("key", key)
                        .bind("seq", seq)
                        .mapTo(Long.class)
                        .findOne())
                .ifPresent(next -> handle.createUpdate(
                                "UPDATE %s SET due_at = %s WHERE seq = :seq AND published_at IS NULL AND %s"
                                        .formatted(table, database.now(), waits))
                        .bind("seq", next)
                        .execute());
    }

    /**
     * Deletes one batch of events whose retention is over. Call it on a schedule, and repeat while it returns {@code
     * batch}.
     *
     * @param handle a handle
     * @param olderThan how long ago the events must have been published
     * @param batch the maximum number of events to delete in this call
     * @return how many were deleted
     */
    public int deletePublished(Handle handle, Duration olderThan, int batch) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        String delete = database.deleteFirst(
                table,
                "seq",
                "published_at <= " + database.secondsAgo(),
                "published_at",
                DatabaseProduct.positive("the batch", batch));
        HandleCallback<Integer, RuntimeException> deletion = own -> own.createUpdate(delete)
                .bind("seconds", DatabaseProduct.seconds(olderThan))
                .execute();
        // Above this level, MariaDB and MySQL also lock newly appended events.
        return handle.isInTransaction()
                ? deletion.withHandle(handle)
                : handle.inTransaction(TransactionIsolationLevel.READ_COMMITTED, deletion);
    }

    String table() {
        return table;
    }

    static OutboxEvent event(ResultSet row) throws SQLException {
        return new OutboxEvent(
                UUID.fromString(row.getString("id")),
                row.getString("topic"),
                Optional.ofNullable(row.getString("order_key")),
                row.getString("payload"));
    }

    /** An event can be newer than the transaction that reads it. */
    static Duration notNegative(BigDecimal seconds) {
        return DatabaseProduct.duration(seconds.max(BigDecimal.ZERO));
    }

    private static void requireTransaction(Handle handle) {
        try {
            if (handle.getConnection().getAutoCommit()) {
                throw new IllegalStateException(
                        "An event must be appended in the transaction of the change that it announces, but this"
                                + " handle has none: use the handle of the transaction.");
            }
        } catch (SQLException thrown) {
            throw new IllegalStateException("The connection did not report whether it is in a transaction.", thrown);
        }
    }

    @Override
    public String toString() {
        return "Outbox[" + table + "]";
    }
}
