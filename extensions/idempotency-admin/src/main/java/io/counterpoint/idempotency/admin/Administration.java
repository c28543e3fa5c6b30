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
 * What operators see and do with the records of one table, in PostgreSQL, H2, MariaDB or MySQL. Immutable and thread-safe.
 * Each method borrows one connection at a time. All but a purge and a resolution change nothing.
 *
 * <p>Any method throws {@link DatabaseException} if the database does not answer, and
 * {@link RefusedException} if it is none of those.
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
     * The administration of a table. It asks the database nothing yet.
     *
     * @param dataSource how to reach the database
     * @param table the table's name, with or without a schema
     * @param audit where resolutions are written down
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
     * This administration with another clock, which is compared with the database's.
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
     * The record of a hash, as messages and logs show it behind the {@code #}. It reads the keys of the whole table.
     *
     * @param hash the hash, or its first 16 digits or more
     * @return the record, if there is one
     * @throws RefusedException if it is no hash, or if several keys begin with these digits
     */
    public Optional<StoredRecord> find(String hash) {
        if (!HASH.matcher(hash).matches()) {
            throw new RefusedException("A hash must be 16 to 64 lower-case hexadecimal digits.");
        }
        return new Records(database).find(hash);
    }

    /**
     * The attempts that have not ended, with the oldest change first. An attempt is abandoned once it is unchanged for
     * longer than the grace period of its operation. It reads the whole table, since no index has the state.
     *
     * @param unchangedFor for how long they have not changed
     * @param limit the most records
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
     * How far the database's clock is ahead of this machine's. The answer is from the middle of the question.
     *
     * @return the difference
     */
    public Duration clockSkew() {
        return new Records(database).clockSkew(clock);
    }

    /**
     * Deletes terminal records past their retention, batch by batch, with {@link Idempotency#purgeExpired}.
     *
     * @param batch the most records of one statement
     * @param batches the most batches
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
     * An operation whose results are stored as they are given, for operators who have a result's bytes and not the
     * application's codec. Where the application encrypts or versions its results, resolve them in the application. It has
     * neither a lookup nor a follow-up, so it settles nothing, and ends no attempt that owes a follow-up.
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
     * Begins to end an attempt with an external effect on an operator's word: {@code
     * administration.attempt(hash).by("ann").because("ticket 42").settle(operation)}.
     *
     * @param hash the hash of its key, or its first 16 digits or more
     * @return the next step
     */
    public AttemptOfHash attempt(String hash) {
        return new AttemptOfHash(this, audit, hash);
    }

    /**
     * Examines the table, its records, and the server's settings as this connection has them.
     *
     * @return what was found; empty where all is as the page on operations asks
     */
    public List<Finding> examineDatabase() {
        return ofStore(new Examination(database, store, clock)::ofDatabase);
    }

    /**
     * Examines the driver's and the pool's settings. It says something about the application only where it runs inside
     * the application, over its data source.
     *
     * @return what was found
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
