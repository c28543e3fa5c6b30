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
import io.counterpoint.idempotency.spi.BeforeCommitException;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The steps of one transaction on one connection, and its end. The statements are the dialect's. */
public final class JdbcTransaction implements RecordSteps {

    private final LentConnection<?> lent;
    private final Dialect dialect;
    private final Connection connection;
    private final boolean autoCommit;
    private final StoreOptions options;
    private final boolean keepsEveryInsert;

    /** The connection, where a transaction manager ends the transaction. */
    private final @Nullable ManagedConnection managed;

    /** The database's name for the transaction in which the record was claimed or locked, for the mark to demand. */
    private Optional<TransactionName> transaction = Optional.empty();

    /** A lock that this transaction has from the start, until it is asked for. */
    private Optional<LockedRecord> held;

    private boolean mayBeSent;
    private boolean refused;
    private boolean over;

    /** Why the commit failed. */
    private @Nullable Throwable failed;

    /** What callbacks threw after the commit. */
    private @Nullable Throwable afterCommit;

    /** With {@code autoCommit} each step is a transaction of its own. Else it may begin with a lock. */
    public JdbcTransaction(
            LentConnection<?> lent,
            boolean autoCommit,
            StoreOptions options,
            Optional<LockedRecord> lock,
            boolean keepsEveryInsert) {
        this.lent = lent;
        this.dialect = lent.dialect;
        this.connection = lent.connection;
        this.autoCommit = autoCommit;
        this.options = options;
        this.held = lock;
        this.keepsEveryInsert = keepsEveryInsert;
        this.managed = lent.managed;
    }

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        ClaimOptions terms = terms(retention, lockWait, durability).in(transaction);
        return step("claim", record.key(), () -> {
            InsertResult inserted = dialect.insert(connection, record, terms);
            if (inserted.inserted()) {
                transaction = inserted.transaction();
                return Optional.empty();
            }
            return found(dialect.read(connection, record.key()), record.key());
        });
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        return step("read", keys.get(0), () -> dialect.readAll(connection, Set.copyOf(keys)));
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> claimAll(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        ClaimOptions terms = terms(retention, lockWait, Durability.DURABLE).in(transaction);
        return step("claim", records.get(0).key(), () -> {
            Map<IdempotencyKey, InsertResult> results = dialect.insertAll(connection, records, terms);
            Set<IdempotencyKey> present = results.entrySet().stream()
                    .filter(result -> !result.getValue().inserted())
                    .map(Map.Entry::getKey)
                    .collect(Collectors.toSet());
            Map<IdempotencyKey, IdempotencyRecord> read =
                    present.isEmpty() ? Map.of() : dialect.readAll(connection, present);
            present.forEach(key -> found(Optional.ofNullable(read.get(key)), key));
            transaction = transaction.or(() -> results.values().stream()
                    .flatMap(result -> result.transaction().stream())
                    .findFirst());
            return read;
        });
    }

    /** How a claim in this transaction is to be made. */
    public ClaimOptions terms(Duration retention, Duration lockWait, Durability durability) {
        boolean mayBeLost = autoCommit && options.relaxedClaims() && durability == Durability.ASYNCHRONOUS;
        ClaimOptions terms = new ClaimOptions(retention, lockWait, autoCommit, mayBeLost);
        return options.boundedBySession() && !autoCommit ? terms.boundBySession() : terms;
    }

    /** The record that a claim has met. */
    static Optional<IdempotencyRecord> found(Optional<IdempotencyRecord> record, IdempotencyKey key) {
        if (record.isEmpty()) {
            throw new StoreException(
                    key + ": there was a record when it was claimed, and none when it was read", Fault.CONFLICT, null);
        }
        return record;
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return step("read", key, () -> dialect.read(connection, key));
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return step("lock", key, () -> {
            Optional<LockedRecord> found =
                    held.filter(lock -> lock.record().key().equals(key));
            held = Optional.empty();
            if (found.isEmpty()) {
                found = dialect.lock(connection, key, lockWait, transaction);
            }
            transaction = found.map(LockedRecord::transaction).or(() -> transaction);
            return found.map(LockedRecord::record);
        });
    }

