package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Needs servers of its own: exclude the tag where {@code IDEMPOTENCY_PG_URL} is set. */
@Tag("thorough")
@Tag("own-server")
class OwnPostgresServerTest {

    private static PostgresServer server;

    @BeforeAll
    static void start() {
        server = PostgresServer.start("work_mem=5MB");
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @BeforeEach
    void table() throws SQLException {
        Sql.execute(server.jdbcUrl(), "drop table if exists t; create table t (id int)");
    }

    @Test
    void hasTheSettingsItWasAskedFor() throws Exception {
        assertThat(Sql.query(server.jdbcUrl(), "show work_mem")).isEqualTo("5MB");
        assertThat(Sql.query(server.jdbcUrl(), "show synchronous_commit")).isEqualTo("on");
        assertThat(Sql.query(server.jdbcUrl(), "show max_connections")).isEqualTo("200");
    }

    @Test
    void isAnotherServerThanTheSharedOne() throws Exception {
        assertThat(server.port()).isNotEqualTo(PostgresServer.shared().port());
        assertThat(Sql.query(PostgresServer.shared().jdbcUrl(), "show work_mem"))
                .isNotEqualTo("5MB");
    }

    @Test
    void killedServerKeepsWhatItAcknowledged() throws Exception {
        int port = server.port();
        Connection committing = Sql.connect(server.jdbcUrl());
        Connection unfinished = Sql.connect(server.jdbcUrl());
        for (int i = 0; i < 100; i++) {
            Sql.execute(committing, "insert into t values (" + i + ")");
        }
        unfinished.setAutoCommit(false);
        Sql.execute(unfinished, "insert into t values (1000)");

        server.kill();

        assertBroken(committing);
        assertBroken(unfinished);
        assertThatThrownBy(() -> Sql.connect(server.jdbcUrl())).isInstanceOf(SQLException.class);

        server.restart();

        assertThat(server.port()).isEqualTo(port);
        assertThat(Sql.query(server.jdbcUrl(), "select count(*) || ' ' || max(id) from t"))
                .isEqualTo("100 99");
    }

    @Test
    void killLeavesNoProcess() throws Exception {
        Connection busy = Sql.connect(server.jdbcUrl());
        long backend = Long.parseLong(Sql.query(busy, "select pg_backend_pid()"));
        assertThat(runs(backend)).isTrue();

        server.kill();

        assertThat(runs(backend)).isFalse();
        assertBroken(busy);
        server.restart();
    }

    @Test
    void killedTwiceIsRefused() {
        server.kill();
        assertThatThrownBy(server::kill)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("does not run");
        server.restart();
    }

    @Test
    void stoppedServerStartsAgainOnTheSameData() throws Exception {
        Connection open = Sql.connect(server.jdbcUrl());
        Sql.execute(open, "insert into t values (7)");

        server.stop();

        assertBroken(open);
        server.restart();
        assertThat(Sql.query(server.jdbcUrl(), "select max(id) from t")).isEqualTo("7");
    }

    @Test
    void immediatelyStoppedServerKeepsWhatItAcknowledged() throws Exception {
        Connection open = Sql.connect(server.jdbcUrl());
        Sql.execute(open, "insert into t values (8)");

        server.stopImmediately();

        assertBroken(open);
        server.restart();
        assertThat(Sql.query(server.jdbcUrl(), "select max(id) from t")).isEqualTo("8");
    }

    @Test
    void runningServerRestarts() throws Exception {
        String before = Sql.query(server.jdbcUrl(), "select pg_postmaster_start_time()");

        server.restart();

        assertThat(Sql.query(server.jdbcUrl(), "select pg_postmaster_start_time()"))
                .isNotEqualTo(before);
    }

    @Test
    void closedServerLeavesNoData() throws Exception {
        Path data;
        try (PostgresServer other = PostgresServer.start()) {
            data = Path.of(Sql.query(other.jdbcUrl(), "show data_directory"));
            assertThat(data).exists();
        }
        assertThat(Files.exists(data.getParent())).isFalse();
    }

    @Test
    void serverThatCannotStartSaysWhy() {
        assertThatThrownBy(() -> PostgresServer.start("no_such_setting=1"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ended at once")
                .hasMessageContaining("no_such_setting");
    }

    private static boolean runs(long pid) {
        return ProcessHandle.of(pid)
                .filter(process -> process.info().command().isPresent())
                .isPresent();
    }

    private static void assertBroken(Connection connection) {
        assertThatThrownBy(() -> Sql.query(connection, "select 1")).isInstanceOf(SQLException.class);
    }
}
