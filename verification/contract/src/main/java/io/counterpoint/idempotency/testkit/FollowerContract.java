package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Followers of a running leader. They return at once, or wait as long as they want without holding a session. */
abstract class FollowerContract<C> extends OperationContractTest<C> {

    FollowerContract(OperationFixture<C> fixture) {
        super(fixture);
    }

    private TestOperation.Builder<C> waiting(Duration wait) {
        return caller().inDatabase(operation -> operation.waitAtMost(wait))
                .outside(operation -> operation.waitAtMost(wait));
    }

    /** A leader that stays in its work until the test releases it. */
    private final class Leader {
        private final CountDownLatch inside = new CountDownLatch(1);
        private final CountDownLatch goOn = new CountDownLatch(1);
        private final Future<Outcome<String>> answer =
                AnotherThread.begin(() -> anotherCaller().build().call(attempt("k"), "leader's", effects -> {
                    inside.countDown();
                    AnotherThread.await(goOn);
                    effects.write();
                }));

        Leader() {
            AnotherThread.await(inside);
        }

        Outcome<String> end() {
            goOn.countDown();
            return AnotherThread.end(answer);
        }
    }

    @Test
    void followerReturnsInProgressAtOnceWhileTheLeaderWorks() throws Exception {
        // In a single transaction, the shortest wait is the minimum.
        TestOperation<C> caller = caller().inDatabase(
                        operation -> way.claimsFirst() ? operation : operation.waitAtMost(Duration.ofMillis(1)))
                .build();
        Leader leader = new Leader();

        Outcome<String> outcome = caller.call(attempt("k"), "follower's");

        assertInProgress(outcome, endingOfALeader());
        assertThat(caller.runs()).isZero();
        assertThat(effects()).isEmpty();
        assertThat(leader.end()).isEqualTo(new Outcome.Executed<>(key("k"), "leader's"));
        assertThat(caller.call(attempt("k"), "follower's")).isEqualTo(new Outcome.Replayed<>(key("k"), "leader's"));
        assertThat(effects()).containsExactly("leader's");
    }

    @Test
    void followerThatWaitsGetsTheLeadersResult() throws Exception {
        TestOperation<C> caller = new TestOperation.Builder<>(way, Idempotency.builder(store), domain, remote)
                .inDatabase(operation -> operation.waitAtMost(LONG))
                .outside(operation -> operation.waitAtMost(LONG))
                .build();
        Leader leader = new Leader();
        CountDownLatch begun = new CountDownLatch(1);
        Future<Outcome<String>> follower = AnotherThread.begin(() -> {
            begun.countDown();
            return caller.call(attempt("k"), "follower's");
        });
        AnotherThread.await(begun);

        assertThat(leader.end()).isInstanceOf(Outcome.Executed.class);

        assertThat(AnotherThread.end(follower).orElseThrow()).isEqualTo("leader's");
        assertThat(caller.runs()).isZero();
        assertThat(effects()).containsExactly("leader's");
    }

    @Test
    void followerLooksAgainUntilTheLeaderIsDone() throws Exception {
        TestOperation<C> caller = waiting(Duration.ofSeconds(30)).build();
        Pending leader = pendingOfAnother("k", Optional.empty());
        clock.onSleep(pause -> {
            if (clock.sleeps().size() == 5) {
                assertThat(succeeds(leader, "leader's")).isTrue();
            }
        });

        Outcome<String> outcome = caller.call(attempt("k"), "follower's");

        assertThat(outcome).isEqualTo(new Outcome.Replayed<>(key("k"), "leader's"));
        assertThat(clock.sleeps())
                .hasSize(5)
                .allSatisfy(pause -> assertThat(pause).isPositive().isLessThanOrEqualTo(Duration.ofMillis(250)));
        assertThat(events.take()).containsExactly("replayed");
    }

    @Test
    void followerLeadsWhenTheKeyIsReleasedWhileItWaits() throws Exception {
        TestOperation<C> caller = waiting(Duration.ofSeconds(30)).build();
        Pending leader = pendingOfAnother("k", Optional.empty());
        clock.onSleep(pause -> changes(transaction -> transaction.release(leader.key(), leader.token())));

        assertThat(caller.call(attempt("k"), "mine")).isEqualTo(new Outcome.Executed<>(key("k"), "mine"));

        assertThat(effects()).containsExactly("mine");
    }

    @Test
    void followerWaitsWithoutASessionAndNoLongerThanItWants() throws Exception {
        Duration wait = Duration.ofSeconds(3);
        TestOperation<C> caller = waiting(wait).build();
        pendingOfAnother("k", Optional.empty());
        List<Integer> sessions = new ArrayList<>();
        clock.onSleep(pause -> sessions.add(faulty.openSessions()));

        Outcome<String> outcome = caller.call(attempt("k"), "follower's");

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(clock.sleeps().stream().reduce(Duration.ZERO, Duration::plus))
                .isEqualTo(wait);
        assertThat(sessions).containsOnly(0);
        assertThat(faulty.mostSessions()).isEqualTo(1);
        assertThat(caller.runs()).isZero();
        assertThat(events.take()).containsExactly("in progress");
    }

    @Test
    void interruptedFollowerDoesNotWait() throws Exception {
        TestOperation<C> caller = waiting(Duration.ofSeconds(30)).build();
        pendingOfAnother("k", Optional.empty());

        Outcome<String> outcome = AnotherThread.get(() -> {
            Thread.currentThread().interrupt();
            Outcome<String> answer = caller.call(attempt("k"), "follower's");
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            return answer;
        });

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(clock.sleeps()).isEmpty();
    }

    @Test
    void followerThatIsInterruptedWhileItWaitsIsAnswered() throws Exception {
        TestOperation<C> caller = waiting(Duration.ofSeconds(30)).build();
        pendingOfAnother("k", Optional.empty());
        clock.onSleep(pause -> Thread.currentThread().interrupt());

        Outcome<String> outcome = AnotherThread.get(() -> {
            Outcome<String> answer = caller.call(attempt("k"), "follower's");
            assertThat(Thread.interrupted()).isTrue();
            return answer;
        });

        assertThat(outcome).isInstanceOf(Outcome.InProgress.class);
        assertThat(clock.sleeps()).hasSize(1);
    }

    @Test
    void followerLooksAgainSoonAndThenFourTimesASecond() throws Exception {
        if (!way.claimsFirst()) {
            return; // It waits in the store.
        }
        Leader leader = new Leader();

        assertThat(waiting(Duration.ofSeconds(3)).build().call(attempt("k"), "follower's"))
                .isInstanceOf(Outcome.InProgress.class);

        List<Duration> sleeps = clock.sleeps();
        assertThat(sleeps.get(0)).isLessThanOrEqualTo(Duration.ofMillis(10));
        assertThat(sleeps).allMatch(sleep -> sleep.compareTo(Duration.ofMillis(250)) <= 0);
        assertThat(sleeps.subList(sleeps.size() - 4, sleeps.size() - 1))
                .allMatch(sleep -> sleep.compareTo(Duration.ofMillis(125)) >= 0);
        assertThat(leader.end()).isInstanceOf(Outcome.Executed.class);
    }
}
