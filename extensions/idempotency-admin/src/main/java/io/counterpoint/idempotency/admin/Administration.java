package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Inspects and administers the records of one table in PostgreSQL, H2, MariaDB or MySQL. Immutable and thread-safe.
 * Each method borrows one connection at a time. Only a purge and a resolution change anything.
 *
 * <p>Every method throws {@link DatabaseException} if the database does not respond, and {@link RefusedException} if it
 * is any other database.
 */
public final class Administration {

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{16,64}");

    /** No database's time leaves its bounds with it. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final JdbcIdempotencyStore store;
    private final AdministeredDatabase database;
    private final AuditTrail audit;
    private final Clock clock;

    private Administration(JdbcIdempotencyStore store, AdministeredDatabase database, AuditTrail audit, Clock clock) {
        this.store = store;
        this.database = database;
        this.audit = audit;
        this.clock = clock;
    }

    /**
     * The administration of a table. It does not access the database yet.
     *
     * @param dataSource gives connections to the database
     * @param table the table's name, with or without a schema
     * @param audit records resolutions
     * @return the administration
     * @throws IllegalArgumentException if the name is not made of plain identifiers
     */
    public static Administration of(DataSource dataSource, String table, AuditTrail audit) {
        return new Administration(
                JdbcIdempotencyStore.builder(dataSource).table(table).build(),
                new AdministeredDatabase(dataSource, RecordTable.parse(table)),
                audit,
                Clock.systemUTC());
    }

    /**
     * Returns this administration with another clock, which is compared with the database's.
     *
     * @param other the clock of this machine
     * @return the administration
     */
    public Administration withClock(Clock other) {
        return new Administration(store, database, audit, other);
    }

    /**
     * The table.
     *
     * @return its name, with its schema if there is one
     */
    public String table() {
        return database.table().toString();
    }

    /**
     * The record of a key.
     *
     * @param key the key
     * @return its record, if there is one
     */
    public Optional<StoredRecord> find(IdempotencyKey key) {
        return new Records(database).find(key);
    }

    /**
     * Returns the record with a hash, which messages and logs show after the {@code #}. This reads the keys of the
     * whole table.
     *
     * @param hash the hash, or its first 16 digits or more
     * @return the record, if there is one
     * @throws RefusedException if it is not a hash, or if the hashes of several keys begin with these digits
     */
    public Optional<StoredRecord> find(String hash) {
        if (!HASH.matcher(hash).matches()) {
            throw new RefusedException("A hash must be 16 to 64 lower-case hexadecimal digits.");
        }
        return new Records(database).find(hash);
    }

    /**
     * Returns the attempts that have not ended, oldest change first. An attempt is abandoned once it is unchanged for
     * longer than the grace period of its operation. This reads the whole table, because no index contains the state.
     *
     * @param unchangedFor how long they have been unchanged
     * @param limit the maximum number of records
     * @return the records
     * @throws RefusedException if the limit is not positive or the time is negative
     */
    public List<StoredRecord> pending(Duration unchangedFor, int limit) {
        if (limit < 1 || unchangedFor.isNegative()) {
            throw new RefusedException("A list needs a limit of at least 1 and a non-negative time.");
        }
        Duration within = unchangedFor.compareTo(LONGEST) < 0 ? unchangedFor : LONGEST;
        return new Records(database).pending(within, limit);
    }

    /**
     * Counts all records, in one read of the whole table.
     *
     * @return the counts
     */
    public Statistics statistics() {
        return new Records(database).statistics();
    }

    /** Fails if the table cannot be read. */
    public void requireReadable() {
        Optional<StoredRecord> unused =
                find(IdempotencyKey.inScope("-").operation("-").value("-"));
    }

    /**
     * Returns how far the database's clock is ahead of this machine's. The comparison assumes that the database read
     * its clock halfway through the round trip.
     *
     * @return the difference
     */
    public Duration clockSkew() {
        return new Records(database).clockSkew(clock);
    }

    /**
     * Deletes terminal records past their retention, batch by batch, with {@link Idempotency#purgeExpired}.
     *
     * @param batch the maximum number of records per statement
     * @param batches the maximum number of batches
     * @return how many were deleted
     * @throws RefusedException if a number is not positive
     */
    public long purge(int batch, int batches) {
        if (batch < 1 || batches < 1) {
            throw new RefusedException("A purge needs at least one batch of at least one record.");
        }
        Idempotency<?> idempotency = Idempotency.on(store);
        long deleted = 0;
        for (int done = 0; done < batches; done++) {
            int now = idempotency.purgeExpired(batch);
            deleted += now;
            if (now < batch) {
                break;
            }
        }
        return deleted;
    }

    /**
     * Returns an operation whose results are stored as they are passed, for operators who have a result's bytes but not
     * the application's codec. If the application encrypts or versions its results, resolve them in the application.
     * It has neither a lookup nor a follow-up, so it settles nothing, and ends no attempt that owes a follow-up.
     *
     * @param name the operation's name
     * @return the operation
     */
    public ExternalOperation<byte[]> operation(String name) {
        return Idempotency.on(store)
                .external(name, ResultCodec.<byte[]>of(bytes -> bytes, bytes -> bytes), attempt -> Lookup.notYet())
                .build();
    }

    /**
     * Starts resolving an attempt with an external effect on an operator's decision: {@code
     * administration.attempt(hash).by("ann").because("ticket 42").settle(operation)}.
     *
     * @param hash the hash of its key, or its first 16 digits or more
     * @return the next step
     */
    public AttemptOfHash attempt(String hash) {
        return new AttemptOfHash(this, audit, hash);
    }

    /**
     * Examines the table, its records, and the server's settings as this connection sees them.
     *
     * @return the findings; empty if everything matches the operations reference
     */
    public List<Finding> examineDatabase() {
        return new Examination(database, store, clock).ofDatabase();
    }

    /**
     * Examines the driver's and the pool's settings. The result is meaningful only inside the application, with its
     * data source.
     *
     * @return what was found
     */
    public List<Finding> examineClient() {
        return new Examination(database, store, clock).ofClient();
    }
}
