package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Distinguishes MariaDB, Galera nodes and MySQL by what the server reports about itself. Used by {@link
 * java.util.ServiceLoader}.
 */
public final class MariaDbProvider implements Dialect.Provider {

    static final Set<String> PRODUCTS = Set.of("MariaDB", "MySQL");

    /** Servers that speak MySQL's protocol, and why a key would not be safe there. */
    private static final Map<String, String> UNFIT = Map.of(
            "ShardingSphere", "it commits each database separately",
            "TiDB", "its optimistic transactions detect a second claim only at COMMIT, and may lose locks",
            "Vitess", "a key is unique on one shard only",
            "SingleStore", "it has no savepoints, which reveal that the work ended its transaction",
            "MemSQL", "it has no savepoints, which reveal that the work ended its transaction",
            "OceanBase", "the dialect contract has not been run on it");

    /** Called by the service loader. */
    public MariaDbProvider() {}

    @Override
    public Optional<Dialect> dialectFor(Connection connection) throws SQLException {
        if (!PRODUCTS.contains(connection.getMetaData().getDatabaseProductName())) {
            return Optional.empty();
        }
        String version = LockBound.single(connection, "SELECT CONCAT(@@version, ' ', @@version_comment)");
        requireFit(version);
        Map<String, String> values = Settings.values(connection);
        if (!version.contains("MariaDB")) {
            return Optional.of(
                    SeveralPrimaries.isOfAGroup(values) ? MariaDbDialect.mySqlGroup() : MariaDbDialect.mySql());
        }
        boolean isNode = ClusterSettings.hasProvider(values.getOrDefault("wsrep_provider", ClusterSettings.NONE));
        return Optional.of(isNode ? MariaDbDialect.galera() : MariaDbDialect.mariaDb());
    }

    static void requireFit(String version) {
        for (Map.Entry<String, String> server : UNFIT.entrySet()) {
            if (version.contains(server.getKey())) {
                throw new MisuseException(server.getKey() + " cannot store idempotency records: " + server.getValue()
                        + ". Use a different database.");
            }
        }
    }
}
