package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Many records inserted last, by drivers that go on after an error in a JDBC batch and by those that do not. */
@Tag("thorough")
@Timeout(60)
class InsertsOfManyTest {

    private static final ClaimOptions TERMS = new ClaimOptions(Duration.ofDays(1), Duration.ofMillis(1), false, false)
            .in(Optional.of(StartSavepoint.NAME));

    /** The server counts whole seconds. */
    private static final Duration ONE_WAIT = Duration.ofSeconds(1);

    private final Dialect dialect = TestPool.dialect();

    @ParameterizedTest
    @CsvSource({
        "MARIADB, useBulkStmtsForInserts=true",
        "MARIADB, useBulkStmtsForInserts=false",
        "MARIADB, disablePipeline=true",
        "MYSQL, continueBatchOnError=true",
        "MYSQL, rewriteBatchedStatements=true"
    })
    void rivalOfAllKeysIsWaitedForOnce(Driver driver, String setting) throws SQLException {
        List<Succeeded> records = records(20, 0);
        try (TestPool database = TestPool.by(driver, "&" + setting);
                Connection rival = begun(database);
                Connection own = begun(database)) {
            LockBound.execute(rival, dialect.schema().replace(";", ""));
            assertThat(dialect.insertEach(rival, records, TERMS)).isTrue();
            long start = System.nanoTime();

            SQLException thrown =
                    catchThrowableOfType(SQLException.class, () -> dialect.insertEach(own, records, TERMS));

            assertThat(dialect.classify(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(ONE_WAIT, ONE_WAIT.multipliedBy(10));
            own.rollback();
            rival.rollback();
        }
    }

    /** More parameters than a statement may have, more bytes than a packet may have, and more keys than are compared soon. */
    @ParameterizedTest
    @Tag("thorough")
    @CsvSource({"MARIADB, 10000, 0", "MYSQL, 7000, 0", "MARIADB, 300, 100000", "MYSQL, 300, 100000"})
    void recordsOfALargeBatchAreAllInsertedAndFoundSoon(Driver driver, int many, int bytes) throws SQLException {
        List<Succeeded> records = records(many, bytes);
        Set<IdempotencyKey> keys = records.stream().map(Succeeded::key).collect(Collectors.toSet());
        try (TestPool database = TestPool.by(driver, "&useServerPrepStmts=true");
                Connection connection = begun(database)) {
            LockBound.execute(connection, dialect.schema().replace(";", ""));

            assertThat(dialect.insertEach(connection, records, TERMS)).isTrue();

            connection.commit();
            assertThat(LockBound.single(connection, "SELECT COUNT(*) FROM idempotency_record"))
                    .isEqualTo(String.valueOf(many));
            assertThat(dialect.readAll(connection, keys)).hasSize(many).containsValue(records.get(many - 1));
        }
    }

    /** Otherwise the work of a batch would run again for smaller parts of it. */
    @Test
    void recordsThatEachFitIntoAPacketAreInserted() throws SQLException {
        if (MariaDbServer.isExternal()) {
            return;
        }
        try (MariaDbServer server = MariaDbServer.start("--max-allowed-packet=1M")) {
            for (Driver driver : Driver.values()) {
                for (boolean prepares : new boolean[] {true, false}) {
                    try (TestPool database = TestPool.by(driver, server, "&useServerPrepStmts=" + prepares);
                            Connection connection = begun(database)) {
                        LockBound.execute(connection, dialect.schema().replace(";", ""));

                        assertInserts(connection, records(300, 10_000));
                        assertInserts(connection, records(500, 0, "\u4e2d".repeat(240)));
                        // A driver that escapes zeros doubles them.
                        assertInserts(connection, records(3, 450_000));
                    }
                }
            }
        }
    }

    private void assertInserts(Connection connection, List<Succeeded> records) throws SQLException {
        assertThat(dialect.insertEach(connection, records, TERMS)).isTrue();
        connection.rollback();
    }

    private static Connection begun(TestPool database) throws SQLException {
        Connection connection = database.pool().getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static List<Succeeded> records(int many, int bytes) {
        return records(many, bytes, "user:1");
    }

    private static List<Succeeded> records(int many, int bytes, String prefix) {
        return IntStream.range(0, many)
                .mapToObj(i -> new Succeeded(
                        IdempotencyKey.inScope(prefix).operation(prefix).value(prefix + String.format("key-%05d", i)),
                        Protocol.SINGLE_TRANSACTION,
                        UUID.randomUUID(),
                        Fingerprint.ofParts("request"),
                        Optional.of(Payload.of(new byte[bytes]))))
                .toList();
    }
}
