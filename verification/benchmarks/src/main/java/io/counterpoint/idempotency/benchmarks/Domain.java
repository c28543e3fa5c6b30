package io.counterpoint.idempotency.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;

/**
 * The work of all variants: a group, its first member and its conversation, in three inserts with one round trip each.
 */
final class Domain {

    static final String GROUP_NAME = "Friends";
    private static final String CREATOR = "user:1";

    private static final String INSERT_GROUP = "INSERT INTO chat_group (id, name) VALUES (?, ?)";
    private static final String INSERT_MEMBER = "INSERT INTO group_member (group_id, user_id) VALUES (?, ?)";
    private static final String INSERT_CONVERSATION = "INSERT INTO conversation (id, group_id) VALUES (?, ?)";

    private Domain() {}

    static void createTablesIfMissing(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        String id = List.of("MariaDB", "MySQL").contains(product) ? "char(36) CHARACTER SET ascii" : "uuid";
        String text = product.equals("PostgreSQL") ? "text" : "varchar(100)";
        try (Statement statement = connection.createStatement()) {
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS chat_group (id %s PRIMARY KEY, name %s NOT NULL)".formatted(id, text));
            statement.execute(
                    "CREATE TABLE IF NOT EXISTS group_member (group_id %s, user_id %s, PRIMARY KEY (group_id, user_id))"
                            .formatted(id, text));
            statement.execute("CREATE TABLE IF NOT EXISTS conversation (id %1$s PRIMARY KEY, group_id %1$s NOT NULL)"
                    .formatted(id));
        }
    }

    /** A random identifier, as applications generate them. */
    static UUID newGroupId() {
        return UUID.randomUUID();
    }

    /** The same three inserts for many groups, each in one JDBC batch. */
    static void createGroups(Connection connection, int number) throws SQLException {
        try (PreparedStatement groups = connection.prepareStatement(INSERT_GROUP);
                PreparedStatement members = connection.prepareStatement(INSERT_MEMBER);
                PreparedStatement conversations = connection.prepareStatement(INSERT_CONVERSATION)) {
            for (int i = 0; i < number; i++) {
                UUID id = newGroupId();
                groups.setObject(1, id);
                groups.setString(2, GROUP_NAME);
                groups.addBatch();
                members.setObject(1, id);
                members.setString(2, CREATOR);
                members.addBatch();
                conversations.setObject(1, UUID.randomUUID());
                conversations.setObject(2, id);
                conversations.addBatch();
            }
            int[] unused = groups.executeBatch();
            unused = members.executeBatch();
            unused = conversations.executeBatch();
        }
    }

    static void createGroup(Connection connection, UUID id) throws SQLException {
        execute(connection, INSERT_GROUP, id, GROUP_NAME);
        addTo(connection, id);
    }

    /** Inserts the rest of a group whose row exists. */
    static void addTo(Connection connection, UUID id) throws SQLException {
        execute(connection, INSERT_MEMBER, id, CREATOR);
        execute(connection, INSERT_CONVERSATION, UUID.randomUUID(), id);
    }

    /** Executes a statement; none of the values may be null. */
    static void execute(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            statement.execute();
        }
    }
}
