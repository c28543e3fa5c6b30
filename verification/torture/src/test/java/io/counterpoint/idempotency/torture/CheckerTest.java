package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.torture.Checker.Findings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every broken promise is seen, and nothing else is taken for one. */
class CheckerTest {

    private static final String KEY = "k1";
    private static final String BRIEF = "b1";

    private final Ledger ledger = new Ledger();
    private final Map<String, List<String>> effects = new HashMap<>();
    private final Map<String, String> states = new HashMap<>();
    private final Map<String, List<String>> removed = new HashMap<>();
    private final Map<String, List<String>> followUps = new HashMap<>();
    private final Map<String, Long> effectsAt = new HashMap<>();
    private Mode mode = Mode.CLAIM_FIRST;
    private FaultLog faults;
    private Ledger.Listener worker;
    private Ledger.Listener last;
    private long calls;

    @BeforeEach
    void listen(@TempDir Path folder) throws IOException {
        faults = new FaultLog(folder.resolve("faults.log"));
        worker = ledger.listener("worker", faults, false);
        last = ledger.listener("last", faults, true);
    }

    @AfterEach
    void close() {
        faults.close();
    }

    @Test
    void keyWithOneEffectInAllAnswersBreaksNothing() {
        succeeded(KEY, "a.worker.1.1");
        returned(worker, KEY, Answer.EXECUTED, "a.worker.1.1");
        returned(worker, KEY, Answer.IN_PROGRESS, "");
        returned(last, KEY, Answer.REPLAYED, "a.worker.1.1");
        assertBroken();
    }

    @Test
    void failedKeyWithoutEffectBreaksNothing() {
        states.put(KEY, "F");
        returned(worker, KEY, Answer.FAILED, "Refused");
        returned(last, KEY, Answer.REJECTED, "Refused");
        assertBroken();
    }

    @Test
    void keyThatWasPurgedBetweenTwoEffectsBreaksNothing() {
        effect(BRIEF, "a.worker.1.1");
        succeeded(BRIEF, "a.last.2.1");
        removed.put(BRIEF, List.of("S"));
        returned(worker, BRIEF, Answer.EXECUTED, "a.worker.1.1");
        returned(last, BRIEF, Answer.EXECUTED, "a.last.2.1");
        assertBroken();
    }

    @Test
    void secondEffectIsADuplicate() {
        effect(KEY, "a.worker.1.1");
        succeeded(KEY, "a.worker.1.1");
        returned(last, KEY, Answer.REPLAYED, "a.worker.1.1");
        assertBroken(Violation.DUPLICATE);
    }

    @Test
    void resultWithoutEffectIsAFalseSuccess() {
        returned(worker, KEY, Answer.EXECUTED, "a.worker.1.1");
        assertBroken(Violation.FALSE_SUCCESS);
    }

    @Test
    void twoResultsAreDivergent() {
        succeeded(KEY, "a.worker.1.1");
        returned(worker, KEY, Answer.REPLAYED, "a.worker.9.1");
        returned(last, KEY, Answer.REPLAYED, "a.worker.1.1");
        assertBroken(Violation.FALSE_SUCCESS, Violation.DIVERGENT);
    }

    @Test
    void resultOfAnotherRequestIsDivergent() {
        succeeded(KEY, "b.worker.9.1");
        returned(last, KEY, Answer.REPLAYED, "b.worker.9.1");
        assertBroken(Violation.DIVERGENT);
    }

    @Test
    void twoFirstOnesAreDivergent() {
        succeeded(KEY, "a.worker.1.1");
        returned(worker, KEY, Answer.EXECUTED, "a.worker.1.1");
        returned(last, KEY, Answer.EXECUTED, "a.worker.1.1");
        assertBroken(Violation.DIVERGENT);
    }

