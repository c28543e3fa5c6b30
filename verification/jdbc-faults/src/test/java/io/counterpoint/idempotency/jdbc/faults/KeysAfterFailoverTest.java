package io.counterpoint.idempotency.jdbc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.jdbc.faults.WaitingCall.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a process was working on when the primary was lost, it resolves when there is another. */
@Tag("thorough")
@Tag("own-server")
@Timeout(120)
class KeysAfterFailoverTest {

    /** On a busy machine as well, and far less than the grace. */
    private static final Duration RESOLVED_WITHIN = Duration.ofSeconds(20);

    private ReplicatedBench bench;

    @BeforeEach
    void start() {
        bench = ReplicatedBench.start();
        bench.prepare(false);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    /** Their claims outlive the promotion, their commits do not. The default grace of a minute spares only others. */
    @Test
    void keysOfThisProcessAreResolvedSoonAfterTheFirstWrite() {
        List<WaitingCall> calls = new ArrayList<>();
        for (ProtocolVariant way : ProtocolVariant.inDatabase()) {
            calls.add(new WaitingCall(bench, way, Ending.SUCCESS, "on").settleWithin(Duration.ofMillis(500)));
        }
        calls.forEach(WaitingCall::begin);
        calls.forEach(WaitingCall::awaitWork);
        bench.pair.awaitCaughtUp();
        bench.pair.holdBackLog();
        calls.forEach(WaitingCall::letWorkGoOn);
        Bench.await(
                "the commits wait for the standby",
                () -> bench.pair.waitingCommits().size() == calls.size());
        bench.loseThePrimary();
        for (WaitingCall call : calls) {
            assertThat(call.answer()).as(call.toString()).isInstanceOf(OutcomeUnknownException.class);
        }

        bench.promote();
        bench.letCallersIn();
        awaitFirstWrite();
        for (WaitingCall call : calls) {
            assertThat(call.state()).as(call.toString()).isEqualTo(call.way.single() ? "-" : "P");
        }
        List<String> open = new ArrayList<>();
        for (WaitingCall call : calls) {
            // Each has its own time: what the ones before it have taken says nothing of it.
            long asked = System.nanoTime();
            Object answer = call.askAgain();
            while (!(answer instanceof Outcome.Completed) && within(asked)) {
                answer = call.askAgain();
            }
            if (!(answer instanceof Outcome.Executed) || !within(asked)) {
                open.add(call + ": " + answer);
            }
            assertThat(call.effects()).as(call.toString()).isLessThanOrEqualTo(1);
        }
        assertThat(open).as("not resolved within " + RESOLVED_WITHIN).isEmpty();
    }

    private static boolean within(long asked) {
        return System.nanoTime() - asked < RESOLVED_WITHIN.toNanos();
    }

    /** By the way that callers take. */
    private void awaitFirstWrite() {
        Bench.await("the new primary takes a write", () -> {
            try {
                bench.caller("first-write", "").useHandle(handle -> handle.execute("CREATE TABLE first_write ()"));
                return true;
            } catch (JdbiException notYet) {
                return false;
            }
        });
    }
}
