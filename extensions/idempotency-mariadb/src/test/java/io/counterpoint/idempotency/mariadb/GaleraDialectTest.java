package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordChange;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What two nodes of Galera do to the statements of each other, and what a read that decides waits for. */
@Tag("galera")
@Timeout(300)
class GaleraDialectTest extends GaleraFixture {

    private static final ClaimOptions DURABLE =
            new ClaimOptions(Duration.ofDays(1), Duration.ofSeconds(5), true, false);

    private final Dialect dialect = MariaDbDialect.galera();

    @BeforeEach
    void begin() {
        empty();
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
            assertThat(dialect.lock(leader, record.key(), Duration.ofSeconds(1), Optional.empty()))
                    .isPresent();
            assertThat(dialect.lock(arbiter, record.key(), Duration.ZERO, Optional.empty()))
                    .isPresent();
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
                                reader,
                                key,
                                how.equals("lock") ? Duration.ofSeconds(5) : Duration.ZERO,
                                Optional.empty())
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
}
