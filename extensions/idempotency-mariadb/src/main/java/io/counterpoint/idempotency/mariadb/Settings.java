package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.MisuseException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLSyntaxErrorException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Determines from the server's version and a session's settings whether the promises can be kept. */
record Settings(Server server) {

    private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+).*");
    private static final Set<String> STRICT = Set.of("STRICT_TRANS_TABLES", "STRICT_ALL_TABLES");

    private static final String VARIABLES = "SHOW SESSION VARIABLES WHERE Variable_name IN ('version', 'sql_mode',"
            + " 'transaction_isolation', 'tx_isolation', 'autocommit', 'completion_type',"
            + " 'innodb_flush_log_at_trx_commit', 'wsrep_on', 'wsrep_provider', 'wsrep_dirty_reads',"
            + " 'wsrep_provider_options', 'group_replication_group_name', 'group_replication_single_primary_mode',"
            + " 'read_only', 'innodb_read_only', 'transaction_read_only', 'tx_read_only', 'unique_checks',"
            + " 'max_allowed_packet')";

    /** Settings of the server, its engine and the session. With super_read_only, the first is on too. */
    private static final List<String> READ_ONLY =
            List.of("read_only", "innodb_read_only", "transaction_read_only", "tx_read_only");

    /** An unlimited number of rows. */
    private static final String UNLIMITED = "18446744073709551615";

    /** Values with which an acknowledged commit is on disk. MariaDB's 3 is stricter. */
    private static final Set<String> DURABLE = Set.of("1", "3");

    List<String> faults(Connection connection, Map<String, String> values) throws SQLException {
        List<String> faults = new ArrayList<>();
        addTransactions(connection, values, faults);
        faults.addAll(DriverUrl.faults(String.valueOf(connection.getMetaData().getURL()), server));
        if (values.getOrDefault("unique_checks", "ON").equals("OFF")) {
            faults.add("the session's unique_checks is OFF, so the server may store a key twice, or undo earlier work"
                    + " together with a failed statement: set it to ON");
        }
        if (Arrays.stream(values.getOrDefault("sql_mode", "").split(",")).noneMatch(STRICT::contains)) {
            faults.add("the session's sql_mode is not strict, so a key that is too long would be truncated instead of"
                    + " rejected: add STRICT_TRANS_TABLES to sql_mode");
        }
        long packet = Long.parseLong(values.getOrDefault("max_allowed_packet", String.valueOf(Changes.LEAST_PACKET)));
        if (packet < Changes.LEAST_PACKET) {
            faults.add("max_allowed_packet is " + packet + ", so a result that exceeds it would look like a lost"
                    + " connection, and the work would run again: set it to 1048576 or more");
        }
        List<String> readOnly = READ_ONLY.stream()
                .filter(name -> !values.getOrDefault(name, "OFF").equals("OFF"))
                .toList();
        if (!readOnly.isEmpty()) {
            faults.add(String.join(" and ", readOnly)
                    + " is ON, as on a replica, on a secondary of a group and on a server that has left its group, so"
                    + " no claim can be stored: connect to the primary, in sessions that may write");
        }
        faults.addAll(new ClusterSettings(server).faults(values));
        faults.addAll(SeveralPrimaries.faults(server, values));
        return faults;
    }

    /** Returns the requested status values and variables, in lower case. */
    static Map<String, String> values(Connection connection) throws SQLException {
        Map<String, String> values = new HashMap<>();
        add(connection, SeveralPrimaries.STATUS, values);
        add(connection, VARIABLES, values);
        Optional<String> members = SeveralPrimaries.members(values);
        if (members.isPresent()) {
            try {
                add(connection, members.get(), values);
            } catch (SQLSyntaxErrorException withoutTheRight) {
                // The check is then inconclusive.
            }
        }
        return values;
    }

    private static void add(Connection connection, String query, Map<String, String> values) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(query)) {
            while (rows.next()) {
                values.put(rows.getString(1).toLowerCase(Locale.ROOT), rows.getString(2));
            }
        }
    }

    /**
     * Rejects servers and modes that the statements do not support, before one of them fails with a misleading error.
     *
     * @throws IllegalStateException if the server is not supported; the message contains the remedy
     */
    void requireServer(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        if (!MariaDbProvider.PRODUCTS.contains(product)) {
            throw new MisuseException(
                    "Expected " + server.product() + ", found " + product + ": create the store for that database.");
        }
        String version = LockBound.single(connection, "SELECT @@version");
        boolean isMariaDb = version.contains("MariaDB");
        if (isMariaDb == server.isMySql()) {
            throw new MisuseException("The store was created with MariaDbDialect." + server.factory() + ", but the"
                    + " server is " + (isMariaDb ? "MariaDB" : "MySQL") + " by its version " + version + ":"
                    + " use MariaDbDialect." + (isMariaDb ? Server.MARIADB : Server.MYSQL).factory() + ".");
        }
        Matcher matcher = VERSION.matcher(version);
        if (!matcher.matches() || isBefore(matcher, server.firstVersion())) {
            throw new MisuseException("Expected " + server.product() + " "
                    + server.firstVersion().get(0) + "."
                    + server.firstVersion().get(1) + "." + server.firstVersion().get(2) + " or later, found the"
                    + " version " + version + ": upgrade the server.");
        }
        String limit = LockBound.single(connection, "SELECT @@sql_select_limit");
        if (!limit.equals(UNLIMITED)) {
            throw new MisuseException("The session's sql_select_limit is " + limit + ", so a query for several"
                    + " records would miss some: leave it at its default.");
        }
    }

    private static boolean isBefore(Matcher version, List<Integer> first) {
        for (int i = 0; i < first.size(); i++) {
            int part = Integer.parseInt(version.group(i + 1));
            if (part != first.get(i)) {
                return part < first.get(i);
            }
        }
        return false;
    }

    private static void addTransactions(Connection connection, Map<String, String> values, List<String> faults)
            throws SQLException {
        String isolation = values.getOrDefault("transaction_isolation", values.getOrDefault("tx_isolation", ""));
        if (isolation.equals("READ-UNCOMMITTED")) {
            faults.add("the session reads uncommitted data, so a lookup would find effects that are later rolled"
                    + " back: set transaction_isolation to READ-COMMITTED or REPEATABLE-READ");
        }
        if (isolation.equals("SERIALIZABLE")) {
            faults.add(
                    "every read of the session takes a lock, so a duplicate would wait until its leader has finished:"
                            + " set transaction_isolation to READ-COMMITTED or REPEATABLE-READ");
        }
        if (connection.getAutoCommit()
                != values.getOrDefault("autocommit", "ON").equals("ON")) {
            faults.add("the driver reports that autocommit is " + (connection.getAutoCommit() ? "on" : "off")
                    + ", but the server reports the opposite, so a claim would not be committed, or an effect would"
                    + " be committed without its record: let only the driver set autocommit");
        }
        if (!values.getOrDefault("completion_type", "NO_CHAIN").equals("NO_CHAIN")) {
            faults.add("the session's completion_type is " + values.get("completion_type")
                    + ", so a commit would begin a new transaction or end the session: set it to NO_CHAIN");
        }
        String flush = values.getOrDefault("innodb_flush_log_at_trx_commit", "1");
        if (!DURABLE.contains(flush)) {
            faults.add("innodb_flush_log_at_trx_commit is " + flush + ", so a crash loses acknowledged commits: set"
                    + " it to 1");
        }
    }
}
