package io.counterpoint.idempotency.mariadb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Detects whether another server also accepts writes, without shared locks. A replication group reveals it. For
 * asynchronous replication, MariaDB shows every session whether the server applies another server's log and whether it
 * sends its own. MySQL does not.
 */
final class SeveralPrimaries {

    static final String STATUS = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Slaves_running', 'Slaves_connected')";

    /** An isolated server would accept writes that its group never receives. */
    private static final String MEMBERS = "SELECT 'group_majority', IF(SUM(MEMBER_STATE = 'ONLINE') * 2 > COUNT(*)"
            + " AND SUM(MEMBER_ID = @@server_uuid AND MEMBER_STATE = 'ONLINE') = 1, 'ON', 'OFF')"
            + " FROM performance_schema.replication_group_members";

    private SeveralPrimaries() {}

    /** Returns the query for a server in a group, if the user has the privilege. */
    static Optional<String> members(Map<String, String> values) {
        return isOfAGroup(values) ? Optional.of(MEMBERS) : Optional.empty();
    }

    static boolean isOfAGroup(Map<String, String> values) {
        return !values.getOrDefault("group_replication_group_name", "").isEmpty();
    }

    /** Evaluates the status values and variables of the server, in lower case. */
    static List<String> faults(Server server, Map<String, String> values) {
        List<String> faults = new ArrayList<>();
        if (isOfAGroup(values) && server == Server.MYSQL) {
            faults.add("the server belongs to a group, where a primary that is cut off keeps granting locks, so a"
                    + " lock proves nothing: create the store with MariaDbDialect.mySqlGroup()");
        }
        if (values.getOrDefault("group_majority", "ON").equals("OFF")) {
            faults.add("the server's group has no majority that includes it, so its commits could be lost, or"
                    + " contradict what others commit for the same key: connect to the group's primary, and start"
                    + " each server with super_read_only=ON");
        }
        if (isOfAGroup(values)
                && values.getOrDefault("group_replication_single_primary_mode", "ON")
                        .equals("OFF")) {
            faults.add("the server is one of several primaries of a group, where locks apply to one server only: use"
                    + " group_replication_single_primary_mode");
        }
        if (isAny(values, "slaves_running")
                && isAny(values, "slaves_connected")
                && values.getOrDefault("read_only", "OFF").equals("OFF")) {
            faults.add("the server takes writes, applies another server's log and sends its own, like each of two"
                    + " primaries, and two primaries could both lead for one key: send all writes to one server, and"
                    + " run STOP SLAVE there");
        }
        return faults;
    }

    private static boolean isAny(Map<String, String> values, String count) {
        return !values.getOrDefault(count, "0").equals("0");
    }
}
