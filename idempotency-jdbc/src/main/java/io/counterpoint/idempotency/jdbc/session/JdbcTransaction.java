package io.counterpoint.idempotency.jdbc.session;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.CombinedStatements;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.InsertResult;
import io.counterpoint.idempotency.jdbc.spi.LockedRecord;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.jdbc.spi.RecordRow;
import io.counterpoint.idempotency.jdbc.spi.TransactionName;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The steps of one transaction on one connection, and its end. The statements are the dialect's. */
public final class JdbcTransaction implements RecordSteps {

    private final LentConnection<?> lent;
    private final @Nullable TransactionEnd end;
    private final Dialect dialect;
    private final StoreOptions options;
    private final boolean keepsEveryInsert;

    /** The database's name for the transaction in which the record was claimed or locked, required by the mark. */
    private Optional<TransactionName> transaction = Optional.empty();

    /** A lock that this transaction holds from the start, until it is requested. */
    private Optional<LockedRecord> held;

    /** Without an end, each step is its own transaction. Otherwise the transaction may begin with a lock. */
    public JdbcTransaction(
            LentConnection<?> lent,
            @Nullable TransactionEnd end,
            StoreOptions options,
            Optional<LockedRecord> lock,
            boolean keepsEveryInsert) {
        this.lent = lent;
        this.end = end;
        this.dialect = lent.dialect;
        this.options = options;
        this.held = lock;
        this.keepsEveryInsert = keepsEveryInsert;
    }

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        ClaimOptions terms = terms(retention, lockWait, durability).in(transaction);
        return first("claim", record.key(), () -> {
            InsertResult inserted = lent.first(() -> dialect.insert(lent.connection, record, terms));
            if (inserted.inserted()) {
                transaction = inserted.transaction();
                return Optional.empty();
            }
            return found(dialect.read(lent.connection, record.key()), record.key());
        });
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        return step("read", keys.get(0), () -> dialect.readAll(lent.connection, Set.copyOf(keys)));
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> claimAll(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        ClaimOptions terms = terms(retention, lockWait, Durability.DURABLE).in(transaction);
        return first("claim", records.get(0).key(), () -> {
            Map<IdempotencyKey, InsertResult> results =
                    lent.first(() -> dialect.insertAll(lent.connection, records, terms));
            Set<IdempotencyKey> present = results.entrySet().stream()
                    .filter(result -> !result.getValue().inserted())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
            Map<IdempotencyKey, IdempotencyRecord> read =
                    present.isEmpty() ? Map.of() : dialect.readAll(lent.connection, present);
            present.forEach(key -> found(Optional.ofNullable(read.get(key)), key));
            transaction = transaction.or(() -> results.values().stream()
                    .flatMap(result -> result.transaction().stream())
                    .findFirst());
            return read;
        });
    }

    private boolean isAlone() {
        return end == null;
    }

    /** The options for a claim in this transaction. */
    public ClaimOptions terms(Duration retention, Duration lockWait, Durability durability) {
        boolean mayBeLost = isAlone() && options.relaxedClaims() && durability == Durability.ASYNCHRONOUS;
        ClaimOptions terms = new ClaimOptions(retention, lockWait, isAlone(), mayBeLost);
        return options.boundedBySession() && !isAlone() ? terms.boundBySession() : terms;
    }

    /** The record that a claim has found. */
    static Optional<IdempotencyRecord> found(Optional<IdempotencyRecord> record, IdempotencyKey key) {
        if (record.isEmpty()) {
            throw new StoreException(
                    key + ": its record existed when it was claimed, but not when it was read", Fault.CONFLICT, null);
        }
        return record;
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return step("read", key, () -> dialect.read(lent.connection, key));
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return step("lock", key, () -> {
            Optional<LockedRecord> found =
                    held.filter(lock -> lock.record().key().equals(key));
            held = Optional.empty();
            if (found.isEmpty()) {
                found = dialect.lock(lent.connection, key, lockWait, transaction);
            }
            transaction = found.map(LockedRecord::transaction).or(() -> transaction);
            return found.map(LockedRecord::record);
        });
    }