    @Test
    void failedRecordBesideAnEffectIsSeen() {
        effect(KEY, "a.worker.9.1");
        states.put(KEY, "F");
        returned(last, KEY, Answer.REJECTED, "");
        assertBroken(Violation.FAILED_WITH_EFFECT, Violation.EFFECT_AFTER_FAILED, Violation.UNDISCOVERABLE);
    }

    @Test
    void effectOfACallThatReturnedNoneIsSeen() {
        succeeded(KEY, "a.worker.1.2");
        returned(worker, KEY, Answer.NOT_STARTED, "");
        returned(last, KEY, Answer.REPLAYED, "a.worker.1.2");
        assertBroken(Violation.DENIED);
    }

    @Test
    void failureThatIsNotReturnedAgainIsForgotten() {
        succeeded(KEY, "a.last.2.1");
        returned(worker, KEY, Answer.FAILED, "");
        returned(last, KEY, Answer.EXECUTED, "a.last.2.1");
        assertBroken(Violation.EFFECT_AFTER_FAILED, Violation.FORGOTTEN_FAILURE);
    }

    @Test
    void effectMissingInTheLastAnswerIsUndiscoverable() {
        effect(KEY, "a.worker.9.1");
        states.put(KEY, "P");
        returned(last, KEY, Answer.IN_PROGRESS, "");
        assertBroken(Violation.UNDISCOVERABLE, Violation.STUCK_PENDING);
    }

    @Test
    void effectOfAKeyThatNobodyAskedForAgainIsUndiscoverable() {
        succeeded(KEY, "a.worker.1.1");
        returned(worker, KEY, Answer.EXECUTED, "a.worker.1.1");
        assertBroken(Violation.UNDISCOVERABLE);
    }

    @Test
    void pendingMayStayOnlyInExternalAndWithoutAnEffect() {
        states.put(KEY, "P");
        returned(last, KEY, Answer.IN_PROGRESS, "");
        assertBroken(Violation.STUCK_PENDING);
        mode = Mode.EXTERNAL_THEN;
        assertBroken(Violation.STUCK_PENDING);
        mode = Mode.EXTERNAL;
        assertBroken();
    }

    /** Work has swallowed a deadlock, and with it the claim is gone. */
    @Test
    void recordForSomebodyToLookAtMayStayUnderAContendedKeyWithoutAnEffect() {
        states.put("c1", "E");
        returned(last, "c1", Answer.IN_PROGRESS, "");
        assertBroken();
        effects.put("c1", List.of("a.1.1"));
        assertBroken(Violation.UNDISCOVERABLE, Violation.STUCK_PENDING);
    }

    /** A commit was in doubt for longer than the record of its effect is kept. */
    @Test
    void recordForSomebodyToLookAtMayStayOnlyUnderABriefKey() {
        states.put(BRIEF, "E");
        returned(last, BRIEF, Answer.IN_PROGRESS, "");
        assertBroken();
        states.put(KEY, "E");
        returned(last, KEY, Answer.IN_PROGRESS, "");
        assertBroken(Violation.STUCK_PENDING);
        mode = Mode.EXTERNAL;
        assertBroken();
    }

    @Test
    void purgeOfAPendingRecordOrBeforeTheRetentionIsSeen() {
        removed.put(BRIEF, List.of("S", "F"));
        removed.put(KEY, List.of("P"));
        assertBroken();
        removed.put(BRIEF, List.of("P"));
        assertThat(verdict().count(Violation.PURGED_TOO_MUCH)).isEqualTo(1);
        removed.put(KEY, List.of("S"));
        assertThat(verdict().count(Violation.PURGED_TOO_MUCH)).isEqualTo(2);
        returned(last, BRIEF, Answer.RELEASED, "");
        assertThat(verdict().count(Violation.PURGED_TOO_MUCH)).isEqualTo(1);
    }

