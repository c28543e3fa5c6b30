package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.programs.CannotRun;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Usage is counted in windows. Rounds may die, overlap and be repeated; the result matches the executions. */
@Tag("thorough")
class UsageStatisticsTest {

    /** Nothing in the process catches this, so as far as the database can tell, the process is dead. */
    private static final class Died extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final AtomicBoolean dies = new AtomicBoolean();
    private TestPlatform test;
    private UsageStatistics usage;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.idle();
        test.execute("INSERT INTO workspace (id, name, quota_granted, quota_left) VALUES (2, 'two', 150, 150)");
        usage = statistics();
    }

    @AfterEach
    void close() {
        test.close();
    }

    private UsageStatistics statistics() {
        return new UsageStatistics(
                test.platform.transactions,
                () -> {
                    if (dies.get()) {
                        throw new Died();
                    }
                },
                line -> {});
    }

    private static void trigger(Handle handle, int number, int workspace, int secondsAgo) {
        for (int i = 0; i < number; i++) {
            handle.execute(
                    "INSERT INTO execution (id, workspace_id, app_id, status, triggered_at) VALUES (?, ?, ?, 'queued',"
                            + " CURRENT_TIMESTAMP - INTERVAL '" + secondsAgo + "' SECOND)",
                    UUID.randomUUID(),
                    workspace,
                    UUID.randomUUID());
        }
    }

    private void trigger(int number, int workspace, int secondsAgo) {
        test.database.jdbi().useTransaction(handle -> trigger(handle, number, workspace, secondsAgo));
    }

    private long counted(int workspace) {
        return test.database.jdbi().withHandle(handle -> UsageStatistics.of(handle, workspace));
    }

    private CheckResult check() {
        return test.platform
                .checks
                .named("usage-statistics")
                .orElseThrow()
                .check()
                .run(test.platform.transactions);
    }

    @Test
    void triggeringWritesNoRowThatOthersWriteToo() throws Exception {
        trigger(3, 1, 0);
        assertThat(counted(1)).isZero();
        usage.aggregate();
        usage.aggregate();
        assertThat(counted(1)).isEqualTo(3);
        assertThat(test.client
                        .get(test.url() + "/usage", 1, List.of())
                        .path("executions")
                        .asLong())
                .isEqualTo(3);
    }

    @Test
    void roundThatDiesChangesNothingAndTheNextOneCountsAll() {
        trigger(2, 1, 300);
        trigger(3, 1, 0);
        usage.aggregate();
        String progress = test.one("SELECT sealed_until FROM usage_progress");
        trigger(5, 1, 0);
        trigger(1, 2, 0);
        dies.set(true);
        assertThatThrownBy(usage::aggregate).isInstanceOf(Died.class);
        assertThat(counted(1)).isEqualTo(5);
        assertThat(test.one("SELECT sealed_until FROM usage_progress")).isEqualTo(progress);
        dies.set(false);
        usage.aggregate();
        usage.aggregate();
        assertThat(counted(1)).isEqualTo(10);
        assertThat(counted(2)).isEqualTo(1);
    }

    @Test
    void roundsOfManyNodesAtOnceCountEachExecutionOnce() throws Exception {
        ExecutorService nodes = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Object>> rounds = Stream.generate(this::statistics)
                    .limit(4)
                    .map(node -> (Callable<Object>) () -> {
                        for (int i = 0; i < 10; i++) {
                            trigger(2, 1 + i % 2, i % 3 * 40);
                            node.aggregate();
                        }
                        return node;
                    })
                    .toList();
            for (Future<Object> node : nodes.invokeAll(rounds)) {
                assertThat(node.get()).isNotNull();
            }
        } finally {
            nodes.shutdownNow();
        }
        usage.aggregate();
        assertThat(counted(1)).isEqualTo(40);
        assertThat(counted(2)).isEqualTo(40);
        assertThat(check().isClean()).isTrue();
    }

    /**
     * Its transaction began before a round and commits after it, so its time falls into a window that the round has
     * already counted.
     */
    @Test
    void executionThatIsCommittedAfterItsWindowWasCountedIsCountedByTheNextRound() {
        test.database.jdbi().useHandle(late -> {
            late.begin();
            trigger(late, 1, 1, 20);
            usage.aggregate();
            assertThat(counted(1)).isZero();
            late.commit();
        });
        usage.aggregate();
        assertThat(counted(1)).isEqualTo(1);
    }

    @Test
    void executionThatIsTooLateForItsSealedWindowIsFoundAndItsWorkspaceIsCountedAgain() {
        trigger(4, 1, 300);
        trigger(4, 2, 300);
        usage.aggregate();
        trigger(1, 1, 300);
        usage.aggregate();
        assertThat(counted(1)).isEqualTo(4);
        assertThat(check().offending()).isEqualTo(1);
        List<RepairReport> reports = test.platform.upkeep.repair("usage-statistics", false);
        assertThat(reports).extracting(RepairReport::changed).containsExactly(1L);
        assertThat(counted(1)).isEqualTo(5);
        assertThat(check().isClean()).isTrue();
    }

    /** The two mistakes in one workspace add up to the correct sum. */
    @Test
    void mistakesThatCancelEachOtherAreFound() {
        trigger(3, 1, 300);
        trigger(3, 1, 600);
        usage.aggregate();
        test.execute("UPDATE usage_window SET executions = executions + 1"
                + " WHERE window_start = (SELECT max(window_start) FROM usage_window)");
        test.execute("UPDATE usage_window SET executions = executions - 1"
                + " WHERE window_start = (SELECT min(window_start) FROM usage_window)");
        assertThat(counted(1)).isEqualTo(6);
        assertThat(check().offending()).isEqualTo(1);
        List<RepairReport> reports = test.platform.upkeep.repair("usage-statistics", false);
        assertThat(reports).extracting(RepairReport::changed).containsExactly(1L);
        assertThat(check().isClean()).isTrue();
    }

    @Test
    void everythingIsRebuiltFromTheExecutions() {
        trigger(3, 1, 300);
        trigger(2, 2, 0);
        usage.aggregate();
        test.execute("DELETE FROM usage_window");
        test.execute("INSERT INTO usage_window (workspace_id, window_start, executions) VALUES (7, 0, 9)");
        test.platform.transactions.useTransaction(READ_COMMITTED, UsageStatistics::rebuildAll);
        usage.aggregate();
        assertThat(counted(1)).isEqualTo(3);
        assertThat(counted(2)).isEqualTo(2);
        assertThat(counted(7)).isZero();
        assertThat(check().isClean()).isTrue();
    }
}
