package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole program with the bundled sample. Each run has its own database. */
@Tag("thorough")
@Execution(ExecutionMode.CONCURRENT)
class SampleTest {

    static Stream<Arguments> protocolsAndDatabases() {
        return Arrays.stream(Protocol.values())
                .flatMap(protocol -> Arrays.stream(Run.On.values()).map(database -> arguments(protocol, database)));
    }

    @Tag("thorough")
    @ParameterizedTest
    @MethodSource("protocolsAndDatabases")
    void everySuccessfulKeyHasOneGroupAndNoOtherKeyHasAny(Protocol protocol, Run.On database) {
        Run run = Run.of(database, "--protocol", protocol.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.text())
                .contains(
                        "requests 1,000\n",
                        " executed 575\n",
                        " in progress 0\n",
                        " refused 80 33 x name-reserved, 47 x name-too-long\n",
                        " key reused 42\n",
                        " malformed 31\n",
                        "keys 623\n",
                        "groups 575 575\n",
                        "events written 575\nevents published 575\n",
                        "Delivered: 0 events waiting, 0 parked, 0 without a group, 0 applied twice; members read ",
                        "Verified: 575 successful keys, 575 groups, 0 surplus, 0 missing.\n");
        assertThat(run.text()).as("lost on purpose").doesNotContain(" lost by the hub 0 ");
        assertThat(run.exitCode()).isZero();
    }

    @Tag("thorough")
    @ParameterizedTest
    @EnumSource
    void withoutTheLibraryThereAreMoreGroupsThanKeys(Run.On database) {
        Run run = Run.of(database, "--unprotected");

        assertThat(run.text())
                .contains(
                        "in the database one per key found\ngroups 575 889\n",
                        "NOT verified: 575 successful keys, 889 groups, 314 surplus, 0 missing; 213 keys",
                        "; 213 keys with different answers",
                        "exit code is 1");
        assertThat(run.exitCode()).isEqualTo(1);
    }

    @Tag("matrix")
    @ParameterizedTest
    @MethodSource("protocolsAndDatabases")
    void keysOfKilledLeadersHaveOneGroupOrNone(Protocol protocol, Run.On database) {
        Run run = Run.of(database, "--crash", "--protocol", protocol.toString());

        assertThat(run.err()).isEmpty();
        assertThat(run.text()).contains(fates(protocol)).contains("\nVerified: ", ", 0 surplus, 0 missing");
        assertThat(run.exitCode()).isZero();
    }

    /**
     * Each line: when the leaders were killed, the records left, the groups left, the responses to retries, the groups
     * after that.
     */
    private static List<String> fates(Protocol protocol) {
        return switch (protocol) {
            case CLAIM_FIRST ->
                List.of(
                        "just before the commit 3 x Pending 0 3 x rejected: abandoned 0\n",
                        "just after the commit 3 x Succeeded 3 3 x replayed 3\n");
            case SINGLE_TRANSACTION ->
                List.of(
                        "just before the commit 3 x none 0 3 x executed 3\n",
                        "just after the commit 3 x Succeeded 3 3 x replayed 3\n");
            case EXTERNAL ->
                List.of(
                        "just before the commit 3 x Pending 0 3 x in progress 0\n",
                        "after the commit, before the mark 3 x Pending 3 3 x healed 3\n",
                        "just after the mark 3 x Succeeded 3 3 x replayed 3\n");
        };
    }

    @Test
    void theSameFileAgainExecutesNothing() {
        String url = PostgresServer.shared().createDatabase();
        Run.of("--jdbc-url", url);

        Run again = Run.of("--jdbc-url", url);

        assertThat(again.text())
                .contains(" executed 0\n", " replayed 847\n", "Verified: 575 successful keys, 575 groups, 0 surplus");
    }

    @Tag("thorough")
    @Test
    void damageOfAnEarlierRunIsNotBlamedOnThisOne() {
        String url = PostgresServer.shared().createDatabase();
        Run.of("--jdbc-url", url, "--unprotected");

        Run run = Run.of("--jdbc-url", url, "--protocol", "single-transaction");

        assertThat(run.text()).contains("Verified: 575 successful keys, 575 groups, 0 surplus, 0 missing.");
    }

    @Test
    void groupsMayLiveInAnotherDatabaseOfOnesChoice() {
        Run run = Run.of(
                Run.On.POSTGRESQL,
                "--protocol",
                "external",
                "--groups-jdbc-url",
                PostgresServer.shared().createDatabase());

        assertThat(run.text()).contains("Verified: 575 successful keys, 575 groups, 0 surplus, 0 missing.");
    }

    @Test
    void stoppedRunReportsWhatWasDone() {
        Run run = Run.of(new AtomicBoolean(true));

        assertThat(run.text()).contains(" not sent 969 stopped before\n", "Verified: 0 successful keys");
    }
}