    /** Only the last step checks whether the transaction has ended earlier, because a dialect may use up the name. */
    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return change("mark as succeeded", RecordChange.SUCCEED, key, token, RecordRow.bytes(result), null);
    }

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        return change("mark as failed", RecordChange.FAIL, key, token, failure.code(), failure.message());
    }

    @Override
    public boolean release(IdempotencyKey key, UUID token) {
        return change("release", RecordChange.RELEASE, key, token);
    }

    @Override
    public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
        return change("replace the token of", RecordChange.REPLACE_TOKEN, key, token, fresh);
    }

    @Override
    public boolean changeProtocol(
            IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
        return change(
                "change the protocol of",
                RecordChange.CHANGE_PROTOCOL,
                key,
                token,
                fresh,
                RecordRow.code(protocol),
                RecordRow.bytes(plan));
    }

    @Override
    public boolean confirm(IdempotencyKey key, UUID token) {
        return step("confirm", key, () -> dialect.confirm(lent.connection, key, token, isAlone()));
    }

    private boolean change(
            String doing, RecordChange change, IdempotencyKey key, UUID token, @Nullable Object... values) {
        return step(doing, key, () -> dialect.change(lent.connection, change, key, token, isAlone(), values));
    }

    // ---- the last step -------------------------------------------------------------------------------------------

    @Override
    public LastStep.Result commitWith(LastStep step) {
        TransactionEnd ends = end;
        if (ends == null) {
            throw new IllegalStateException("A step outside a transaction has no last step.");
        }
        if (ends.isEndedByWork()) {
            return LastStep.Result.ENDED;
        }
        Ending ending = step.fold(
                this::succeed,
                this::succeedAll,
                this::requireNotEnded,
                one -> insert(List.of(one.record()), one.retention(), one.lockWait()),
                all -> insert(all.records(), all.retention(), all.lockWait()));
        boolean marks = step instanceof LastStep.Succeed || step instanceof LastStep.SucceedAll;
        LastStep.Result result = ends.commit(ending, marks ? LastStep.Result.NOT_MINE : LastStep.Result.ENDED);
        if (result != LastStep.Result.DONE) {
            lent.endedByWork();
        }
        return result;
    }

    private Ending after(String doing, IdempotencyKey key, Sql.Step<Boolean> step) {
        return Ending.after(() -> step(doing, key, step), lent);
    }

    private Ending succeed(LastStep.Succeed one) {
        IdempotencyKey key = one.key();
        return step("mark as succeeded", key, () -> {
            Optional<CombinedStatements> combined = combinedIfNamed();
            if (combined.isEmpty() || !combined.get().marksWithCommit(lent.connection)) {
                return after("mark as succeeded", key, () -> isMarked(one));
            }
            TransactionName name = transaction.orElseThrow();
            return new Ending.StepWithCommit(
                    () -> combined.get().succeedAndCommit(lent.connection, key, one.token(), one.result(), name), key);
        });
    }

    private boolean isMarked(LastStep.Succeed one) throws SQLException {
        Object[] values = {
            RecordRow.bytes(one.result()),
            transaction.map(TransactionName::text).orElse(null)
        };
        return dialect.change(lent.connection, RecordChange.SUCCEED, one.key(), one.token(), false, values);
    }

    private Ending succeedAll(LastStep.SucceedAll all) {
        List<LastStep.Success> successes = all.successes();
        TransactionName name = transaction.orElse(null);
        return after(
                "mark as succeeded",
                successes.get(0).key(),
                () -> dialect.succeedAll(lent.connection, successes, name));
    }

    private Ending requireNotEnded(LastStep.RequireNotEnded none) {
        return step("check", none.key(), () -> {
            Optional<CombinedStatements> combined = combinedIfNamed();
            if (combined.isEmpty()) {
                return after("check", none.key(), () -> !isEndedByName());
            }
            TransactionName name = transaction.orElseThrow();
            return new Ending.StepWithCommit(() -> combined.get().checkAndCommit(lent.connection, name), null);
        });
    }

    /** The records that a transaction inserts last, whether it is one or many. */
    private Ending insert(List<IdempotencyRecord> records, Duration retention, Duration lockWait) {
        IdempotencyKey key = records.get(0).key();
        if (!keepsEveryInsert) {
            throw new MisuseException(
                    key + ": a record can be inserted last only into a checked table that is qualified with its"
                            + " schema, found " + dialect.table() + ".");
        }
        ClaimOptions terms = terms(retention, lockWait, Durability.DURABLE);
        return step("insert", key, () -> {
            Optional<CombinedStatements> combined =
                    lent.combinedAtEnd().filter(statements -> statements.insertsTogether(records.size()));
            if (combined.isEmpty()) {
                return after("insert", key, () -> areInserted(records, terms));
            }
            if (transaction.isEmpty() && lent.isEndedForDriver()) {
                return after("insert", key, () -> false);
            }
            return new Ending.StepWithCommit(
                    () -> combined.get().insertAndCommit(lent.connection, records, terms.in(transaction)), key);
        });
    }

    private boolean areInserted(List<IdempotencyRecord> records, ClaimOptions terms) throws SQLException {
        if (isEndedByName() || (lent.managed != null && lent.isEndedForDriver())) {
            return false;
        }
        if (!dialect.insertEach(lent.connection, records, terms.in(transaction))) {
            throw new StoreException(
                    "There is already a record with one of the keys that begin with "
                            + records.get(0).key(),
                    Fault.STATEMENT_REFUSED,
                    null);
        }
        return true;
    }

    private boolean isEndedByName() throws SQLException {
        return transaction.isPresent() && !dialect.isTransaction(lent.connection, transaction.get());
    }

    /** The statements that commit together with a last step that requires the transaction's name. */
    private Optional<CombinedStatements> combinedIfNamed() throws SQLException {
        return transaction.isEmpty() ? Optional.empty() : lent.combinedAtEnd();
    }

    /**
     * Work that has sent nothing has ended nothing. Use of a managed transaction that bypasses the handle is not
     * detected.
     */
    @Override
    public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
        if (isAlone() || (lent.managed == null && !lent.guard().mayHaveExecuted())) {
            return false;
        }
        if (lent.isEndedForManager()) {
            return true;
        }
        lent.endWork();
        boolean ended = lent.isBlocked()
                || lent.watched(() -> step(
                        "ask for the transaction of",
                        key,
                        () -> transaction.isEmpty()
                                ? lent.isEndedForDriver()
                                : dialect.hasEnded(
                                        lent.connection,
                                        transaction.get(),
                                        SqlErrorClassifier.classify(thrown, dialect))));
        if (ended) {
            lent.endedByWork();
        }
        return ended;
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {
        transaction = first("begin without", key, () -> lent.first(() -> dialect.beginNamed(lent.connection)));
    }

    @Override
    public boolean takeTurn(IdempotencyKey key) {
        return !options.turns() || step("take the turn of", key, () -> Turn.take(lent.connection, dialect, key));
    }

    @Override
    public Optional<IdempotencyRecord> readWithoutTurn(IdempotencyKey key) {
        return step("read", key, () -> {
            Optional<CombinedStatements> combined = lent.combined();
            return combined.isPresent()
                    ? combined.get().readAndEnd(lent.connection, key)
                    : dialect.read(lent.connection, key);
        });
    }

    private <T> T step(String doing, IdempotencyKey key, Sql.Step<T> step) {
        lent.begun();
        return first(doing, key, step);
    }

    /** Runs a step that may begin the transaction. */
    private <T> T first(String doing, IdempotencyKey key, Sql.Step<T> step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreFailures.of(key, doing, dialect, lent.connection, thrown);
        }
    }
}
