package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.StoreException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * Lets operators inspect and administer the records of one table in PostgreSQL, H2, MariaDB or MySQL. Immutable and
 * thread-safe. Each method borrows one connection at a time. Only purges and resolutions change anything.
 *
 * <p>Any method throws {@link DatabaseException} if the database does not respond, and {@link RefusedException} if it
 * is none of these databases.
 */
public final class Administration {

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{16,64}");

    /** A limit that keeps time computations within the range of any database. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    /** The largest result that any application can allow; the limit of this one is not known here. */
    private static final int LARGEST_RESULT = 16 << 20;

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
     * Returns the administration of a table, without contacting the database.
     *
     * @param dataSource the data source
     * @param table the table's name, with or without a schema
     * @param audit records resolutions
     * @return the administration
     * @throws IllegalArgumentException if the name does not consist of plain identifiers
     */
    public static Administration of(DataSource dataSource, String table, AuditTrail audit) {
        return new Administration(
                JdbcIdempotencyStore.builder(dataSource).table(table).build(),
                new AdministeredDatabase(dataSource, RecordTable.parse(table)),
                audit,
                Clock.systemUTC());
    }

    /**
     * Returns this administration with a different clock to compare with the database's.
     *
     * @param other the clock of this machine
     * @return the administration
     */
    public Administration withClock(Clock other) {
        return new Administration(store, database, audit, other);
    }

    /**
     * Returns the table.
     *
     * @return its name, including the schema if there is one
     */
    public String table() {
        return database.table().toString();
    }

    /**
     * Finds the record of a key.
     *
     * @param key the key
     * @return its record, if there is one
     */
    public Optional<StoredRecord> find(IdempotencyKey key) {
        return new Records(database).find(key);
    }

    /**
     * Finds the record by a hash, as shown after the {@code #} in messages and logs. This reads the keys of the whole
     * table.
     *
     * @param hash the hash, or at least its first 16 digits
     * @return the record, if there is one
     * @throws RefusedException if it is not a hash, or the hashes of several keys begin with these digits
     */
    public Optional<StoredRecord> find(String hash) {
        if (!HASH.matcher(hash).matches()) {
            throw new RefusedException("A hash must be 16 to 64 lower-case hexadecimal digits.");
        }
        return new Records(database).find(hash);
    }

    /**
     * Lists the unsettled attempts, oldest change first. An attempt is abandoned once it has been unchanged for longer
     * than the grace period of its operation. This reads the whole table, because no index contains the state.
     *
     * @param unchangedFor how long they must have been unchanged
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
     * Counts all records by reading the whole table once.
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
     * Returns how far the database's clock is ahead of this machine's, assuming that it was read in the middle of the
     * query.
     *
     * @return the difference
     */
    public Duration clockSkew() {
        return new Records(database).clockSkew(clock);
    }

    /**
     * Deletes terminal records past their retention in batches, with {@link Idempotency#purgeExpired}.
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
            int now = ofStore(() -> idempotency.purgeExpired(batch));
            deleted += now;
            if (now < batch) {
                break;
            }
        }
        return deleted;
    }

    /**
     * Returns an operation that stores results verbatim, for operators who have a result's bytes but not the
     * application's codec. If the application encrypts or versions its results, resolve attempts in the application
     * instead. The operation has neither a lookup nor a follow-up, so it cannot settle attempts or resolve those with
     * an outstanding follow-up.
     *
     * @param name the operation's name
     * @return the operation
     */
    public ExternalOperation<byte[]> operation(String name) {
        return Idempotency.on(store)
                .external(name, ResultCodec.<byte[]>of(bytes -> bytes, bytes -> bytes), attempt -> Lookup.notYet())
                .maxResultBytes(LARGEST_RESULT)
                .build();
    }

    /**
     * Begins the resolution of an attempt with an external effect: {@code
     * administration.attempt(hash).by("ann").because("ticket 42").settle(operation)}.
     *
     * @param hash the hash of its key, or at least its first 16 digits
     * @return the next step
     */
    public AttemptOfHash attempt(String hash) {
        return new AttemptOfHash(this, audit, hash);
    }

    /**
     * Examines the table, its records, and the server's settings as seen by this connection.
     *
     * @return the findings; empty if everything is as documented
     */
    public List<Finding> examineDatabase() {
        return ofStore(new Examination(database, store, clock)::ofDatabase);
    }

    /**
     * Examines the settings of the driver and the pool. This is meaningful for the application only if it runs inside
     * the application, on its data source.
     *
     * @return the findings
     */
    public List<Finding> examineClient() {
        return new Examination(database, store, clock).ofClient();
    }

    /** The store's own exception means what {@link DatabaseException} means here. */
    private static <T> T ofStore(Supplier<T> answer) {
        try {
            return answer.get();
        } catch (StoreException thrown) {
            throw new DatabaseException(thrown);
        }
    }
}
