package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.jdbc.faults.ReplicatedBench.Wait;
import io.counterpoint.idempotency.jdbc.faults.WaitingCall.Ending;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Commits that wait for their synchronous standby, and whose wait is broken: PostgreSQL shows them all the same, while the
 * standby has not got them. Then the old primary is fenced and the standby promoted. What callers got must still be so.
 */
@Tag("thorough")
@Tag("own-server")
@Timeout(120)
class BrokenCommitWaitTest {

    private static ReplicatedBench bench;
    private static boolean promoted;

    @BeforeAll
    static void start() {
        bench = ReplicatedBench.start();
    }

    @BeforeEach
    void prepare() {
        bench.prepare(promoted);
        promoted = false;
    }

    @AfterAll
    static void close() {
        bench.close();
    }

    /** From when on the standby gets nothing. */
    enum Held {
        BEFORE_THE_CALL,
        IN_THE_WORK
    }

    /** What ends the wait of a commit. */
    enum Break {
        TERMINATED {
            @Override
            void happensTo(Set<Integer> backends) {
                backends.forEach(bench.pair::terminate);
            }
        },
        CANCELLED {
            @Override
            void happensTo(Set<Integer> backends) {
                backends.forEach(bench.pair::cancel);
            }
        },
        CRASHED {
            @Override
            void happensTo(Set<Integer> backends) {
                bench.pair.primary().kill();
                bench.pair.primary().restart();
            }
        },
        CUT {
            @Override
            void happensTo(Set<Integer> backends) {
                assertThat(bench.proxy.resetAll()).isPositive();
            }
        };

        abstract void happensTo(Set<Integer> backends);
    }

    /** The wait of what confirms a commit in doubt is broken too, and then it waits once more. */
    @Tag("matrix")
    @ParameterizedTest
    @CsvSource({
        "BEFORE_THE_CALL, TERMINATED, CANCELLED",
        "BEFORE_THE_CALL, CANCELLED, TERMINATED",
        "BEFORE_THE_CALL, CRASHED, CANCELLED",
        "BEFORE_THE_CALL, CUT, CANCELLED",
        "IN_THE_WORK, TERMINATED, CANCELLED",
        "IN_THE_WORK, CANCELLED, CANCELLED",
        "IN_THE_WORK, CRASHED, TERMINATED",
        "IN_THE_WORK, CUT, TERMINATED"
    })
    void answersOutliveThePromotion(Held held, Break first, Break second) {
        List<WaitingCall> calls = new ArrayList<>();
        for (ProtocolVariant way : ProtocolVariant.values()) {
            for (Ending ending : Ending.values()) {
                calls.add(new WaitingCall(bench, way, ending, "on"));
                calls.add(new WaitingCall(bench, way, ending, "local"));
            }
        }
        assertNothingIsLost(held, List.of(first, second), calls);
    }

    /** A plain read shows the failure, and the standby lacks it. */
    @Test
    void failureIsDurableBeforeItIsThrown() {
        assertNothingIsLost(
                Held.IN_THE_WORK,
                List.of(Break.TERMINATED),
                List.of(new WaitingCall(bench, ProtocolVariant.CLAIM_FIRST, Ending.FAILURE, "on")));
    }

    /** The commit of the arbitration itself would not wait. */
    @Test
    void ownArbitrationIsDurableWhereCommitsAreLocal() {
        assertNothingIsLost(
                Held.IN_THE_WORK,
                List.of(Break.TERMINATED),
                List.of(new WaitingCall(bench, ProtocolVariant.CLAIM_FIRST, Ending.SUCCESS, "local")));
    }

    /** The server answers the commit, with a warning. */
    @Test
    void commitWithAWarningIsNoSuccess() {
        assertNothingIsLost(
                Held.IN_THE_WORK,
                List.of(Break.CANCELLED),
                List.of(new WaitingCall(bench, ProtocolVariant.CLAIM_FIRST, Ending.SUCCESS, "on")));
    }

    /** The server tells a session about a broken wait only if it has asked for warnings. */
    @ParameterizedTest
    @EnumSource
    void callWhoseSessionAskedForNoWarningsIsRefusedBeforeItsWork(ProtocolVariant way) {
        WaitingCall call = new WaitingCall(bench, way, Ending.SUCCESS, "silent").begin();

        assertThat(call.answer())
                .isInstanceOfSatisfying(
                        IllegalStateException.class,
                        refusal -> assertThat(refusal).hasMessageContaining("client_min_messages is error"));
        assertThat(call.runs()).isZero();
        assertThat(call.state()).isEqualTo("-");
    }

    /** After the promotion another caller would lead. */
    @Test
    void externalEffectDoesNotBeginOnAClaimThatIsLost() {
        assertNothingIsLost(
                Held.BEFORE_THE_CALL,
                List.of(Break.TERMINATED),
                List.of(new WaitingCall(bench, ProtocolVariant.EXTERNAL, Ending.SUCCESS, "on")));
    }

