package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchEntry;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testing.GaleraNode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two nodes of Galera do to each other's transactions, and what the dialect makes of it. */
@Tag("galera")
@Timeout(300)
class GaleraTest {

    private static final ClaimOptions DURABLE =
            new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(5), true, false);
    private static final Attempt ATTEMPT = Attempt.in("user:1").key("key").request("request");

    private static GaleraCluster cluster;
    private static GaleraPools pools;

    private final Dialect dialect = MariaDbDialect.galera();

    @BeforeAll
    static void open() {
        cluster = GaleraCluster.shared();
        pools = GaleraPools.onNew(cluster, "dialect", "");
        JdbiIdempotencyStore.of(pools.of(0), MariaDbDialect.galera()).createTableIfMissing();
        Jdbi.create(pools.of(0))
                .useHandle(handle -> handle.execute(
                        "CREATE TABLE effect (id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, name varchar(100))"));
    }

    @AfterAll
    static void close() {
        pools.close();
    }

    @BeforeEach
    void empty() {
        cluster.awaitWhole();
        Jdbi.create(pools.of(0)).useHandle(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
        });
    }

    private static JdbiIdempotencyStore store(int node) {
        return JdbiIdempotencyStore.of(pools.of(node), MariaDbDialect.galera());
    }

    private static Pending pending(String value) {
        IdempotencyKey key = new IdempotencyKey("user:1", "operation", value);
        return new Pending(
                key,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.of("request"),
                Optional.empty(),
                Duration.ZERO);
    }

    private static int effects() {
        return Jdbi.create(pools.of(2))
                .withHandle(handle -> handle.createQuery(
                                "SET STATEMENT wsrep_sync_wait = 1 FOR SELECT count(*) FROM effect")
                        .mapTo(Integer.class)
                        .one());
    }

    private interface OnTwoNodes {
        void run(Connection first, Connection second) throws SQLException;
    }

    /** In a transaction each, which the test ends. */
    private static void onTwoNodes(OnTwoNodes body) throws SQLException {
        try (Connection first = pools.of(0).getConnection();
                Connection second = pools.of(1).getConnection()) {
            first.setAutoCommit(false);
            second.setAutoCommit(false);
            body.run(first, second);
            first.rollback();
            second.rollback();
            first.setAutoCommit(true);
            second.setAutoCommit(true);
        }
    }

    private Fault faultOf(SQLException thrown) {
        return dialect.classify(thrown);
    }

    // ---- which transaction stands --------------------------------------------------------------------------------

    @Test
    void oneOfTwoClaimsOnTwoNodesIsCommitted() throws SQLException {
        ClaimOptions inTransaction = new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(5), false, false);
        onTwoNodes((first, second) -> {
            assertThat(dialect.insert(first, pending("key"), inTransaction).inserted())
                    .isTrue();
            assertThat(dialect.insert(second, pending("key"), inTransaction).inserted())
                    .isTrue();
            first.commit();
            assertThatThrownBy(second::commit)
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            thrown -> assertThat(faultOf(thrown)).isEqualTo(Fault.CONFLICT));
        });
    }

    @Test
    void lockOnOneNodeIsNotSeenOnAnotherAndTheFirstWriterWins() throws SQLException {
        Pending record = pending("key");
        try (Connection connection = pools.of(0).getConnection()) {
            dialect.insert(connection, record, DURABLE);
        }
        onTwoNodes((leader, arbiter) -> {
            assertThat(dialect.lock(leader, record.key(), Duration.ofSeconds(1)))
                    .isPresent();
            assertThat(dialect.lock(arbiter, record.key(), Duration.ZERO)).isPresent();
            assertThat(dialect.change(
                            arbiter,
                            RecordChange.REPLACE_TOKEN,
                            record.key(),
                            record.token(),
                            false,
                            UUID.randomUUID()))
                    .isTrue();
            arbiter.commit();
            assertThatThrownBy(() -> dialect.change(
                            leader,
                            RecordChange.SUCCEED,
                            record.key(),
                            record.token(),
                            false,
                            null,
                            "idempotency_transaction"))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            thrown -> assertThat(faultOf(thrown)).isEqualTo(Fault.CONFLICT));
        });
    }

    /** A write that changes nothing is not certified: it would let both commit. */
    @Test
    void signOfLifeAndConfirmingWriteConflictWithAnotherNodes() throws SQLException {
        Pending record = pending("key");
        try (Connection connection = pools.of(0).getConnection()) {
            dialect.insert(connection, record, DURABLE);
        }
        for (boolean confirms : new boolean[] {true, false}) {
            onTwoNodes((first, second) -> {
                for (Connection each : List.of(first, second)) {
                    assertThat(
                                    confirms
                                            ? dialect.confirm(each, record.key(), record.token(), false)
                                            : dialect.change(
                                                    each,
                                                    RecordChange.REPLACE_TOKEN,
                                                    record.key(),
                                                    record.token(),
                                                    false,
                                                    record.token()))
                            .isTrue();
                }
                first.commit();
                assertThatThrownBy(second::commit)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                thrown -> assertThat(faultOf(thrown)).isEqualTo(Fault.CONFLICT));
            });
        }
    }

    // ---- what is read --------------------------------------------------------------------------------------------

    /** While tables are locked on a node, it does not apply what others commit. */
    @ParameterizedTest
    @ValueSource(strings = {"read", "readAll", "lock", "lock at once"})
    void readThatDecidesWaitsForWhatAnotherNodeHasCommitted(String how) throws Exception {
        Pending record = pending("key");
        try (Connection slow = pools.of(1).getConnection();
                Connection fast = pools.of(0).getConnection();
                Connection reader = pools.of(1).getConnection()) {
            LockBound.execute(slow, "FLUSH TABLES WITH READ LOCK");
            FutureTask<Optional<UUID>> read;
            try {
                assertThat(dialect.insert(fast, record, DURABLE).inserted()).isTrue();
                assertThat(LockBound.single(reader, "SELECT COUNT(*) FROM idempotency_record"))
                        .isEqualTo("0");
                CountDownLatch begun = new CountDownLatch(1);
                read = new FutureTask<>(() -> {
                    begun.countDown();
                    return token(reader, record.key(), how);
                });
                new Thread(read, "reader").start();
                begun.await();
                awaitSynchronousReader();
                assertThat(read.isDone()).isFalse();
            } finally {
                LockBound.execute(slow, "UNLOCK TABLES");
            }
            assertThat(read.get(60, TimeUnit.SECONDS)).contains(record.token());
        }
    }

    private Optional<UUID> token(Connection reader, IdempotencyKey key, String how) throws SQLException {
        return switch (how) {
            case "read" -> dialect.read(reader, key).map(IdempotencyRecord::token);
            case "readAll" ->
                Optional.ofNullable(dialect.readAll(reader, Set.of(key)).get(key))
                        .map(IdempotencyRecord::token);
            default -> {
                reader.setAutoCommit(false);
                Optional<UUID> token = dialect.lock(
                                reader, key, how.equals("lock") ? Duration.ofSeconds(5) : Duration.ZERO)
                        .map(locked -> locked.record().token());
                reader.rollback();
                reader.setAutoCommit(true);
                yield token;
            }
        };
    }

    private static void awaitSynchronousReader() throws SQLException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
        try (Connection watch = pools.of(1).getConnection()) {
            while (LockBound.single(
                            watch,
                            "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE 'SET STATEMENT%'")
                    .equals("0")) {
                assertThat(System.nanoTime()).isLessThan(deadline);
            }
        }
    }

    // ---- calls ---------------------------------------------------------------------------------------------------

    private static Operation<Handle, String> operation(int node) {
        return Idempotency.on(store(node))
                .operation("operate", ResultCodec.string())
                .build();
    }

    @Test
    void callOnAnotherNodeIsAnsweredFromTheRecord() {
        for (int node = 0; node < 3; node++) {
            Outcome<String> outcome = operation(node).execute(ATTEMPT, handle -> {
                handle.execute("INSERT INTO effect (name) VALUES ('effect')");
                return "result";
            });
            assertThat(outcome).isInstanceOf(node == 0 ? Outcome.Executed.class : Outcome.Replayed.class);
            assertThat(outcome.orElseThrow()).isEqualTo("result");
        }
        assertThat(effects()).isEqualTo(1);
    }

    /** The other node's leader has written the same row of the domain, and has committed first. */
    @Test
    void workThatConflictsWithAnotherNodeIsRunAgain() {
        Jdbi.create(pools.of(0)).useHandle(handle -> handle.execute("INSERT INTO effect VALUES (1, 'shared')"));
        int[] runs = {0};
        Outcome<String> outcome = operation(0).execute(ATTEMPT, handle -> {
            handle.createQuery("SELECT name FROM effect WHERE id = 1 FOR UPDATE")
                    .mapTo(String.class)
                    .one();
            if (runs[0]++ == 0) {
                Jdbi.create(pools.of(1))
                        .useHandle(other -> other.execute("UPDATE effect SET name = 'other' WHERE id = 1"));
            }
            handle.execute("UPDATE effect SET name = CONCAT(name, '+') WHERE id = 1");
            return "result";
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(runs[0]).isEqualTo(2);
        String name = Jdbi.create(pools.of(0))
                .withHandle(handle -> handle.createQuery("SELECT name FROM effect WHERE id = 1")
                        .mapTo(String.class)
                        .one());
        assertThat(name).isEqualTo("other+");
    }

    // ---- what locks would keep apart on one server ---------------------------------------------------------------

    private static void insertEffect(Handle handle, String name) {
        handle.execute("INSERT INTO effect (name) VALUES (?)", name);
    }

    private interface Call {
        Outcome<String> run();
    }

    private static Outcome<String> answerOf(FutureTask<Outcome<String>> call) {
        try {
            return call.get(60, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError(e);
        }
    }

    /** The leader works on the first node until a rival on the second one is answered. */
    private static Outcome<String> whileALeaderWorks(Operation<Handle, String> leading, Call rival, String ofTheRival)
            throws Exception {
        CountDownLatch works = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        FutureTask<Outcome<String>> leader = new FutureTask<>(() -> leading.<Exception>execute(ATTEMPT, handle -> {
            insertEffect(handle, "leader's");
            works.countDown();
            assertThat(answered.await(60, TimeUnit.SECONDS)).isTrue();
            return "leader's";
        }));
        new Thread(leader, "leader").start();
        assertThat(works.await(60, TimeUnit.SECONDS)).isTrue();
        try {
            assertThat(rival.run().orElseThrow()).isEqualTo(ofTheRival);
        } finally {
            answered.countDown();
        }
        return leader.get(60, TimeUnit.SECONDS);
    }

    /** Its lock is not seen. So the grace has to exceed the longest work, and nothing is doubled where it does not. */
    @Test
    void leaderThatIsTakenForDeadHasNoEffect() throws Exception {
        Operation<Handle, String> rival = Idempotency.on(store(1))
                .operation("operate", ResultCodec.string())
                .waitAtMost(Duration.ofSeconds(20))
                .takeOverAbandonedAfter(Duration.ofMillis(100))
                .build();
        Outcome<String> late = whileALeaderWorks(
                operation(0),
                () -> rival.execute(ATTEMPT, handle -> {
                    insertEffect(handle, "rival's");
                    return "rival's";
                }),
                "rival's");
        assertThat(late).isInstanceOf(Outcome.Replayed.class);
        assertThat(late.orElseThrow()).isEqualTo("rival's");
        assertThat(effects()).isEqualTo(1);
    }

    /** Nothing of the leader is committed, so the rival on another node does not wait, and works too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void singleTransactionsOnTwoNodesWorkAtOnceAndOneIsCommitted(boolean recordsLast) throws Exception {
        List<Operation<Handle, String>> operations = new ArrayList<>();
        for (int node = 0; node < 2; node++) {
            Operation.Builder<Handle, String> builder =
                    Idempotency.on(store(node).checkTable()).operation("operate", ResultCodec.string());
            operations.add((recordsLast ? builder.recordLast() : builder.singleTransaction()).build());
        }
        Outcome<String> late = whileALeaderWorks(
                operations.get(0),
                () -> operations.get(1).execute(ATTEMPT, handle -> {
                    insertEffect(handle, "rival's");
                    return "rival's";
                }),
                "rival's");
        assertThat(late).isInstanceOf(Outcome.Replayed.class);
        assertThat(late.orElseThrow()).isEqualTo("rival's");
        assertThat(effects()).isEqualTo(1);
    }

    /** A batch on another node does not see the claim of its rival, and loses at its commit. */
    @Test
    void batchThatMeetsARivalOfAnotherNodeIsExecutedWithoutItsKey() {
        List<Attempt> attempts =
                List.of(ATTEMPT, Attempt.in("user:1").key("other").request("request"));
        AtomicInteger runs = new AtomicInteger();
        FutureTask<Outcome<String>> rival = new FutureTask<>(() -> operation(1).execute(ATTEMPT, handle -> {
            insertEffect(handle, "rival's");
            return "rival's";
        }));
        List<BatchEntry<String>> entries = Batch.inOneTransaction(operation(0))
                .executeAll(attempts, (handle, leading) -> {
                    if (runs.getAndIncrement() == 0) {
                        new Thread(rival, "rival").start();
                        assertThat(answerOf(rival)).isInstanceOf(Outcome.Executed.class);
                    }
                    leading.forEach(attempt -> insertEffect(handle, "batch's"));
                    return leading.stream().map(attempt -> "batch's").toList();
                });
        assertThat(runs).hasValueGreaterThan(1);
        assertThat(entries.get(0).orElseThrow().orElseThrow()).isEqualTo("rival's");
        assertThat(entries.get(1).orElseThrow().orElseThrow()).isEqualTo("batch's");
        assertThat(effects()).isEqualTo(2);
    }

    // ---- purges --------------------------------------------------------------------------------------------------

    private static void plant(int node, String prefix, int records, Duration retention, boolean terminal)
            throws SQLException {
        ClaimOptions options = new ClaimOptions(retention, Duration.ofSeconds(5), true, false);
        Dialect galera = MariaDbDialect.galera();
        try (Connection connection = pools.of(node).getConnection()) {
            for (int i = 0; i < records; i++) {
                Pending record = pending(prefix + i);
                assertThat(galera.insert(connection, record, options).inserted())
                        .isTrue();
                if (terminal) {
                    assertThat(galera.change(
                                    connection,
                                    RecordChange.FAIL,
                                    record.key(),
                                    record.token(),
                                    true,
                                    "declined",
                                    "The card was declined."))
                            .isTrue();
                }
            }
        }
    }

    private static List<String> recordsOn(int node) {
        return Jdbi.create(pools.of(node))
                .withHandle(handle -> handle.createQuery("SET STATEMENT wsrep_sync_wait = 1 FOR"
                                + " SELECT key_value FROM idempotency_record ORDER BY key_value")
                        .mapTo(String.class)
                        .list());
    }

    private static long conflicts() {
        return cluster.nodes().stream().mapToLong(GaleraNode::conflicts).sum();
    }

    /** The purge of one node has locked what it is to delete. Another node deletes it, and a caller claims a key anew. */
    @Test
    void purgeThatMeetsOneOfAnotherNodeIsRepeated() throws SQLException {
        plant(1, "expired", 5, Duration.ofMillis(1), true);
        long conflicts = conflicts();
        AtomicInteger first = new AtomicInteger(-1);
        cluster.nodes()
                .get(1)
                .proxy()
                .onNextStatement(
                        sql -> {
                            if (sql.equalsIgnoreCase("COMMIT") && first.get() < 0) {
                                first.set(store(0).purgeExpired(100));
                                assertThat(operation(0)
                                                .execute(
                                                        Attempt.in("user:1")
                                                                .key("expired0")
                                                                .request("request"),
                                                        handle -> "result"))
                                        .isInstanceOf(Outcome.Executed.class);
                            }
                            return false;
                        },
                        Cut.BEFORE_SEND);
        try {
            assertThat(store(1).purgeExpired(100)).isZero();
        } finally {
            cluster.nodes().get(1).proxy().heal();
        }
        assertThat(first.get()).isEqualTo(5);
        assertThat(conflicts()).isGreaterThan(conflicts);
        assertThat(recordsOn(2)).containsExactly("expired0");
    }

    @Test
    void purgesOnAllNodesAtOnceTakeEachExpiredRecordAndNoOther() throws Exception {
        plant(0, "expired", 150, Duration.ofMillis(1), true);
        plant(1, "kept", 10, Duration.ofDays(1), true);
        plant(2, "pending", 10, Duration.ofMillis(1), false);
        CyclicBarrier together = new CyclicBarrier(3);
        List<FutureTask<Integer>> purges = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            JdbiIdempotencyStore store = store(node);
            assertThat(recordsOn(node)).hasSize(170);
            purges.add(new FutureTask<>(() -> {
                int all = 0;
                for (int i = 0; i < 20; i++) {
                    together.await();
                    all += store.purgeExpired(10);
                }
                return all;
            }));
        }
        purges.forEach(purge -> new Thread(purge, "purge").start());
        int purged = 0;
        for (FutureTask<Integer> purge : purges) {
            purged += purge.get(120, TimeUnit.SECONDS);
        }
        assertThat(purged).isEqualTo(150);
        assertThat(recordsOn(0)).hasSize(20).allMatch(key -> key.startsWith("kept") || key.startsWith("pending"));
    }

    // ---- the check -----------------------------------------------------------------------------------------------

    @Test
    void dialectOfOneServerIsRefused() {
        assertThatThrownBy(() -> JdbiIdempotencyStore.of(pools.of(0), MariaDbDialect.mariaDb())
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MariaDbDialect.galera()");
        assertThat(store(0).checkTable()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"wsrep_on=OFF", "wsrep_dirty_reads=ON"})
    void sessionThatIsNotOneOfTheClusterIsRefused(String setting) {
        String url = cluster.nodes().get(0).proxiedUrl("dialect") + "&sessionVariables=" + setting;
        assertThatThrownBy(() -> JdbiIdempotencyStore.of(Jdbi.create(url), MariaDbDialect.galera())
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(setting.substring(0, setting.indexOf('=')));
    }

    @Test
    void tableWithoutAPrimaryKeyIsRefused() {
        Jdbi.create(pools.of(0)).useHandle(handle -> handle.execute("CREATE TABLE keyless (id int)"));
        try {
            assertThatThrownBy(() -> store(0).checkTable())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("keyless");
        } finally {
            Jdbi.create(pools.of(0)).useHandle(handle -> handle.execute("DROP TABLE keyless"));
        }
    }
}
