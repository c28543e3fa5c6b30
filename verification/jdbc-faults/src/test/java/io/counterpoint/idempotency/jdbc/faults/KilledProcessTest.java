package io.counterpoint.idempotency.jdbc.faults;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Cut;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A process that is killed with {@code kill -9} at a chosen statement: a JVM of its own, held by the proxy as it sends
 * it. The statement is lost with the process, or reaches the server when no client is left to read the answer.
 */
@Tag("thorough")
@Timeout(60)
class KilledProcessTest {

    private static Bench bench;
    private static Worker next;

    @BeforeAll
    static void open() {
        bench = Bench.shared();
        next = new Worker(bench.victimUrl());
    }

    @AfterEach
    void heal() {
        bench.proxy.heal();
    }

    @AfterAll
    static void close() {
        next.kill();
        bench.close();
    }

    /** What becomes of the statement that the process had sent. */
    enum Sent {
        LOST,
        ARRIVED
    }

    enum WorkBehaviour {
        SUCCEEDS,
        FAILS,
        HEALS
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsClaimLeavesNothingOrTheClaim(Sent sent) {
        left(
                sent,
                killedAt(Step.CLAIM, sent, ProtocolVariant.CLAIM_FIRST, WorkBehaviour.SUCCEEDS),
                Trial::leftNothing,
                Trial::leftPendingWithoutEffect);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledInItsWorkLeavesTheClaim(Sent sent) {
        killedAt(Step.DOMAIN, sent, ProtocolVariant.CLAIM_FIRST, WorkBehaviour.SUCCEEDS)
                .leftPendingWithoutEffect();
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsMarkLeavesTheClaimOrAllOfIt(Sent sent) {
        left(
                sent,
                killedAt(Step.MARK, sent, ProtocolVariant.CLAIM_FIRST, WorkBehaviour.SUCCEEDS),
                Trial::leftPendingWithoutEffect,
                Trial::succeededOnce);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsCommitLeavesTheClaimOrAllOfIt(Sent sent) {
        left(
                sent,
                killedAt(Step.COMMIT, sent, ProtocolVariant.CLAIM_FIRST, WorkBehaviour.SUCCEEDS),
                Trial::leftPendingWithoutEffect,
                Trial::succeededOnce);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsFailureLeavesTheClaimOrTheFailure(Sent sent) {
        left(
                sent,
                killedAt(Step.FAIL, sent, ProtocolVariant.CLAIM_FIRST, WorkBehaviour.FAILS),
                Trial::leftPendingWithoutEffect,
                Trial::failed);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsHealLeavesItToTheNextOrDone(Sent sent) {
        Trial trial = trial(ProtocolVariant.CLAIM_FIRST).plantEffectBehindPending();
        killAt(Step.HEAL, sent, trial, WorkBehaviour.HEALS);
        left(sent, trial, Trial::leftPendingWithEffect, Trial::succeededOnce);
    }

    @ParameterizedTest
    @MethodSource("single")
    void processKilledAtTheClaimOfASingleTransactionLeavesNothing(ProtocolVariant way) {
        killedAt(Step.CLAIM, Sent.ARRIVED, way, WorkBehaviour.SUCCEEDS).leftNothing();
    }

    @ParameterizedTest
    @MethodSource("single")
    void processKilledInTheWorkOfASingleTransactionLeavesNothing(ProtocolVariant way) {
        killedAt(Step.DOMAIN, Sent.ARRIVED, way, WorkBehaviour.SUCCEEDS).leftNothing();
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtASingleTransactionMarkLeavesAllOrNothing(Sent sent) {
        left(
                sent,
                killedAt(Step.MARK, sent, ProtocolVariant.SINGLE_TRANSACTION, WorkBehaviour.SUCCEEDS),
                Trial::leftNothing,
                Trial::succeededOnce);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtASingleTransactionCommitLeavesAllOrNothing(Sent sent) {
        left(
                sent,
                killedAt(Step.COMMIT, sent, ProtocolVariant.SINGLE_TRANSACTION_PLANNED, WorkBehaviour.SUCCEEDS),
                Trial::leftNothing,
                Trial::succeededOnce);
    }

    /** Its claim was rolled back with the work before the failure was sent. */
    @ParameterizedTest
    @EnumSource
    void processKilledAtASingleTransactionFailureLeavesItOrNothing(Sent sent) {
        left(
                sent,
                killedAt(Step.FAIL_AFTERWARDS, sent, ProtocolVariant.SINGLE_TRANSACTION, WorkBehaviour.FAILS),
                Trial::leftNothing,
                Trial::failed);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledInAnExternalEffectLeavesPendingWithOrWithoutIt(Sent sent) {
        left(
                sent,
                killedAt(Step.DOMAIN, sent, ProtocolVariant.EXTERNAL, WorkBehaviour.SUCCEEDS),
                Trial::leftPendingWithoutEffect,
                Trial::leftPendingWithEffect);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsExternalMarkLeavesPendingToHealOrAllOfIt(Sent sent) {
        left(
                sent,
                killedAt(Step.MARK, sent, ProtocolVariant.EXTERNAL, WorkBehaviour.SUCCEEDS),
                Trial::leftPendingWithEffect,
                Trial::succeededOnce);
    }

    @ParameterizedTest
    @EnumSource
    void processKilledAtItsExternalRefusalLeavesPendingOrTheFailure(Sent sent) {
        left(
                sent,
                killedAt(Step.FAIL, sent, ProtocolVariant.EXTERNAL, WorkBehaviour.FAILS),
                Trial::leftPendingWithoutEffect,
                Trial::failed);
    }

    static List<ProtocolVariant> single() {
        return List.of(ProtocolVariant.SINGLE_TRANSACTION, ProtocolVariant.SINGLE_TRANSACTION_PLANNED);
    }

    /** What is there after the process is killed: where its message was lost, and where it arrived. */
    private static void left(Sent sent, Trial trial, Consumer<Trial> lost, Consumer<Trial> arrived) {
        (sent == Sent.LOST ? lost : arrived).accept(trial);
    }

    private static Trial trial(ProtocolVariant way) {
        return bench.trial(way);
    }

    private static Trial killedAt(Step step, Sent sent, ProtocolVariant way, WorkBehaviour conduct) {
        Trial trial = trial(way);
        killAt(step, sent, trial, conduct);
        return trial;
    }

    private static void killAt(Step step, Sent sent, Trial trial, WorkBehaviour conduct) {
        Worker worker = next;
        next = new Worker(bench.victimUrl());
        bench.cut(step, Cut.HOLD);
        worker.call(trial, conduct);
        bench.awaitCut();
        worker.kill();
        if (sent == Sent.LOST) {
            bench.proxy.resetAll();
        }
        bench.proxy.heal();
        bench.awaitVictimsGone();
    }

    /** A JVM that waits for the key with which it is to call, so that nobody waits for its start. */
    private static final class Worker {
        private final Process jvm;

        Worker(String url) {
            try {
                jvm = new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Calls.class.getName(),
                                url)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void call(Trial trial, WorkBehaviour conduct) {
            try {
                jvm.getOutputStream().write((trial.way + " " + trial.key + " " + conduct + "\n").getBytes(UTF_8));
                jvm.getOutputStream().flush();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        void kill() {
            jvm.destroyForcibly();
            try {
                assertThat(jvm.waitFor()).isNotZero();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** The program of the process that is killed. */
    static final class Calls {

        public static void main(String[] arguments) throws IOException {
            BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, UTF_8));
            String order = orders.readLine();
            if (order == null) {
                // The tests' own JVM is gone.
                System.exit(1);
            }
            String[] words = order.split(" ", -1);
            Jdbi victim = Jdbi.create(arguments[0]);
            Trial trial = new Trial(ProtocolVariant.valueOf(words[0]), words[1], victim, victim)
                    .outside(operation -> operation.noEffectWhen(IllegalStateException.class::isInstance));
            switch (WorkBehaviour.valueOf(words[2])) {
                case SUCCEEDS -> trial.call();
                case FAILS ->
                    trial.call(doing -> {
                        throw new IllegalStateException("refused");
                    });
                case HEALS -> trial.callToHeal();
            }
            throw new IllegalStateException("This process should have been killed.");
        }
    }
}