    /** Its own commit waits, too: what it has read is answered once the standby has it, or read again. */
    @ParameterizedTest
    @EnumSource(names = "CRASHED", mode = EnumSource.Mode.EXCLUDE)
    void durableReplayOfACommitWhoseWaitWasBrokenIsNotLost(Break ofTheReplay) {
        WaitingCall call = new WaitingCall(bench, ProtocolVariant.CLAIM_FIRST, Ending.SUCCESS, "on");
        breakWaits(Held.IN_THE_WORK, List.of(Break.TERMINATED), List.of(call));

        Future<Object> follower = Bench.begin(() -> call.askFrom(bench.caller("follower", ""), true));
        Set<Wait> waits = awaitFollower(Set.of());
        ofTheReplay.happensTo(waits.stream().map(Wait::backend).collect(Collectors.toSet()));
        awaitFollower(waits);
        failOver();

        assertThat(Bench.end(follower)).isInstanceOfAny(Outcome.Completed.class, NotStartedException.class);
        List<String> lost = new ArrayList<>();
        call.findContradicted(bench.atEitherHost(), lost);
        assertThat(lost).isEmpty();
        assertThat(call.effects()).isOne();
    }

    private static Set<Wait> awaitFollower(Set<Wait> before) {
        Set<Wait> found = new HashSet<>();
        Bench.await("the follower waits for the standby", () -> {
            bench.waiting().forEach((wait, name) -> {
                if (name.equals("follower") && !before.contains(wait)) {
                    found.add(wait);
                }
            });
            return !found.isEmpty();
        });
        return found;
    }

    /** A limit: the server shows the commit to every session, and a mere reader cannot know that it may be lost. */
    @Test
    void followerMayReplayACommitWhoseWaitWasBroken() {
        WaitingCall call = new WaitingCall(bench, ProtocolVariant.CLAIM_FIRST, Ending.SUCCESS, "on");
        breakWaits(Held.IN_THE_WORK, List.of(Break.TERMINATED), List.of(call));

        assertThat(call.askFrom(bench.direct)).isInstanceOf(Outcome.Replayed.class);

        promoted = true;
        bench.loseThePrimary();
        bench.promote();
        assertThat(call.state()).isEqualTo("P");
        assertThat(call.effects()).isZero();
        bench.letCallersIn();
        List<String> lost = new ArrayList<>();
        call.findLost(lost);
        assertThat(lost).isEmpty();
    }

    private static void assertNothingIsLost(Held held, List<Break> breaks, List<WaitingCall> calls) {
        breakWaits(held, breaks, calls);
        failOver();
        List<String> lost = new ArrayList<>();
        calls.forEach(call -> call.findLost(lost));
        calls.forEach(call -> call.findContradicted(bench.atEitherHost(), lost));
        assertThat(lost).as("lost by the promotion").isEmpty();
    }

    private static String open(List<WaitingCall> calls) {
        StringBuilder open = new StringBuilder();
        calls.stream()
                .filter(call -> !call.hasEnded())
                .forEach(call -> open.append(call.name)
                        .append(' ')
                        .append(call.way)
                        .append(' ')
                        .append(call.ending)
                        .append('\n'));
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().equals(Bench.CALLER)) {
                open.append(Arrays.toString(stack)).append('\n');
            }
        });
        return open.toString();
    }

    private static void failOver() {
        promoted = true;
        bench.failOver();
    }

    private static void breakWaits(Held held, List<Break> breaks, List<WaitingCall> calls) {
        boolean before = held == Held.BEFORE_THE_CALL;
        if (before) {
            bench.pair.holdBackLog();
            calls.forEach(WaitingCall::letWorkGoOn);
            calls.forEach(WaitingCall::begin);
        } else {
            calls.forEach(WaitingCall::begin);
            calls.forEach(WaitingCall::awaitWork);
            bench.pair.awaitCaughtUp();
            bench.pair.holdBackLog();
            calls.forEach(WaitingCall::letWorkGoOn);
        }
        Bench.await("the commits wait for the standby", () -> {
            Map<Wait, String> now = bench.waiting();
            return calls.stream()
                    .allMatch(call -> call.commitsDurably(before) ? now.containsValue(call.name) : call.hasEnded());
        });
        for (Break broken : breaks) {
            Set<Wait> waiting = bench.waiting().keySet();
            broken.happensTo(waiting.stream().map(Wait::backend).collect(Collectors.toSet()));
            // Whatever callers do now has to wait as well.
            try {
                Bench.await("each call ends or waits again", () -> {
                    Map<Wait, String> again = bench.waiting();
                    again.keySet().removeAll(waiting);
                    return calls.stream().allMatch(call -> call.hasEnded() || again.containsValue(call.name));
                });
            } catch (AssertionError late) {
                throw new AssertionError(late.getMessage() + "\n" + open(calls) + waiting + bench.sessions(), late);
            }
        }
    }
}
