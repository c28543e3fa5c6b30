package io.counterpoint.idempotency.mariadb;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.testing.ClusterNode;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testing.NodeCluster;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/** A pool for each node, through its proxy, and data sources over them. */
final class NodePools implements AutoCloseable {

    private static final String BOUNDS = "&connectTimeout=2000&socketTimeout=10000";

    private final List<HikariDataSource> pools;
    private final String database;
    private final boolean isGalera;

    private NodePools(NodeCluster cluster, String database, String options) {
        this.database = database;
        this.isGalera = cluster instanceof GaleraCluster;
        this.pools = cluster.nodes().stream()
                .map(node -> pool(node, database, BOUNDS + options))
                .toList();
    }

    /** On an empty database of that name. */
    static NodePools onNew(NodeCluster cluster, String database, String options) {
        cluster.awaitWhole();
        cluster.createDatabase(database);
        return new NodePools(cluster, database, options);
    }

    private static HikariDataSource pool(ClusterNode node, String database, String options) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(node.proxiedUrl(database) + options);
        config.setMaximumPoolSize(64);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(2500);
        config.setValidationTimeout(1000);
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    /** The table with its database, as operations that record last want it. */
    String table() {
        return database + ".idempotency_record";
    }

    /** Of the nodes. */
    MariaDbDialect dialect() {
        return isGalera ? MariaDbDialect.galera() : MariaDbDialect.mySqlGroup();
    }

    /** Of Galera's nodes all take writes. Of a group's, one that has lost its majority and does not know may say so too. */
    private boolean takesWrites(Connection connection) throws SQLException {
        return isGalera
                || LockBound.single(connection, "SELECT @@super_read_only").equals("0");
    }

    /** That node alone. */
    DataSource of(int node) {
        return pools.get(node);
    }

    /** That node, or the next one that can be reached and takes writes. */
    DataSource startingAt(int node, IntConsumer served) {
        return new Nodes(() -> node, served);
    }

    /** Each time the next node, or the next one after it that can be reached. */
    DataSource oneAfterTheOther(int first, IntConsumer served) {
        AtomicInteger next = new AtomicInteger(first);
        return new Nodes(() -> Math.floorMod(next.getAndIncrement(), pools.size()), served);
    }

    /** The same, as long as it is not to stay on a node. */
    DataSource oneAfterTheOther(BooleanSupplier stays) {
        AtomicInteger next = new AtomicInteger();
        return new Nodes(
                () -> Math.floorMod(stays.getAsBoolean() ? next.get() : next.getAndIncrement(), pools.size()),
                node -> {});
    }

    @Override
    public void close() {
        pools.forEach(HikariDataSource::close);
    }

    private final class Nodes implements DataSource {
        private final IntSupplier choice;
        private final IntConsumer served;

        Nodes(IntSupplier choice, IntConsumer served) {
            this.choice = choice;
            this.served = served;
        }

        @Override
        public Connection getConnection() throws SQLException {
            int first = choice.getAsInt();
            SQLException refused = null;
            for (int node : IntStream.range(0, pools.size())
                    .map(i -> (first + i) % pools.size())
                    .toArray()) {
                try {
                    Connection connection = pools.get(node).getConnection();
                    if (takesWrites(connection)) {
                        served.accept(node);
                        return connection;
                    }
                    connection.close();
                } catch (SQLException unreachable) {
                    refused = unreachable;
                }
            }
            throw refused == null ? new SQLTransientConnectionException("no node takes writes") : refused;
        }

        @Override
        public Connection getConnection(String user, String password) {
            throw new UnsupportedOperationException();
        }

        @Override
        public PrintWriter getLogWriter() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setLogWriter(PrintWriter out) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void setLoginTimeout(int seconds) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("There is nothing of " + type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
