package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import io.counterpoint.idempotency.testing.MariaDbServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** An empty database of MariaDB. */
final class OnMariaDb extends TestedDatabase {

    private OnMariaDb() {
        super("MARIADB", MariaDbServer.shared().createDatabase(), dialect().losesStepByErrors());
    }

    static TestedDatabase create() throws SQLException {
        return new OnMariaDb().prepared();
    }

    private static Dialect dialect() {
        return MariaDbServer.shared().isMySql() ? MariaDbDialect.mySql() : MariaDbDialect.mariaDb();
    }

    private String table() {
        return url.replaceFirst("^.*/([^?]*).*$", "$1") + ".idempotency_record";
    }

    @Override
    void options(JdbcStoreBuilder<?> builder) {
        builder.dialect(dialect()).table(table());
    }

    /** To ask for a setting begins no transaction. */
    @Override
    String stateOf(Connection connection) throws SQLException {
        String open = MariaDbServer.shared().isMySql() ? "" : ", ', open ', @@in_transaction";
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT CONCAT('lock wait ', @@innodb_lock_wait_timeout, ', ',"
                        + " @@transaction_isolation, ', autocommit ', @@autocommit" + open + ")")) {
            rows.next();
            return settings(connection) + ", " + rows.getString(1);
        }
    }

    @Override
    SQLException closed() {
        return new SQLException("Connection is closed", "08000");
    }

    @Override
    SQLException cannotSend() {
        return closed();
    }

    @Override
    void planOnce(Connection connection) {}

    @Override
    public void close() {
        MariaDbServer.shared().drop(url);
    }
}
