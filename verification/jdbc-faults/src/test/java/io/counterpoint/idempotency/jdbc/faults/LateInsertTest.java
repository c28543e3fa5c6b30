package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Record last over a wire that is cut once insert and COMMIT are sent. The server has both, is held up, and goes on when the
 * caller has claimed the key, or before. There is one effect and one answer.
 */
@Tag("thorough")
@Timeout(60)
class LateInsertTest {

    private Bench bench;

    @BeforeEach
    void open() {
        bench = Bench.shared();
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Trial trial() {
        return trial(UnaryOperator.identity());
    }

    private Trial trial(UnaryOperator<Operation.Builder<Handle, String>> options) {
        return bench.trial(ProtocolVariant.CLAIM_FIRST)
                .over(JdbiIdempotencyStore.builder(bench.victim())
                        .table("public.idempotency_record")
                        .build()
                        .checkTable())
                .inDatabase(operation -> options.apply(
                        operation.protocol(Operation.Protocol.RECORD_LAST).settleWithin(Bench.BOUND)));
    }

    /** The work. When its first run has ended, insert and COMMIT are sent, and the wire is cut. */
    private void writeBeforeTheCut(Trial.Doing doing) {
        doing.write();
        if (doing.run() == 1) {
            bench.proxy.onNextStatement(
                    sql -> sql.startsWith("INSERT INTO") && sql.contains("idempotency_record"), Cut.AFTER_SEND);
        }
    }

    /** What is held up goes on, and comes to its end. */
    private void goesOn(HeldUp heldUp) {
        heldUp.goOn();
        bench.awaitVictimsGone();
    }

    /** As the next callers see it, which claim first. */
    private static void hasOneEffectAndOneAnswer(Trial trial) {
        trial.inDatabase(UnaryOperator.identity()).succeededOnce();
    }

    // ---- the insert is held up -----------------------------------------------------------------------------------

    @Test
    void insertThatArrivesAfterTheClaimIsRefused() {
        Trial trial = trial();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.INSERT, bench)) {
            assertThat(trial.call(this::writeBeforeTheCut)).isInstanceOf(Outcome.Executed.class);

            bench.awaitCut();
            heldUp.await();
            trial.hasRun(2);
            goesOn(heldUp);
            hasOneEffectAndOneAnswer(trial);
        }
    }

    @Test
    void insertThatArrivesBeforeTheClaimIsFound() {
        Trial trial = trial();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.INSERT, bench)) {
            trial.onDoubt(() -> {
                heldUp.await();
                goesOn(heldUp);
            });

            assertThat(trial.call(this::writeBeforeTheCut)).isInstanceOf(Outcome.Executed.class);

            bench.awaitCut();
            trial.hasRun(1);
            hasOneEffectAndOneAnswer(trial);
        }
    }

    @Test
    void insertThatArrivesAfterAnotherProcessHasWorkedIsRefused() {
        Trial trial = trial();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.INSERT, bench)) {
            Trial another = new Trial(ProtocolVariant.CLAIM_FIRST, trial.key, bench.direct, bench.direct);
            trial.onDoubt(() -> assertThat(Bench.end(another.begin())).isInstanceOf(Outcome.Executed.class));

            assertThat(trial.call(this::writeBeforeTheCut))
                    .isEqualTo(new Outcome.Replayed<>(trial.fullKey(), trial.key));

            bench.awaitCut();
            trial.hasRun(1);
            goesOn(heldUp);
            hasOneEffectAndOneAnswer(trial);
        }
    }

    @Test
    void insertThatArrivesAfterTheAttemptHasFailedIsRefused() {
        Trial trial = trial();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.INSERT, bench)) {
            IOException refusal = new IOException("refused");

            Throwable thrown = trial.thrown(doing -> {
                writeBeforeTheCut(doing);
                if (doing.run() == 2) {
                    throw refusal;
                }
            });

            assertThat(thrown).isSameAs(refusal);
            bench.awaitCut();
            goesOn(heldUp);
            trial.inDatabase(UnaryOperator.identity()).failed();
        }
    }

    // ---- the inserts of a batch are held up ---------------------------------------------------------------------

    /** They stand or fall together: the claim of the first key keeps out all. */
    @Test
    void insertsOfABatchThatArriveAfterTheClaimsAreRefused() {
        List<String> runs = new ArrayList<>();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.INSERT, bench)) {
            List<BatchResult<String>> answers = batch().executeAll(attempts(), (handle, leading) -> {
                List<String> names = written(handle, leading);
                runs.addAll(names);
                cutWithTheInserts(runs.size() == 3);
                return names;
            });

            assertThat(answers).allMatch(answer -> answer.orElseThrow() instanceof Outcome.Executed);
            bench.awaitCut();
            heldUp.await();
            goesOn(heldUp);
            assertThat(runs).containsExactly("b", "a", "c", "b", "a", "c");
            assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    @Test
    void insertsOfABatchThatArriveBeforeTheClaimsAreFound() {
        List<String> runs = new ArrayList<>();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.INSERT, bench)) {
            Batch<Handle, String> batch = batch(IdempotencyListener.on(IdempotencyEvent.CommitUnknown.class, event -> {
                if (event.key().value().equals("c")) {
                    heldUp.await();
                    goesOn(heldUp);
                }
            }));
            List<BatchResult<String>> answers = batch.executeAll(attempts(), (handle, leading) -> {
                List<String> names = written(handle, leading);
                runs.addAll(names);
                cutWithTheInserts(true);
                return names;
            });

            assertThat(answers).allMatch(answer -> answer.orElseThrow() instanceof Outcome.Executed);
            assertThat(runs).containsExactly("b", "a", "c");
            assertThat(effects()).containsExactlyInAnyOrder("a", "b", "c");
        }
    }

    private static List<Attempt> attempts() {
        return Stream.of("b", "a", "c")
                .map(key -> Attempt.inScope("user:1").key(key).request("request"))
                .toList();
    }

    private static List<String> written(Handle handle, List<BatchItem> leading) {
        List<String> names = leading.stream()
                .map(one -> List.of("b", "a", "c").get(one.index()))
                .toList();
        names.forEach(name -> Effects.write(handle, name));
        return names;
    }

    private List<String> effects() {
        return bench.direct.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }

    private void cutWithTheInserts(boolean cut) {
        if (cut) {
            bench.proxy.onNextStatement(
                    sql -> sql.startsWith("INSERT INTO") && sql.contains("idempotency_record"), Cut.AFTER_SEND);
        }
    }

    private Batch<Handle, String> batch() {
        return batch(event -> {});
    }

    private Batch<Handle, String> batch(IdempotencyListener listener) {
        JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(bench.victim())
                .table("public.idempotency_record")
                .build()
                .checkTable();
        return Batch.inOneTransaction(Idempotency.builder(store)
                .listener(listener)
                .build()
                .operation("batch", ResultCodec.string())
                .protocol(Operation.Protocol.RECORD_LAST)
                .settleWithin(Bench.BOUND)
                .build());
    }

    // ---- the COMMIT is held up -----------------------------------------------------------------------------------

    @Test
    void claimWaitsForACommitThatIsHeldUpAndFindsItsRecord() {
        Trial trial = trial();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.COMMIT, bench)) {
            Future<Outcome<String>> call = trial.begin(this::writeBeforeTheCut);
            HeldUp.awaitClaimThatWaits(bench);

            heldUp.goOn();

            assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
            trial.hasRun(1);
            hasOneEffectAndOneAnswer(trial);
        }
    }

    @Test
    void claimThatWaitsForACommitThatIsRolledBackLeads() {
        Trial trial = trial();
        try (HeldUp heldUp = HeldUp.at(HeldUp.At.COMMIT, bench)) {
            Future<Outcome<String>> call = trial.begin(this::writeBeforeTheCut);
            HeldUp.awaitClaimThatWaits(bench);

            heldUp.end();

            assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
            trial.hasRun(2);
            hasOneEffectAndOneAnswer(trial);
        }
    }

    // ---- the key is held up --------------------------------------------------------------------------------------

    /** The late insert and the claim wait for the same rival. Either may be the first once it is gone. */
    @Test
    void oneOfInsertAndClaimThatWaitForTheSameKeyGetsIt() {
        try (Handle rival = bench.direct.open()) {
            Trial trial = trial();
            rival.begin();
            rival.execute("""
                    INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint,
                        created_at, updated_at, expires_at)
                    VALUES ('user:1', 'operate', ?, 'S', 'S', gen_random_uuid(), '', now(), now(), now())""", trial.key);
            Future<Outcome<String>> call = trial.begin(this::writeBeforeTheCut);
            HeldUp.awaitClaimThatWaits(bench);

            rival.rollback();

            assertThat(Bench.end(call)).isInstanceOf(Outcome.Executed.class);
            bench.awaitVictimsGone();
            assertThat(trial.runs()).isBetween(1, 2);
            hasOneEffectAndOneAnswer(trial);
        }
    }
}
