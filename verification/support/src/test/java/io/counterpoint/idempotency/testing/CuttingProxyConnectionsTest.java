package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class CuttingProxyConnectionsTest extends BehindProxy {

    @Test
    void nothingPassesABlackHoleUntilItIsHealed() throws Exception {
        Connection connection = autocommitted(0);
        proxy.blackHole();
        CompletableFuture<Integer> inserted = CompletableFuture.supplyAsync(() -> insertUnchecked(connection));

        assertThatThrownBy(() -> inserted.get(100, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        assertThat(ids()).isZero();

        proxy.heal();

        assertThat(inserted.get(30, TimeUnit.SECONDS)).isOne();
        assertThat(ids()).isOne();
    }

    @Test
    void newConnectionsHangInABlackHole() {
        proxy.blackHole();

        assertThatThrownBy(() -> Sql.connect(proxy.jdbcUrl() + "&connectTimeout=1&socketTimeout=1"))
                .isInstanceOf(SQLException.class);
    }

    @Test
    void closedProxyReleasesItsBlackHole() throws Exception {
        Connection connection = autocommitted(0);
        proxy.blackHole();
        CompletableFuture<Integer> inserted = CompletableFuture.supplyAsync(() -> insertUnchecked(connection));

        proxy.close();

        assertThatThrownBy(() -> inserted.get(30, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
    }

    @Test
    void refusedConnectionsLeaveTheOthersAlone() throws Exception {
        Connection connection = autocommitted(0);
        proxy.refuseConnections();

        assertThatThrownBy(() -> Sql.connect(proxy.jdbcUrl())).isInstanceOf(SQLException.class);
        insert(connection, 1);

        proxy.heal();
        assertThat(Sql.query(proxy.jdbcUrl(), "select count(*) from t")).isEqualTo("1");
    }

    @Test
    void resetAndClosedConnectionsAreBrokenAndOthersCanFollow() throws Exception {
        Connection reset = autocommitted(0);
        proxy.resetAll();
        assertConnectionFailure(() -> insert(reset, 1));

        Connection closed = autocommitted(0);
        proxy.closeAll();
        assertConnectionFailure(() -> insert(closed, 1));

        insert(autocommitted(0), 1);
        assertThat(ids()).isOne();
    }

    @Test
    void clientsThatAskForEncryptionGetANo() throws Exception {
        String asking = proxy.jdbcUrl().replace("sslmode=disable", "sslmode=prefer");

        assertThat(Sql.query(asking, "select 1")).isEqualTo("1");
    }

    @Test
    void cancelRequestsPass() throws Exception {
        Connection connection = autocommitted(0);
        try (var statement = connection.createStatement()) {
            statement.setQueryTimeout(1);

            assertThatThrownBy(() -> statement.execute("select pg_sleep(60)"))
                    .asInstanceOf(type(SQLException.class))
                    .extracting(SQLException::getSQLState)
                    .isEqualTo("57014");
        }
    }

    private static int insertUnchecked(Connection connection) {
        try {
            return insert(connection, 1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
