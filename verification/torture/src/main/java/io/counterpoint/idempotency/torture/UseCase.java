package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Next;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import io.counterpoint.idempotency.torture.ProviderClient.Declined;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;

/** An operation that inserts a row into a table that would accept a second one, configured according to a mode. */
final class UseCase {

    static final String OPERATION = "put-row";

    /** Brief keys are purged while they are in use. */
    private static final Duration BRIEF_RETENTION = Duration.ofSeconds(2);

    /** Whether this thread's call has written a failure. */
    private static final ThreadLocal<Boolean> HAS_FAILED = ThreadLocal.withInitial(() -> false);

    /** The call for which a thread works: lookups and follow-ups get no script of their own. */
    private static final ThreadLocal<WorkStep> SCRIPT = new ThreadLocal<>();

    private static final Duration RETENTION = Duration.ofDays(1);

    /** The maximum number of records per purge. */
    private static final int BATCH = 100;

    private final Mode mode;
    private final Optional<Mutant> mutant;
    private final Idempotency<Handle> idempotency;
    private final Jdbi effects;
    private final ProviderClient provider;
    private final Call patient;
    private final Call impatient;
    private final Call patientBrief;
    private final Call impatientBrief;
    private final Optional<Batches> batches;

    /**
     * {@code schema} is where the connections of {@code records} find the tables. {@code effectsUrl} is the address of
     * the provider, in modes that have one.
     */
    UseCase(
            Mode mode,
            Optional<Mutant> mutant,
            DataSource records,
            String schema,
            DataSource effects,
            String effectsUrl) {
        this.mode = mode;
        this.mutant = mutant;
        this.idempotency = Idempotency.builder(
                        mutated(mode.isOfSpring() ? ofSpring(records, mutant) : store(mode, records, schema)))
                .listener(IdempotencyListener.on(IdempotencyEvent.Failed.class, event -> HAS_FAILED.set(true)))
                .build();
        this.effects = Jdbi.create(effects);
        this.provider = new ProviderClient(effectsUrl);
        this.patient = operation(RETENTION, true);
        this.impatient = operation(RETENTION, false);
        Duration brief = mode.hasBriefKeys() ? BRIEF_RETENTION : RETENTION;
        this.patientBrief = operation(brief, true);
        this.impatientBrief = operation(brief, false);
        this.batches = mode.hasBatches()
                ? Optional.of(new Batches(mode, inDatabase(RETENTION, false).build()))
                : Optional.empty();
    }

    private static IdempotencyStore<Handle> store(Mode mode, DataSource records, String schema) {
        JdbiIdempotencyStore made = JdbiIdempotencyStore.on(records);
        JdbiIdempotencyStore real = mode.recordsLast()
                ? answered(
                        made.toBuilder().table(schema + ".idempotency_record").build()::checkTable)
                : made;
        boolean takesTurns = mode.takesTurns() && ProcessHandle.current().pid() % 3 != 0;
        JdbiIdempotencyStore store = real.toBuilder()
                .durableClaims(mode.hasDurableClaims())
                .durableReplays(mode.hasDurableReplays())
                .turnAcrossProcesses(takesTurns)
                .build();
        return takesTurns ? new LyingTurns<>(store) : store;
    }

    private static IdempotencyStore<Handle> ofSpring(DataSource records, Optional<Mutant> mutant) {
        PlatformTransactionManager manager =
                mutant.filter(Mutant.SPRING_COMMIT_IS_BELIEVED::equals).isPresent()
                        ? new BelievingManager(records)
                        : new JdbcTransactionManager(records);
        return SpringIdempotencyStore.on(manager, records, options -> {}).mapped(Jdbi::open);
    }

    private IdempotencyStore<Handle> mutated(IdempotencyStore<Handle> store) {
        return mutant.map(wrong -> wrong.over(store)).orElse(store);
    }

    /** Retries, because a database under torture does not respond at once. A faulty table remains faulty. */
    private static <T> T answered(Supplier<T> question) {
        for (; ; ) {
            try {
                return question.get();
            } catch (IllegalStateException wrong) {
                throw wrong;
            } catch (RuntimeException unanswered) {
                // The pool timed out waiting for a connection, or lost one.
            }
        }
    }

    private interface Call {
        Outcome<String> answer(Attempt attempt, WorkStep script) throws Exception;
    }

    /** Makes one call. Only errors of the virtual machine are thrown. */
    CallResult call(String request, boolean waits, WorkStep script) {
        Attempt attempt = Attempt.inScope(Key.SCOPE).key(script.key()).request(request);
        boolean brief = Key.isBrief(script.key());
        Call call = waits ? brief ? patientBrief : patient : brief ? impatientBrief : impatient;
        HAS_FAILED.set(false);
        SCRIPT.set(script);
        try {
            return CallResult.of(call.answer(attempt, script));
        } catch (Exception caught) {
            Throwable cause = caught.getCause();
            Throwable thrown = caught instanceof CompletionException && cause != null ? cause : caught;
            CallResult result = CallResult.of(thrown, mode.recordsLast());
            // No record is purged here, and no effect is denied.
            boolean isUnexpected = mode.hasFollowUp()
                    && thrown instanceof OutcomeUnknownException unknown
                    && unknown.reason().next() == Next.INVESTIGATE;
            return isUnexpected ? new CallResult(Answer.UNEXPECTED, result.detail()) : result;
        }
    }

