package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the check of a table refuses on a cluster. */
@Tag("galera")
@Timeout(300)
class GaleraCheckTest extends GaleraFixture {

    @Test
    void dialectOfOneServerIsRefused() {
        assertThatThrownBy(() -> JdbiIdempotencyStore.builder(pools.of(0))
                        .dialect(MariaDbDialect.mariaDb())
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MariaDbDialect.galera()");
        assertThat(store(0).checkTable()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"wsrep_on=OFF", "wsrep_dirty_reads=ON"})
    void sessionThatIsNotOneOfTheClusterIsRefused(String setting) {
        String url = cluster.nodes().get(0).proxiedUrl(database) + "&sessionVariables=" + setting;
        assertThatThrownBy(() -> JdbiIdempotencyStore.builder(Jdbi.create(url))
                        .dialect(MariaDbDialect.galera())
                        .build()
                        .checkTable())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(setting.substring(0, setting.indexOf('=')));
    }

    @Test
    void storeSeesThatItsServerIsANode() {
        JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(pools.of(0))
                .table(pools.table())
                .build()
                .checkTable();
        assertThat(store.lockScope()).isEqualTo(LockScope.NODE);
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
