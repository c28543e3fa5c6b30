package io.counterpoint.idempotency.mariadb;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.regex.Pattern;

/** Determines from a connection's URL whether its driver can keep the promises. */
final class DriverUrl {

    private static final Pattern BALANCED = Pattern.compile("jdbc:[^/]*:loadbalance://[^/]*,.*");
    private static final Pattern REPLAYED = Pattern.compile(".*[?&]transactionReplay=true(&.*)?");

    private static final String FOLLOWING = "MariaDB Connector/J";
    private static final Pattern ONE_HOST = Pattern.compile("jdbc:mariadb://[^,/]*/.*");

    /**
     * Cached results by driver connection, because drivers rebuild their URL each time, which takes half a millisecond.
     */
    private static final Map<Connection, Boolean> FOLLOWERS = Collections.synchronizedMap(new WeakHashMap<>());

    private DriverUrl() {}

    /**
     * Whether the driver learns from the server that a block has switched autocommit. Any other driver would treat the
     * statement as a separate transaction and might use a different host for the next one. A driver that reconnects
     * applies only the modes that it has set itself to the new session.
     */
    static boolean followsServer(Connection connection) throws SQLException {
        Connection own = connection.unwrap(Connection.class);
        Boolean known = FOLLOWERS.get(own);
        if (known == null) {
            DatabaseMetaData driver = own.getMetaData();
            known = FOLLOWING.equals(driver.getDriverName())
                    && ONE_HOST.matcher(String.valueOf(driver.getURL())).matches();
            FOLLOWERS.put(own, known);
        }
        return known;
    }

    static List<String> faults(String url, Server server) {
        List<String> faults = new ArrayList<>();
        if (BALANCED.matcher(url).matches() && !server.isOneOfMany()) {
            faults.add("the driver spreads transactions over the hosts of a loadbalance URL, so two of them could"
                    + " lead for one key, because locks apply to one server only: use one server, or a URL whose"
                    + " hosts are tried in order");
        }
        if (REPLAYED.matcher(url).matches()) {
            faults.add("the driver's transactionReplay is true, so after a lost connection it repeats the work's"
                    + " statements, and the result would rest on what the first ones had read: set it to false, and"
                    + " the library runs the work again");
        }
        return faults;
    }
}