    /** Makes a batch call, and returns the outcomes in order. */
    List<CallResult> callAll(List<Asked> asked, boolean jointly) {
        HAS_FAILED.set(false);
        return batches.orElseThrow().answer(asked, jointly);
    }

    /** Deletes records past their retention, and returns how many. */
    int purge() {
        return idempotency.purgeExpired(BATCH);
    }

    private Call operation(Duration retention, boolean waits) {
        if (mode.hasFollowUp()) {
            return followedUp(retention, waits);
        }
        return mode.isExternal() ? external(retention, waits) : callOf(inDatabase(retention, waits));
    }

    private Operation.Builder<Handle, String> inDatabase(Duration retention, boolean waits) {
        Operation.Builder<Handle, String> builder = idempotency
                .operation(OPERATION, ResultCodec.string())
                .retention(retention)
                .maxRetries(Mode.RETRIES);
        if (!mode.recordsLast()) {
            builder.releaseOn(thrown -> thrown instanceof WorkStep.Busy);
        }
        if (mode.recordsLast()) {
            // After a COMMIT without a reply the key is claimed, and the claim of a killed process remains.
            builder.protocol(Operation.Protocol.RECORD_LAST)
                    .waitAtMost(waits ? Mode.LOCK_WAIT : Mode.WAIT)
                    .whenAbandoned(Operation.Abandoned.FAIL, Mode.GRACE);
        } else if (mode.isSingleTransaction()) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).waitAtMost(waits ? Mode.LOCK_WAIT : Mode.WAIT);
        } else {
            if (waits) {
                builder.waitAtMost(Mode.WAIT);
            }
            if (mode.takesOver()) {
                builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, Mode.GRACE);
            } else {
                builder.whenAbandoned(Operation.Abandoned.FAIL, Mode.GRACE);
            }
        }
        if (mode.looksUpByKey()) {
            builder.lookUpByKey((handle, key) -> find(handle, key.value()));
        }
        return builder;
    }

    private Call callOf(Operation.Builder<Handle, String> builder) {
        if (mode.isPlanned()) {
            return callOf(builder.planned());
        }
        Operation<Handle, String> operation = builder.build();
        return (attempt, script) -> operation.<Exception>execute(attempt, handle -> {
            String result = script.freshResult();
            insert(handle, script, result);
            script.afterEffect();
            return result;
        });
    }

    private Call callOf(PlannedOperation.Builder<Handle, String> builder) {
        if (mode.looksUpByPlan()) {
            builder.lookUpByPlan(UseCase::isThere);
        }
        PlannedOperation<Handle, String> operation = builder.build();
        return (attempt, script) -> operation.<Exception>execute(attempt, script::freshResult, (handle, plan) -> {
            insert(handle, script, plan);
            script.afterEffect();
        });
    }

    private Call external(Duration retention, boolean waits) {
        CheckedFunction<ExternalOperation.Unresolved<String>, Optional<String>, Exception> lookUp = mode.looksUpByPlan()
                ? attempt -> attempt.plan().filter(plan -> effects.withHandle(handle -> isThere(handle, plan)))
                : attempt ->
                        effects.withHandle(handle -> find(handle, attempt.key().value()));
        ExternalOperation.Builder<?, String> builder = idempotency
                .external(OPERATION, ResultCodec.string(), attempt -> Lookup.of(lookUp.apply(attempt)))
                .retention(retention)
                .releaseWhenNoEffect(thrown -> is(Mutant.RELEASE_WITHOUT_PROOF) || thrown instanceof WorkStep.Busy)
                .noEffectWhen(thrown -> is(Mutant.THROW_IS_PROOF) || thrown instanceof WorkStep.Refused);
        if (waits) {
            builder.waitAtMost(Mode.WAIT);
        }
        if (mode.isPlanned()) {
            PlannedExternalOperation<String> planned = builder.planned().build();
            return (attempt, script) -> planned.<Exception>execute(
                    attempt, script::freshResult, (key, plan) -> externalEffect(script, plan));
        }
        ExternalOperation<String> operation = builder.build();
        return (attempt, script) -> operation.<Exception>execute(attempt, key -> {
            String result = script.freshResult();
            externalEffect(script, result);
            return result;
        });
    }

    /**
     * Work and lookup are the same request, so only a refusal, which the provider remembers, proves that there is no
     * effect.
     */
    private Call followedUp(Duration retention, boolean waits) {
        ExternalOperation.Builder<Handle, String> builder = idempotency
                .external(
                        OPERATION,
                        ResultCodec.string(),
                        attempt -> Lookup.found(
                                provider.charge(attempt.key(), SCRIPT.get().freshResult())))
                .then((handle, key, result) -> followUp(handle, result))
                .retention(retention)
                .maxRetries(Mode.RETRIES)
                .refusedWhen(thrown ->
                        thrown instanceof Declined || (is(Mutant.SILENCE_IS_REFUSAL) && thrown instanceof IOException));
        if (!waits) {
            ExternalOperation<String> operation = builder.build();
            return (attempt, script) -> operation.<Exception>execute(attempt, key -> charge(key, script));
        }
        ExternalOperation<String> operation = builder.waitAtMost(Mode.WAIT).build();
        return (attempt, script) -> operation
                .executeAsync(attempt, key -> onAnotherThread(charge(key, script), script))
                .toCompletableFuture()
                .join();
    }

    private String charge(IdempotencyKey key, WorkStep script) throws Exception {
        String result = provider.charge(key, script.freshResult());
        script.afterExternalEffect();
        return result;
    }

    private static CompletionStage<String> onAnotherThread(String result, WorkStep script) {
        return CompletableFuture.supplyAsync(
                () -> {
                    SCRIPT.set(script);
                    return result;
                },
                run -> new Thread(run).start());
    }

    private void followUp(Handle handle, String result) throws Exception {
        WorkStep script = SCRIPT.get();
        if (is(Mutant.HEALED_WITHOUT_FOLLOW_UP) && !script.hasMade(result)) {
            return;
        }
        insert(handle, script, result + Checker.AT + System.currentTimeMillis());
        script.afterFollowUp(handle);
    }

    private boolean is(Mutant wrong) {
        return mutant.filter(wrong::equals).isPresent();
    }

    private void externalEffect(WorkStep script, String result) throws Exception {
        script.beforeExternalEffect();
        effects.useTransaction(handle -> insert(handle, script, result));
        script.afterExternalEffect();
    }

    static void insert(Handle handle, WorkStep script, String payload) throws InterruptedException {
        script.beforeEffect(handle);
        int unused = handle.execute("INSERT INTO effect (key_value, payload) VALUES (?, ?)", script.key(), payload);
    }

    private static boolean isThere(Handle handle, String payload) {
        return handle.select("SELECT 1 FROM effect WHERE payload = ?", payload)
                .mapTo(Integer.class)
                .findFirst()
                .isPresent();
    }

    private static Optional<String> find(Handle handle, String key) {
        return handle.select("SELECT payload FROM effect WHERE key_value = ?", key)
                .mapTo(String.class)
                .findFirst();
    }

    /** An attempt of a batch. */
    record Asked(String request, WorkStep script) {}

    /** The outcome of a call; the detail of a success is its result. */
    record CallResult(Answer answer, String detail) {

        static CallResult of(Outcome<String> outcome) {
            return outcome.fold(
                    completed -> new CallResult(
                            !completed.isReplay()
                                    ? Answer.EXECUTED
                                    : completed instanceof Outcome.Healed ? Answer.HEALED : Answer.REPLAYED,
                            completed.result()),
                    inProgress ->
                            new CallResult(Answer.IN_PROGRESS, inProgress.age().toString()),
                    rejected -> new CallResult(
                            Answer.REJECTED, rejected.failure().code() + (HAS_FAILED.get() ? Answer.BY_OWN_WRITE : "")),
                    reused -> new CallResult(Answer.KEY_REUSED, ""));
        }

        /**
         * The outcome for an exception. An exception that comes from the work or the database is thrown by the library
         * only for an attempt that has failed.
         */
        static CallResult of(Throwable thrown, boolean neverReleases) {
            Answer answer = thrown instanceof OutcomeUnknownException unknown
                    ? unknown.reason() == Reason.FOLLOW_UP_OWED ? Answer.FOLLOW_UP_OWED : Answer.UNKNOWN
                    : thrown instanceof NotStartedException released
                            ? released.reason() == Reason.RUNS_ROLLED_BACK ? Answer.RELEASED : Answer.NOT_STARTED
                            : thrown instanceof RejectedException
                                    ? Answer.FAILED
                                    : thrown instanceof IdempotencyException || thrown instanceof Error
                                            ? Answer.UNEXPECTED
                                            : thrown instanceof WorkStep.Busy && !neverReleases
                                                    ? Answer.RELEASED
                                                    : Answer.FAILED;
            return new CallResult(answer, describe(thrown));
        }

        private static String describe(Throwable thrown) {
            Throwable root = thrown;
            for (Throwable cause = root.getCause(); cause != null; cause = root.getCause()) {
                root = cause;
            }
            String own = thrown.getClass().getSimpleName() + " " + thrown.getMessage();
            return root == thrown ? own : own + " <- " + root.getClass().getSimpleName() + " " + root.getMessage();
        }
    }
}