    @Test
    void callIsLateWithoutTheTimeInWhichItsProcessWasStopped() {
        worker.started(1, 0, KEY, "a", Duration.ofSeconds(1));
        worker.stopped(new Ledger.Stop(0, 15_000));
        worker.ended(1, 25_000, 25_000_000, Answer.IN_PROGRESS, "");
        assertBroken();
        worker.started(2, 25_000, KEY, "a", Duration.ofSeconds(1));
        worker.ended(2, 37_000, 12_000_000, Answer.IN_PROGRESS, "");
        assertBroken(Violation.LATE);
    }

    /** The beat may come after the answer that waited for the same processor. */
    @Test
    void callIsLateWithoutTheTimeThatItsProcessDidNotGet() {
        worker.started(1, 0, KEY, "a", Duration.ofSeconds(1));
        worker.ended(1, 25_000, 25_000_000, Answer.IN_PROGRESS, "");
        assertThat(verdict().count(Violation.LATE)).isEqualTo(1);
        worker.beat(25_010, 15_000);
        assertBroken();
    }

    @Test
    void stopThatDelaysABeatCountsOnce() {
        worker.started(1, 0, KEY, "a", Duration.ofSeconds(1));
        worker.stopped(new Ledger.Stop(0, 10_000));
        worker.beat(12_000, 12_000);
        worker.ended(1, 25_000, 25_000_000, Answer.IN_PROGRESS, "");
        assertBroken(Violation.LATE);
    }

    @Test
    void callIsLateThatWasPastItsDeadlineWhenItsProcessWasKilled() {
        worker.started(1, 0, KEY, "a", Duration.ofSeconds(1));
        worker.gone(OptionalLong.of(10_000));
        assertBroken();
        worker.started(2, 0, KEY, "a", Duration.ofSeconds(1));
        worker.gone(OptionalLong.of(12_000));
        assertBroken(Violation.LATE);
    }

    @Test
    void callThatNeverReturnsIsLate() {
        worker.started(1, 0, KEY, "a", Duration.ofSeconds(1));
        worker.gone(OptionalLong.empty());
        assertBroken(Violation.LATE);
    }

    @Test
    void answerThatNothingCanCauseIsSeen() {
        returned(worker, KEY, Answer.UNEXPECTED, "NullPointerException");
        assertBroken(Violation.UNEXPECTED);
    }

    /** Answers are there at millisecond 1. */
    private void followed(String key, String result, String... writes) {
        mode = Mode.EXTERNAL_THEN;
        effect(key, result);
        effectsAt.put(key, 0L);
        states.put(key, "S");
        followUps.put(key, List.of(writes));
        returned(last, key, Answer.HEALED, result);
    }

    @Test
    void effectWithOneFollowUpBeforeItsAnswerBreaksNothing() {
        followed(KEY, "a.worker.1.1", "a.worker.1.1@1");
        returned(worker, KEY, Answer.FOLLOW_UP_OWED, "");
        assertBroken();
    }

    @Test
    void secondFollowUpIsADuplicate() {
        followed(KEY, "a.worker.1.1", "a.worker.1.1@0", "a.worker.1.1@1");
        assertBroken(Violation.DUPLICATE);
    }

    @Test
    void followUpThatIsMissingOrLaterThanTheAnswerIsSeen() {
        followed(KEY, "a.worker.1.1");
        assertBroken(Violation.NOT_FOLLOWED_UP);
        followUps.put(KEY, List.of("a.worker.1.1@2"));
        assertBroken(Violation.NOT_FOLLOWED_UP);
    }

    @Test
    void followUpWithoutItsEffectOrMarkIsUnfounded() {
        followed(KEY, "a.worker.1.1", "a.worker.9.1@1");
        assertBroken(Violation.UNFOUNDED_FOLLOW_UP);
        followUps.put(KEY, List.of("a.worker.1.1@1"));
        states.put(KEY, "P");
        assertBroken(Violation.UNFOUNDED_FOLLOW_UP, Violation.STUCK_PENDING);
    }

