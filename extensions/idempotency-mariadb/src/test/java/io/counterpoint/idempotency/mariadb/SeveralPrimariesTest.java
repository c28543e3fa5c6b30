package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.SQLException;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several primaries whose locks do not know of each other are refused, where the server shows them. */
@Tag("thorough")
@Timeout(120)
class SeveralPrimariesTest {

    /** {@link GroupReplicationTest} asks a group. */
    @Test
    void groupOfSeveralPrimariesIsRefusedAndOfOneIsNot() {
        String name = "group_replication_group_name";
        String single = "group_replication_single_primary_mode";
        assertThat(SeveralPrimaries.faults(Server.MYSQL_GROUP, Map.of(name, "aaaa", single, "OFF")))
                .singleElement()
                .asString()
                .contains("several primaries", single);
        assertThat(SeveralPrimaries.faults(Server.MYSQL_GROUP, Map.of(name, "aaaa", single, "ON")))
                .isEmpty();
        assertThat(SeveralPrimaries.faults(Server.MYSQL, Map.of(name, "aaaa", single, "ON")))
                .singleElement()
                .asString()
                .contains("mySqlGroup()");
        assertThat(SeveralPrimaries.faults(Server.MYSQL, Map.of(name, "", single, "OFF")))
                .isEmpty();
    }

    /** Their states are those of any error, and of a rollback. */
    @ParameterizedTest
    @CsvSource({"3100, HY000", "3101, 40000"})
    void commitThatAGroupHasNotTakenProvesNothing(int error, String state) {
        assertThat(MariaDbDialect.mySql().classify(new SQLException("refused", state, error)))
                .isEqualTo(Fault.CONNECTION_LOST);
    }

    @ParameterizedTest
    @CsvSource({"0, 1, OFF", "1, 0, OFF", "1, 1, ON"})
    void primaryAndReplicaAndReaderAreAccepted(String running, String connected, String readOnly) {
        assertThat(SeveralPrimaries.faults(
                        Server.MARIADB,
                        Map.of("slaves_running", running, "slaves_connected", connected, "read_only", readOnly)))
                .isEmpty();
    }

    @Test
    @Tag("mariadb")
    void eachOfTwoPrimariesThatReplicateEachOtherIsRefused() {
        if (MariaDbServer.isExternal()) {
            return;
        }
        try (MariaDbServer one = primary(1);
                MariaDbServer other = primary(2)) {
            Jdbi here = Jdbi.create(one.createDatabase());
            Jdbi there = Jdbi.create(other.createDatabase());
            replicate(here, there);
            accepts(here);
            accepts(there);
            replicate(there, here);
            refuses(here, "two primaries", "STOP SLAVE");
            refuses(there, "two primaries", "STOP SLAVE");
            here.useHandle(handle -> handle.execute("STOP SLAVE"));
            there.useHandle(handle -> handle.execute("SET GLOBAL read_only = ON"));
            accepts(here);
            refuses(there, "read_only is ON");
        }
    }

    private static MariaDbServer primary(int id) {
        return MariaDbServer.start("--log-bin", "--server-id=" + id, "--gtid-domain-id=" + id);
    }

    /** From now on the second applies the log of the first, but not its databases. */
    private static void replicate(Jdbi from, Jdbi to) {
        int port = from.withHandle(handle ->
                handle.createQuery("SELECT @@port").mapTo(Integer.class).one());
        to.useHandle(handle -> {
            handle.execute("SET GLOBAL replicate_do_db = 'none'");
            handle.execute("CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = " + port
                    + ", MASTER_USER = 'root', MASTER_SSL = 0, MASTER_USE_GTID = slave_pos");
            handle.execute("START SLAVE");
        });
        await(to, "Slaves_running", "1");
        await(from, "Slaves_connected", "1");
    }

    private static void await(Jdbi jdbi, String status, String expected) {
        String sql = "SHOW GLOBAL STATUS LIKE '" + status + "'";
        while (!jdbi.withHandle(handle -> handle.createQuery(sql)
                        .map((row, context) -> row.getString(2))
                        .one())
                .equals(expected)) {
            assertThat(Thread.interrupted())
                    .as("waits for %s of %s", expected, status)
                    .isFalse();
        }
    }

    private static JdbiIdempotencyStore store(Jdbi jdbi) {
        return JdbiIdempotencyStore.builder(jdbi)
                .dialect(MariaDbDialect.mariaDb())
                .build();
    }

    private static void accepts(Jdbi jdbi) {
        assertThat(store(jdbi).createTableIfMissing().checkTable()).isNotNull();
    }

    private static void refuses(Jdbi jdbi, String... parts) {
        assertThatThrownBy(() -> store(jdbi).checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll(parts);
    }
}