    /** Whether the transaction has ended before is asked by its last step, since a dialect may use up the name. */
    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        return succeed(key, token, result, Optional.empty());
    }

    private boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result, Optional<TransactionName> name) {
        return change(
                "mark as succeeded",
                RecordChange.SUCCEED,
                key,
                token,
                RecordRow.bytes(result),
                name.map(TransactionName::text).orElse(null));
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
        return step("confirm", key, () -> dialect.confirm(connection, key, token, autoCommit));
    }

    private boolean change(
            String doing, RecordChange change, IdempotencyKey key, UUID token, @Nullable Object... values) {
        return step(doing, key, () -> dialect.change(connection, change, key, token, autoCommit, values));
    }

    // ---- the last step -------------------------------------------------------------------------------------------

    @Override
    public LastStep.Result commitWith(LastStep step) {
        if (autoCommit) {
            throw new IllegalStateException("A step that is alone has no last step.");
        }
        lent.endWork();
        if (managed != null && managed.hasEnded()) {
            refused = true;
            return LastStep.Result.ENDED;
        }
        return step.fold(
                this::succeed, all -> succeedAll(all.successes()), none -> requireNotEnded(none.key()), this::insert);
    }

    private LastStep.Result succeed(LastStep.Succeed one) {
        IdempotencyKey key = one.key();
        Optional<CombinedStatements> combined = transaction.isEmpty() ? Optional.empty() : marksWithCommit(key);
        if (combined.isEmpty()) {
            return commitAfter(() -> succeed(key, one.token(), one.result(), transaction), LastStep.Result.NOT_MINE);
        }
        TransactionName name = transaction.orElseThrow();
        return commitTogether(
                () -> combined.get().succeedAndCommit(connection, key, one.token(), one.result(), name),
                LastStep.Result.NOT_MINE,
                () -> key + ": could not commit");
    }

    private LastStep.Result succeedAll(List<LastStep.Success> successes) {
        TransactionName name = transaction.orElse(null);
        return commitAfter(
                () -> step(
                        "mark as succeeded",
                        successes.get(0).key(),
                        () -> dialect.succeedAll(connection, successes, name)),
                LastStep.Result.NOT_MINE);
    }

    private LastStep.Result requireNotEnded(IdempotencyKey key) {
        Optional<CombinedStatements> combined =
                transaction.isEmpty() ? Optional.empty() : step("check", key, lent::combined);
        if (combined.isEmpty()) {
            return commitAfter(
                    () -> transaction.isEmpty() || !step("check", key, this::isEndedByName), LastStep.Result.ENDED);
        }
        TransactionName name = transaction.orElseThrow();
        return commitTogether(
                () -> combined.get().checkAndCommit(connection, name), LastStep.Result.ENDED, () -> "Could not commit");
    }

    private LastStep.Result insert(LastStep.Insert insert) {
        IdempotencyRecord record = insert.record();
        IdempotencyKey key = record.key();
        requireEveryInsertIsKept(key);
        ClaimOptions options = terms(insert.retention(), insert.lockWait(), Durability.DURABLE);
        Optional<CombinedStatements> combined = step("insert", key, lent::combined);
        if (combined.isPresent()) {
            if (step("insert", key, this::isEndedByTheDriver)) {
                return commitAfter(() -> false, LastStep.Result.ENDED);
            }
            return commitTogether(
                    () -> combined.get().insertAndCommit(connection, record, options),
                    LastStep.Result.ENDED,
                    () -> key + ": could not commit");
        }
        return commitAfter(
                () -> {
                    if (step("insert", key, () -> isEndedByName() || (managed != null && isEndedByTheDriver()))) {
                        return false;
                    }
                    if (!step(
                            "insert",
                            key,
                            () -> dialect.insert(connection, record, options.in(transaction))
                                    .inserted())) {
                        throw new StoreException(key + ": there is a record", Fault.STATEMENT_REFUSED, null);
                    }
                    return true;
                },
                LastStep.Result.ENDED);
    }

    private boolean isEndedByName() throws SQLException {
        return transaction.isPresent() && !dialect.isTransaction(connection, transaction.get());
    }

    private Optional<CombinedStatements> marksWithCommit(IdempotencyKey key) {
        return step("mark as succeeded", key, () -> {
            Optional<CombinedStatements> combined = lent.combined();
            return combined.isPresent() && combined.get().marksWithCommit(connection) ? combined : Optional.empty();
        });
    }

    /** Work that has sent nothing has ended nothing. What uses a managed transaction past the handle is not seen. */
    @Override
    public boolean hasEnded(IdempotencyKey key, Throwable thrown) {
        if (autoCommit || (managed == null && !lent.guard().mayHaveExecuted())) {
            return false;
        }
        if (managed != null && managed.hasEnded()) {
            return true;
        }
        lent.endWork();
        return lent.watched(() -> step("ask for the transaction of", key, () -> {
            if (transaction.isEmpty()) {
                return isEndedByTheDriver();
            }
            Fault fault = SqlErrorClassifier.classify(thrown, dialect);
            return dialect.hasEnded(connection, transaction.get(), fault);
        }));
    }

    @Override
    public void beginUnclaimed(IdempotencyKey key) {
        transaction = step("begin without", key, () -> dialect.beginNamed(connection));
    }

    private void requireEveryInsertIsKept(IdempotencyKey key) {
        if (!keepsEveryInsert) {
            throw new MisuseException(key + ": a record is inserted last only into a checked table that is named"
                    + " with its schema, found " + dialect.table() + ".");
        }
    }

    /** Where the driver knows. It has begun no transaction where the work has sent nothing. */
    private boolean isEndedByTheDriver() throws SQLException {
        return lent.guard().hasExecuted()
                && !connection.isClosed()
                && dialect.combined(connection).isPresent()
                && !dialect.hasBegun(connection);
    }

    private <T> T step(String doing, IdempotencyKey key, Sql.Step<T> step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreFailures.of(key, doing, dialect, connection, thrown);
        }
    }

    // ---- the one commit, alone or with the last step in the same message -----------------------------------------

    /** Whether nothing may follow: the commit was answered, or it failed. */
    boolean isOver() {
        return over;
    }

    boolean mayBeSent() {
        return mayBeSent;
    }

    Optional<Throwable> afterCommitFailure() {
        return Optional.ofNullable(afterCommit);
    }

    /** Ends a transaction whose body has returned. */
    void bodyReturned() {
        if (failed != null) {
            throw new IllegalStateException("The commit has failed, and the body returned.", failed);
        }
        if (refused) {
            lent.rollback(new IllegalStateException("The last step was refused, and the body returned."));
        } else if (!over) {
            commitAlone();
        }
    }

    /** Commits what has sent its last step before, or has none. */
    private void commitAlone() {
        ManagedConnection manager = managed;
        boolean unused = commit(
                manager == null ? Optional.empty() : Optional.of(() -> isCommitted(manager, () -> true)),
                () -> "Could not commit");
    }

    /**
     * Commits with a last step.
     *
     * @param step sends both, and returns false if the database has refused the step, and so the commit
     * @param otherwise the answer then
     * @param doing what its failure is called in messages; made where it fails, since a key's name is a digest
     */
    private LastStep.Result commitTogether(Sql.Step<Boolean> step, LastStep.Result otherwise, Supplier<String> doing) {
        return commit(Optional.of(step), doing) ? LastStep.Result.DONE : otherwise;
    }

    /** Commits if the last step was done, and nothing otherwise. A transaction manager asks for it in its commit. */
    private LastStep.Result commitAfter(BooleanSupplier last, LastStep.Result otherwise) {
        ManagedConnection manager = managed;
        if (manager != null) {
            return commitTogether(() -> isCommitted(manager, last), otherwise, () -> "Could not commit");
        }
        if (!last.getAsBoolean()) {
            refused = true;
            return otherwise;
        }
        commitAlone();
        return LastStep.Result.DONE;
    }

    private boolean isCommitted(ManagedConnection manager, BooleanSupplier last) throws SQLException {
        ManagedConnection.Ended ended = manager.commitAfter(last);
        if (ended.committed()) {
            afterCommit = ended.afterCommit();
            CommitWarning.requireNone(ended.warning(), dialect::isHarmless);
        }
        return ended.committed();
    }

    private boolean commit(Optional<Sql.Step<Boolean>> step, Supplier<String> doing) {
        if (over || refused) {
            throw new IllegalStateException("The transaction has its last step already.");
        }
        lent.endWork();
        requireCommittable();
        SQLException warned;
        try {
            connection.clearWarnings();
            mayBeSent = true;
            warned = send(step);
        } catch (SQLException thrown) {
            StoreException unanswered = lent.watched(() -> StoreFailures.of(doing.get(), dialect, connection, thrown));
            throw failed(unanswered);
        } catch (RuntimeException thrown) {
            mayBeSent &= !(thrown instanceof BeforeCommitException);
            throw failed(thrown);
        } catch (Error thrown) {
            lent.struckByError();
            throw failed(thrown);
        }
        if (refused) {
            mayBeSent = false;
            return false;
        }
        over = true;
        try {
            lent.committed();
        } catch (RuntimeException | Error thrown) {
            afterCommit = thrown;
        }
        if (warned != null) {
            StoreException inDoubt = StoreFailures.of(
                    "The database answered the commit with a warning", Fault.CONNECTION_LOST, dialect, warned);
            failed = inDoubt;
            throw inDoubt;
        }
        return true;
    }

    private <X extends Throwable> X failed(X thrown) {
        over = true;
        failed = thrown;
        lent.rollback(thrown);
        return thrown;
    }

    private void requireCommittable() {
        try {
            dialect.requireCommittable(connection);
        } catch (SQLException thrown) {
            throw StoreFailures.of("The transaction cannot be committed", dialect, connection, thrown);
        }
    }

    /**
     * Commits.
     *
     * @return the warning that leaves it in doubt, if there was one
     */
    private @Nullable SQLException send(Optional<Sql.Step<Boolean>> step) throws SQLException {
        try {
            if (step.isEmpty()) {
                connection.commit();
                CommitWarning.requireNone(answered(connection::getWarnings), dialect::isHarmless);
                return null;
            }
            refused = !step.get().run();
        } catch (CommitWarning warning) {
            return warning;
        }
        if (!refused) {
            answered(() -> {
                // Sends nothing, but pools keep books.
                connection.commit();
                return true;
            });
        }
        return null;
    }

    /** A failure after the answer to the commit says nothing of the commit. */
    private <T extends @Nullable Object> T answered(Sql.Step<T> step) {
        try {
            return step.run();
        } catch (SQLException thrown) {
            throw StoreFailures.of(
                    "The commit was answered, and then the connection failed", Fault.CONNECTION_LOST, dialect, thrown);
        }
    }
}
