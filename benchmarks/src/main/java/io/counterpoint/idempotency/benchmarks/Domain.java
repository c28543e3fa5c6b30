package io.counterpoint.idempotency.benchmarks;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;

/** The work that all variants do: a group, its first member, its conversation. Three inserts, each a round trip. */
final class Domain {

    static final String GROUP_NAME = "Friends";
    private static final String CREATOR = "user:1";

    private Domain() {}

    static void createTablesIfMissing(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE IF NOT EXISTS chat_group (id uuid PRIMARY KEY, name text NOT NULL)");
            statement.execute("CREATE TABLE IF NOT EXISTS group_member"
                    + " (group_id uuid, user_id text, PRIMARY KEY (group_id, user_id))");
            statement.execute("CREATE TABLE IF NOT EXISTS conversation (id uuid PRIMARY KEY, group_id uuid NOT NULL)");
        }
    }

    /** A random identifier, as applications make them. */
    static UUID newGroupId() {
        return UUID.randomUUID();
    }

    static void createGroup(Connection connection, UUID id) throws SQLException {
        try (PreparedStatement group = connection.prepareStatement("INSERT INTO chat_group (id, name) VALUES (?, ?)")) {
            group.setObject(1, id);
            group.setString(2, GROUP_NAME);
            group.executeUpdate();
        }
        try (PreparedStatement member =
                connection.prepareStatement("INSERT INTO group_member (group_id, user_id) VALUES (?, ?)")) {
            member.setObject(1, id);
            member.setString(2, CREATOR);
            member.executeUpdate();
        }
        try (PreparedStatement conversation =
                connection.prepareStatement("INSERT INTO conversation (id, group_id) VALUES (?, ?)")) {
            conversation.setObject(1, UUID.randomUUID());
            conversation.setObject(2, id);
            conversation.executeUpdate();
        }
    }
}
