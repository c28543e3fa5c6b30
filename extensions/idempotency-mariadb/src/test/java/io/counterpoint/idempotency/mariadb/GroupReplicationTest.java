package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.mariadb.GroupFaults.Kind;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.GroupCluster;
import io.counterpoint.idempotency.testing.GroupNode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three servers of MySQL with Group Replication and a single primary, while callers of every protocol follow the primary.
 * The whole run is set by {@code group.failovers}, {@code group.consistency} and {@code group.seed}.
 */
@Tag("group")
@Timeout(value = 2, unit = TimeUnit.HOURS)
class GroupReplicationTest {

    private static final int FAILOVERS = Integer.getInteger("group.failovers", 3);
    private static final String CONSISTENCY = System.getProperty("group.consistency", "BEFORE_ON_PRIMARY_FAILOVER");
    private static final long SEED = Long.getLong("group.seed", System.nanoTime());

    private static GroupCluster cluster;
    private static NodePools pools;

    @BeforeAll
    static void start() {
        cluster = GroupCluster.start("--group-replication-consistency=" + CONSISTENCY);
        pools = NodePools.onNew(cluster, "storm", "");
        store(cluster.primary()).createTableIfMissing();
        StormEffects.createTable(Jdbi.create(pools.of(cluster.nodes().indexOf(cluster.primary()))));
    }

    @AfterAll
    static void end() {
        pools.close();
        cluster.close();
    }

    private static JdbiIdempotencyStore store(GroupNode node) {
        return JdbiIdempotencyStore.on(pools.of(cluster.nodes().indexOf(node)));
    }

