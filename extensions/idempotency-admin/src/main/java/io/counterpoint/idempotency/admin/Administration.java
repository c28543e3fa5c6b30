package io.counterpoint.idempotency.admin;

import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.admin.Resolution.Verdict;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
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
    private static final int MAX_OPERATOR = 255;

    /** No database's time leaves its bounds with it. */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final JdbcIdempotencyStore store;
    private final Database database;
    private final AuditTrail audit;
    private final Clock clock;

    private Administration(JdbcIdempotencyStore store, Database database, AuditTrail audit, Clock clock) {
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
                new Database(dataSource, RecordTable.parse(table)),
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
            throw new RefusedException("A hash has 16 to 64 lower-case hexadecimal digits.");
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
            throw new RefusedException("A list needs a limit of at least 1 and a time of at least 0.");
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
            int now = idempotency.purgeExpired(batch);
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
     * Runs the lookup of an attempt with an external effect now, and ends the attempt accordingly, its follow-up included.
     * Where the lookup does not know yet, nothing changes, and the outcome is {@code InProgress}.
     *
     * @param hash the hash of its key, or its first 16 digits or more
     * @param operation its operation, as the application defines it
     * @param operator who asks for it
     * @param reason why
     * @return what retries get from now on
     * @throws RefusedException if something is missing or does not fit; nothing was changed
     * @throws NotFoundException if there is no such record
     * @throws io.counterpoint.idempotency.IdempotencyException if the lookup or the follow-up failed, or the end is not known
     */
    public Answered settle(String hash, Resolvable<?> operation, String operator, String reason) {
        return resolve(
                hash,
                operation,
                Verdict.SETTLE,
                operator,
                reason,
                key -> operation.settle(key).map(Administration::nameOf));
    }

    /**
     * Ends an attempt with an external effect: the effect is there. The follow-up runs, if one is owed.
     *
     * @param <R> the type of the result
     * @param hash the hash of its key, or its first 16 digits or more
     * @param operation its operation
     * @param result the result; empty where the record has it, since the attempt was planned or its effect is known, and
     *     only there
     * @param operator who says so
     * @param reason how they know
     * @return what retries get from now on
     * @throws RefusedException if something is missing or does not fit; nothing was changed
     * @throws NotFoundException if there is no such record
     * @throws io.counterpoint.idempotency.IdempotencyException if the end is not known
     */
    public <R> Answered resolveSucceeded(
            String hash, Resolvable<R> operation, Optional<R> result, String operator, String reason) {
        StoredRecord record = find(hash).orElseThrow(NotFoundException::new);
        boolean known = record.isPending() && isOf(operation, record) && operation.knowsResult(record.key());
        if (record.isPending() && known == result.isPresent()) {
            throw new RefusedException(
                    known
                            ? "The record has the result, since the attempt was planned or its effect is known: give none."
                                    + " Nothing was changed."
                            : "The record has no result: give it, as the operation's codec writes it."
                                    + " Nothing was changed.");
        }
        return resolve(
                hash,
                operation,
                Verdict.SUCCEEDED,
                operator,
                reason,
                key -> result.map(it -> operation.resolveSucceeded(key, it))
                        .orElseGet(() -> operation.resolvePlanned(key))
                        .map(Administration::nameOf));
    }

    /**
     * Ends an attempt with an external effect: there is none, and there never will be. Retries get the failure
     * {@code resolved-by-operator} with the reason, which must hold no secret.
     *
     * @param hash the hash of its key, or its first 16 digits or more
     * @param operation its operation
     * @param operator who says so
     * @param reason how they know
     * @return what retries get from now on
     * @throws RefusedException if something is missing or does not fit; nothing was changed
     * @throws NotFoundException if there is no such record
     * @throws io.counterpoint.idempotency.IdempotencyException if the end is not known
     */
    public Answered resolveFailed(String hash, Resolvable<?> operation, String operator, String reason) {
        Failure failure = new Failure("resolved-by-operator", reason);
        return resolve(
                hash,
                operation,
                Verdict.FAILED,
                operator,
                reason,
                key -> operation.resolveFailed(key, failure).map(Administration::nameOf));
    }

    private Answered resolve(
            String hash,
            Resolvable<?> operation,
            Verdict verdict,
            String operator,
            String reason,
            Function<IdempotencyKey, Optional<String>> resolve) {
        requireText("an operator", operator, MAX_OPERATOR);
        requireText("a reason", reason, Failure.MAX_MESSAGE_LENGTH);
        StoredRecord record = find(hash).orElseThrow(NotFoundException::new);
        String name = record.key().operation();
        if (!isOf(operation, record)) {
            throw new RefusedException("The record is of operation " + name + ", and the resolution of another one.");
        }
        if (!record.isResolvable()) {
            throw new RefusedException("Only external attempts are resolved by hand. "
                    + (record.isPending() ? "The next call of this key ends it." : "This one has ended."));
        }
        Resolution resolution = new Resolution(UUID.randomUUID(), record.key().hash(), name, verdict, operator, reason);
        audit.asked(resolution);
        String outcome;
        try {
            outcome = resolve.apply(record.key()).orElseThrow(NotFoundException::new);
        } catch (MisuseException refused) {
            throw new RefusedException(refused.getMessage() + " Nothing was changed.", refused);
        }
        Answered answered = new Answered(resolution, outcome);
        audit.answered(answered);
        return answered;
    }

    private static void requireText(String what, String text, int longest) {
        if (text.trim().isEmpty() || text.length() > longest) {
            throw new RefusedException(
                    "A resolution needs " + what + " of 1 to " + longest + " characters, and not a blank one.");
        }
        if (text.chars().anyMatch(Administration::endsOrRewritesALine)) {
            throw new RefusedException("A resolution needs " + what
                    + " without control characters: it would be more than one line where it is logged.");
        }
    }

    private static boolean endsOrRewritesALine(int character) {
        return character < ' ' || (character >= 0x7F && character < 0xA0) || character == 0x2028 || character == 0x2029;
    }

    private static boolean isOf(Resolvable<?> operation, StoredRecord record) {
        return operation.name().equals(record.key().operation());
    }

    /** What retries get: what is healed now is replayed to them. */
    private static String nameOf(Outcome<?> outcome) {
        return outcome instanceof Outcome.Healed
                ? "Replayed"
                : outcome.getClass().getSimpleName();
    }

    /**
     * Examines the table, its records, and the server's settings as this connection has them.
     *
     * @return what was found; empty where all is as the page on operations asks
     */
    public List<Finding> examineDatabase() {
        return new Examination(database, store, clock).ofDatabase();
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
}