    @Test
    void followUpThatIsOwedBeforeTheEffectIsUnfounded() {
        followed(KEY, "a.worker.1.1", "a.worker.1.1@1");
        effectsAt.put(KEY, 2L);
        returned(worker, KEY, Answer.FOLLOW_UP_OWED, "");
        assertBroken(Violation.UNFOUNDED_FOLLOW_UP);
    }

    private void waitsAreBroken() {
        ledger.brokenWaits().begin(0);
        ledger.brokenWaits().end(1);
    }

    @Test
    void replayThatAPromotionTookIsCountedAndBreaksNothing() {
        waitsAreBroken();
        succeeded(KEY, "a.last.3.1");
        returned(worker, KEY, Answer.REPLAYED, "a.other.7.1");
        returned(worker, KEY, Answer.REJECTED, "Refused");
        returned(last, KEY, Answer.EXECUTED, "a.last.3.1");
        assertBroken();
        assertThat(verdict().lostReads()).isEqualTo(2);
    }

    @Test
    void replayThatAPromotionLeftIsLikeAnyOther() {
        waitsAreBroken();
        effect(KEY, "a.worker.9.1");
        succeeded(KEY, "a.worker.8.1");
        returned(worker, KEY, Answer.REPLAYED, "a.worker.9.1");
        returned(worker, KEY, Answer.REPLAYED, "a.worker.8.1");
        returned(last, KEY, Answer.REPLAYED, "a.worker.8.1");
        assertBroken(Violation.DUPLICATE, Violation.DIVERGENT);
        assertThat(verdict().lostReads()).isZero();
    }

    @Test
    void replayThatIsLostAtAnotherTimeIsAFalseSuccess() {
        ledger.brokenWaits().begin(2);
        ledger.brokenWaits().end(3);
        returned(worker, KEY, Answer.REPLAYED, "a.other.7.1");
        returned(last, KEY, Answer.IN_PROGRESS, "");
        assertBroken(Violation.FALSE_SUCCESS);
    }

    @Test
    void answerToALeaderThatAPromotionTookIsAFalseSuccess() {
        waitsAreBroken();
        returned(worker, KEY, Answer.EXECUTED, "a.worker.1.1");
        returned(worker, KEY, Answer.REPLAYED, "a.worker.1.1");
        returned(last, KEY, Answer.IN_PROGRESS, "");
        assertBroken(Violation.FALSE_SUCCESS);
    }

    @Test
    void failureOfALeaderThatAPromotionTookIsForgotten() {
        waitsAreBroken();
        succeeded(KEY, "a.last.3.1");
        returned(worker, KEY, Answer.FAILED, "Refused");
        returned(worker, KEY, Answer.REJECTED, "abandoned" + Answer.BY_OWN_WRITE);
        returned(last, KEY, Answer.EXECUTED, "a.last.3.1");
        assertBroken(Violation.EFFECT_AFTER_FAILED, Violation.FORGOTTEN_FAILURE);
    }

    private void succeeded(String key, String result) {
        effect(key, result);
        states.put(key, "S");
    }

    private void effect(String key, String result) {
        effects.computeIfAbsent(key, each -> new ArrayList<>()).add(result);
    }

    private void returned(Ledger.Listener who, String key, Answer answer, String detail) {
        calls++;
        who.started(calls, 0, key, "a", Duration.ofSeconds(1));
        who.ended(calls, 1, 1_000, answer, detail);
    }

    private Verdict verdict() {
        return Checker.check(mode, ledger, new Findings(effects, states, removed, followUps, effectsAt));
    }

    private void assertBroken(Violation... violations) {
        Verdict verdict = verdict();
        for (Violation violation : violations) {
            assertThat(verdict.count(violation))
                    .as("%s in %s", violation, verdict.examples())
                    .isEqualTo(1);
        }
        assertThat(verdict.total()).as("%s", verdict.examples()).isEqualTo(violations.length);
    }
}
