package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class PostgresServerTest {

    private final PostgresServer server = PostgresServer.shared();

    @Test
    void isRealPostgres() throws Exception {
        assertThat(Sql.query(server.jdbcUrl(), "select version()")).startsWith("PostgreSQL " + server.version());
        assertThat(server.version()).isGreaterThanOrEqualTo(13);
    }

    @Test
    void sharedServerIsOne() {
        assertThat(PostgresServer.shared()).isSameAs(server);
    }

    @Test
    void createdDatabaseIsEmpty() throws Exception {
        String url = server.createDatabase();

        assertThat(Sql.query(url, "select count(*) from pg_class where relnamespace = 'public'::regnamespace"))
                .isEqualTo("0");
    }

    @Test
    void createdDatabasesAreDifferentEvenAtTheSameMoment() throws Exception {
        List<Race.Result<String>> urls = Race.of(4, i -> server.createDatabase());

        Set<String> different = urls.stream().map(Race.Result::orFail).collect(Collectors.toSet());
        assertThat(different).hasSize(4);
        for (String url : different) {
            Sql.execute(url, "create table t (id int)");
        }
    }

    @Test
    void databaseThatWasGivenBackIsHandedOutAgainWithoutWhatWasInIt() throws Exception {
        String first = server.createDatabase("statement_timeout=1234ms");
        Sql.execute(first, "create table t (id int); create schema other; create table other.t (id int)");
        server.giveBack(first);

        String second = server.createDatabase();

        assertThat(second).isEqualTo(first);
        assertThat(Sql.query(second, "select count(*) from pg_tables where tablename = 't'"))
                .isEqualTo("0");
        assertThat(Sql.query(second, "select count(*) from pg_namespace where nspname = 'other'"))
                .isEqualTo("0");
        assertThat(Sql.query(second, "show statement_timeout")).isEqualTo("0");
        Sql.execute(second, "create table t (id int)");
    }

    @Test
    void databaseWithASessionIsGivenBackOnPurposeOnlyAndItsSessionsEnd() throws Exception {
        String url = server.createDatabase();
        Sql.execute(url, "create table t (id int)");
        try (Connection straggler = Sql.connect(url)) {
            straggler.setAutoCommit(false);
            Sql.execute(straggler, "insert into t values (1)");

            assertThatThrownBy(() -> server.giveBack(url, Duration.ofMillis(100)))
                    .hasMessageContaining("sessions are left behind: ")
                    .hasMessageContaining("idle in transaction insert into t values (1)");
            server.giveBackWithSessions(url);

            assertThatThrownBy(straggler::commit).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void optionsCanBeAppendedToUrls() throws Exception {
        String option = "&options=-c%20statement_timeout=1234";

        assertThat(Sql.query(server.jdbcUrl() + option, "show statement_timeout"))
                .isEqualTo("1234ms");
        assertThat(Sql.query(server.createDatabase() + option, "show statement_timeout"))
                .isEqualTo("1234ms");
    }

    @Test
    void sharedServerRefusesToBeStopped() throws Exception {
        assertThatThrownBy(server::stop).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(server::kill).isInstanceOf(UnsupportedOperationException.class);

        server.close();

        assertThat(Sql.query(server.jdbcUrl(), "select 1")).isEqualTo("1");
    }
}
