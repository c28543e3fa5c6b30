package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("thorough")
@Tag("own-server")
@Timeout(60)
class ReplicatedPostgresTest {

    private static ReplicatedPostgres pair;

    @BeforeAll
    static void start() {
        pair = ReplicatedPostgres.start();
        pair.waitForStandby();
    }

    @AfterAll
    static void close() {
        pair.close();
    }

    @BeforeEach
    void table() throws SQLException {
        Sql.execute(pair.primary().jdbcUrl(), "drop table if exists t; create table t (id int)");
    }

    private static FutureTask<String> beginInsert(Connection connection, int id) {
        FutureTask<String> insert = new FutureTask<>(() -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute("insert into t values (" + id + ")");
                return String.valueOf(statement.getWarnings());
            }
        });
        Thread thread = new Thread(insert, "insert");
        thread.setDaemon(true);
        thread.start();
        return insert;
    }

    private static String ids(PostgresServer server) throws SQLException {
        return Sql.query(server.jdbcUrl(), "select coalesce(string_agg(id::text, ' ' order by id), '') from t");
    }

    /** Restores the two servers after a promotion. */
    private static void replace(PostgresServer former) {
        former.close();
        pair.addStandby();
        pair.waitForStandby();
    }

    @Test
    void standbyReceivesAndTakesNoWrites() throws Exception {
        Sql.execute(pair.primary().jdbcUrl(), "insert into t values (1)");
        pair.awaitCaughtUp();

        assertThat(Sql.query(pair.standby().jdbcUrl(), "select pg_is_in_recovery()"))
                .isEqualTo("t");
        assertThatThrownBy(() -> Sql.execute(pair.standby().jdbcUrl(), "insert into t values (2)"))
                .hasMessageContaining("read-only");
    }

    @Test
    void commitWaitsWhileTheLogIsHeldBack() throws Exception {
        try (Connection connection = Sql.connect(pair.primary().jdbcUrl() + "&ApplicationName=waits")) {
            int backend = Integer.parseInt(Sql.query(connection, "select pg_backend_pid()"));
            pair.holdBackLog();
            FutureTask<String> insert = beginInsert(connection, 1);

            assertThat(pair.awaitWaitingCommits(1)).containsExactly(backend);
            assertThat(pair.waitingCommits("waits")).containsExactly(backend);
            assertThat(insert.isDone()).isFalse();
            assertThat(ids(pair.primary())).isEmpty();

            pair.passLog();
            assertThat(insert.get(30, TimeUnit.SECONDS)).isEqualTo("null");
            assertThat(ids(pair.primary())).isEqualTo("1");
        }
    }

    @Test
    void cancelledWaitIsAnsweredWithAWarning() throws Exception {
        try (Connection connection = Sql.connect(pair.primary().jdbcUrl())) {
            pair.holdBackLog();
            FutureTask<String> insert = beginInsert(connection, 1);

            pair.awaitWaitingCommits(1).forEach(pair::cancel);

            assertThat(insert.get(30, TimeUnit.SECONDS)).contains("canceling wait for synchronous replication");
            assertThat(ids(pair.primary())).isEqualTo("1");
        } finally {
            pair.passLog();
        }
    }

    @Test
    void terminatedWaitIsNotAnsweredAndItsCommitStays() throws Exception {
        try (Connection connection = Sql.connect(pair.primary().jdbcUrl())) {
            pair.holdBackLog();
            FutureTask<String> insert = beginInsert(connection, 1);

            pair.awaitWaitingCommits(1).forEach(pair::terminate);

            assertThatThrownBy(() -> insert.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
            assertThat(ids(pair.primary())).isEqualTo("1");
        } finally {
            pair.passLog();
        }
    }

    @Test
    void crashShowsACommitThatThePromotedStandbyLacks() throws Exception {
        Sql.execute(pair.primary().jdbcUrl(), "insert into t values (1)");
        Connection connection = Sql.connect(pair.primary().jdbcUrl());
        pair.holdBackLog();
        FutureTask<String> insert = beginInsert(connection, 2);
        pair.awaitWaitingCommits(1);
        pair.primary().kill();
        assertThatThrownBy(() -> insert.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        pair.primary().restart();
        assertThat(ids(pair.primary())).isEqualTo("1 2");

        PostgresServer former = pair.promote();

        assertThat(ids(pair.primary())).isEqualTo("1");
        Sql.execute(pair.primary().jdbcUrl(), "insert into t values (3)");
        replace(former);
        Sql.execute(pair.primary().jdbcUrl(), "insert into t values (4)");
        assertThat(ids(pair.primary())).isEqualTo("1 3 4");
    }

    @Test
    void promotedServerIsReachedByTheSameUrlOfTwoHosts() throws Exception {
        String both = "jdbc:postgresql://127.0.0.1:" + pair.primary().port() + ",127.0.0.1:"
                + pair.standby().port() + "/postgres?user=postgres&sslmode=disable&targetServerType=primary";
        String before = Sql.query(both, "select inet_server_port()");

        PostgresServer former = pair.promote();
        former.kill();

        assertThat(before).isEqualTo(Integer.toString(former.port()));
        assertThat(Sql.query(both, "select inet_server_port()"))
                .isEqualTo(Integer.toString(pair.primary().port()));
        assertThatThrownBy(pair::standby).isInstanceOf(IllegalStateException.class);
        replace(former);
    }

    @Test
    void pausedServerAnswersWhenItIsResumed() throws Exception {
        try (Connection connection = Sql.connect(pair.primary().jdbcUrl())) {
            pair.primary().pause();
            FutureTask<String> insert = beginInsert(connection, 1);
            assertThatThrownBy(() -> Sql.connect(pair.primary().jdbcUrl() + "&connectTimeout=1&loginTimeout=1"))
                    .isInstanceOf(SQLException.class);
            assertThat(insert.isDone()).isFalse();

            pair.primary().resume();

            assertThat(insert.get(30, TimeUnit.SECONDS)).isEqualTo("null");
        }
    }

    @Test
    void pausedServerIsStoppedAndDeletedLikeAnyOther() throws Exception {
        Path data;
        try (PostgresServer server = PostgresServer.start()) {
            data = Path.of(Sql.query(server.jdbcUrl(), "show data_directory"));
            server.pause();
        }
        assertThat(Files.exists(data.getParent())).isFalse();
    }
}