    @Test
    void everyKeyHasOneEffectAndOneAnswerThroughFailovers() throws Exception {
        long start = System.nanoTime();
        GroupFaults faults = new GroupFaults(cluster);
        // Callers check the table before they begin.
        List<CountDownLatch> begun = new ArrayList<>();
        FutureTask<Void> striking = new FutureTask<>(() -> {
            for (CountDownLatch each : begun) {
                each.await();
            }
            faults.strike(FAILOVERS, new Random(SEED));
            return null;
        });
        List<Storm> storms = new ArrayList<>();
        List<FutureTask<Void>> runs = new ArrayList<>();
        for (StormMode mode : StormMode.values()) {
            Storm storm = new Storm(
                    pools,
                    new Storm.Plan(
                            mode,
                            StormWork.KINDS,
                            1,
                            Storm.NODES,
                            IntUnaryOperator.identity(),
                            false,
                            UnaryOperator.identity()));
            CountDownLatch first = new CountDownLatch(1);
            begun.add(first);
            storms.add(storm);
            runs.add(new FutureTask<>(() -> {
                storm.run(striking, () -> {
                    first.countDown();
                    faults.answered();
                });
                return null;
            }));
        }
        runs.forEach(run -> Storm.begin("storm", run));
        for (FutureTask<Void> run : runs) {
            run.get();
        }
        List<String> broken = new ArrayList<>();
        for (Storm storm : storms) {
            broken.addAll(storm.brokenPromises());
        }
        System.out.printf(
                "Group Replication, %s, seed %d: %d keys, %d of them on several nodes, %d calls (%d results, %d failures,"
                        + " %d released, %d in progress, %d to ask again), %d broken promises, %d s%n%s%n",
                CONSISTENCY,
                SEED,
                sum(storms, history -> history.keys().size()),
                sum(storms, StormHistory::keysOnSeveralNodes),
                sum(storms, StormHistory::calls),
                sum(storms, history -> history.calls(StormAnswer.Kind.RESULT)),
                sum(storms, history -> history.calls(StormAnswer.Kind.FAILURE)),
                sum(storms, history -> history.calls(StormAnswer.Kind.RELEASED)),
                sum(storms, history -> history.calls(StormAnswer.Kind.IN_PROGRESS)),
                sum(storms, history -> history.calls(StormAnswer.Kind.UNKNOWN)),
                broken.size(),
                TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start),
                faults.table());
        assertThat(broken).isEmpty();
        assertThat(faults.count(EnumSet.range(Kind.KILLED, Kind.CUT_OFF_FROM_THE_OTHERS)))
                .isEqualTo(FAILOVERS);
    }

    private static long sum(List<Storm> storms, ToLongFunction<StormHistory> count) {
        return storms.stream().map(Storm::history).mapToLong(count).sum();
    }

    @Test
    void secondaryIsRefused() {
        GroupNode primary = cluster.primary();
        for (GroupNode node : cluster.nodes()) {
            if (node != primary) {
                assertThatThrownBy(() -> store(node).checkTable())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("read_only is ON", "a secondary of a group");
            }
        }
        assertThat(store(primary).checkTable()).isNotNull();
    }

    @Test
    void everyOneOfSeveralPrimariesIsRefused() {
        GroupNode primary = cluster.primary();
        primary.execute("DO group_replication_switch_to_multi_primary_mode()");
        try {
            for (GroupNode node : cluster.nodes()) {
                assertThatThrownBy(() -> store(node).checkTable())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContainingAll("several primaries", "group_replication_single_primary_mode");
            }
        } finally {
            primary.execute("DO group_replication_switch_to_single_primary_mode()");
        }
        assertThat(store(cluster.primary()).checkTable()).isNotNull();
    }

    // ---- what a level of group_replication_consistency promises ----------------------------------------------------

    /** Sessions of this level, which wait three seconds for an answer. */
    private static JdbiIdempotencyStore store(GroupNode node, String level) {
        return JdbiIdempotencyStore.on(Jdbi.create(node.proxiedUrl("storm") + "&connectTimeout=2000&socketTimeout=3000"
                + "&sessionVariables=group_replication_consistency='" + level + "'"));
    }

    private static String call(JdbiIdempotencyStore store, String key) {
        return Idempotency.on(store)
                .operation("operate", ResultCodec.string())
                .settleWithin(Duration.ofSeconds(1))
                .build()
                .execute(Attempt.inScope("user:1").key(key).request("request"), handle -> {
                    String result = UUID.randomUUID().toString();
                    new StormEffects().add(handle, new StormEffects.Effect(key, result, result));
                    return result;
                })
                .orElseThrow();
    }

    private static Optional<IdempotencyRecord> read(JdbiIdempotencyStore store, String key) {
        return store.read(IdempotencyKey.inScope("user:1").operation("operate").value(key));
    }

    private static void assertOneEffect(String key, String result) {
        assertThat(call(store(cluster.primary(), CONSISTENCY), key)).isEqualTo(result);
        assertThat(new StormEffects()
                        .byKey(Jdbi.create(pools.startingAt(0, unused -> {})))
                        .get(key))
                .extracting(StormEffects.Effect::result)
                .containsExactly(result);
    }

    private static void assertRefusedAsAlone(GroupNode node) {
        assertThatThrownBy(() -> store(node, "EVENTUAL").checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("has no majority that includes it", "super_read_only=ON");
    }

    /** It would take writes that the group never gets. */
    @Test
    void serverThatHasLeftItsGroupIsRefused() {
        GroupNode left = cluster.nodes().get((cluster.nodes().indexOf(cluster.primary()) + 1) % Storm.NODES);
        left.execute("STOP GROUP_REPLICATION");
        try {
            left.execute("SET GLOBAL read_only = OFF");
            assertRefusedAsAlone(left);
        } finally {
            left.execute("SET GLOBAL super_read_only = ON");
            cluster.awaitWhole();
        }
    }

    /** The server says that it has rolled back. The others may have got the transaction, and committed it. */
    @Test
    void commitOfAPrimaryThatIsLeftBehindProvesNothing() throws Exception {
        GroupNode former = cluster.primary();
        FutureTask<SQLException> committing;
        try (Connection connection = DriverManager.getConnection(former.jdbcUrl())) {
            connection.setAutoCommit(false);
            connection.createStatement().execute("INSERT INTO storm.effect VALUES ('left behind', '', '', '')");
            former.isolate();
            committing = new FutureTask<>(() -> catchThrowableOfType(SQLException.class, connection::commit));
            Storm.begin("commits", committing);
            GroupNode unused = cluster.awaitPrimaryBesides(former);
            former.endIsolation();
            SQLException answer = committing.get();
            assertThat(MariaDbDialect.mySql().classify(answer))
                    .as("%d %s %s", answer.getErrorCode(), answer.getSQLState(), answer.getMessage())
                    .isEqualTo(Fault.CONNECTION_LOST);
        } finally {
            former.endIsolation();
            cluster.awaitWhole();
        }
    }

    /** Nobody has noticed there that others lead. Only the levels that ask the group before each read notice it. */
    @Test
    void primaryThatIsCutOffFindsNoAnswerOfTheNextOneAndHasNoEffect() {
        GroupNode former = cluster.primary();
        JdbiIdempotencyStore unused = store(former, "EVENTUAL").checkTable();
        Map<String, String> told = new HashMap<>();
        former.isolate();
        try {
            GroupNode next = cluster.awaitPrimaryBesides(former);
            assertRefusedAsAlone(former);
            for (String level : List.of("EVENTUAL", "BEFORE_ON_PRIMARY_FAILOVER", "AFTER")) {
                told.put(level, call(store(next, level), level));
                assertThat(read(store(former, level), level)).as(level).isEmpty();
                assertThatThrownBy(() -> call(store(former, level), level))
                        .as(level)
                        .isInstanceOf(IdempotencyException.class);
            }
            for (String level : List.of("BEFORE", "BEFORE_AND_AFTER")) {
                told.put(level, call(store(next, level), level));
                assertThatThrownBy(() -> read(store(former, level), level))
                        .as(level)
                        .isInstanceOf(RuntimeException.class);
            }
        } finally {
            former.endIsolation();
            cluster.awaitWhole();
        }
        told.forEach(GroupReplicationTest::assertOneEffect);
    }

    /** A call goes on there, whose COMMIT at the next primary was not answered. */
    @Test
    void primaryThatIsCutOffDeniesNoEffectOfTheNextOne() {
        GroupNode former = cluster.primary();
        AtomicInteger runs = new AtomicInteger();
        Throwable thrown;
        former.isolate();
        try {
            GroupNode next = cluster.awaitPrimaryBesides(former);
            JdbiIdempotencyStore store = JdbiIdempotencyStore.builder(Jdbi.create(
                            () -> DriverManager.getConnection((runs.get() == 0 ? next : former).proxiedUrl("storm")
                                    + "&connectTimeout=2000&socketTimeout=3000")))
                    .dialect(pools.dialect())
                    .build();
            next.proxy().onNextStatement(ProxiedCalls::isCommit, Cut.AFTER_ANSWER);
            thrown = catchThrowable(() -> Idempotency.on(store)
                    .operation("operate", ResultCodec.string())
                    .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                    .releaseOn(IllegalStateException.class::isInstance)
                    .settleWithin(Duration.ofSeconds(1))
                    .build()
                    .execute(Attempt.inScope("user:1").key("denied").request("request"), handle -> {
                        if (runs.getAndIncrement() > 0) {
                            throw new IllegalStateException("refused in the second run");
                        }
                        new StormEffects().add(handle, new StormEffects.Effect("denied", "caller", "result"));
                        return "result";
                    }));
        } finally {
            former.endIsolation();
            cluster.nodes().forEach(node -> node.proxy().heal());
            cluster.awaitWhole();
        }
        assertThat(thrown)
                .isInstanceOfSatisfying(
                        IdempotencyException.class,
                        unknown -> assertThat(unknown.isRetryable()).isTrue());
        assertThat(runs.get()).isGreaterThan(1);
        assertOneEffect("denied", "result");
    }

    /** The next primary has received what the former one has answered, and is kept from applying it. */
    @Test
    void primaryWithABacklogFindsNoAnswerOfTheFormerOneUnderEventualAndHasNoEffect() throws SQLException {
        GroupNode former = cluster.primary();
        GroupNode next = cluster.nodes().get((cluster.nodes().indexOf(former) + 1) % Storm.NODES);
        next.execute("SET GLOBAL group_replication_member_weight = 90");
        String told;
        try (Connection holding = DriverManager.getConnection(next.jdbcUrl())) {
            holding.createStatement().execute("LOCK TABLES storm.idempotency_record READ");
            told = call(store(former, "EVENTUAL"), "backlog");
            former.kill();
            cluster.awaitElected(next);
            assertThat(read(store(next, "EVENTUAL"), "backlog")).isEmpty();
            assertThatThrownBy(() -> call(store(next, "EVENTUAL"), "backlog")).isInstanceOf(IdempotencyException.class);
            assertThatThrownBy(() -> read(store(next, "BEFORE_ON_PRIMARY_FAILOVER"), "backlog"))
                    .isInstanceOf(RuntimeException.class);
        } finally {
            next.execute("SET GLOBAL group_replication_member_weight = 50");
        }
        cluster.awaitWhole();
        assertThat(read(store(next, "BEFORE_ON_PRIMARY_FAILOVER"), "backlog")).isPresent();
        assertOneEffect("backlog", told);
    }
}
