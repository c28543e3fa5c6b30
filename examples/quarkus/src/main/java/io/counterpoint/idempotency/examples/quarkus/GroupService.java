package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The use case. The new group and its idempotency record commit in one transaction. */
@ApplicationScoped
public class GroupService {

    @Inject
    DataSource dataSource;

    /** The result, which every retry also gets. */
    public record GroupView(long id, String name) {}

    /** The key comes from the request's Idempotency-Key header. */
    @Idempotent(operation = "create-group", key = "#attempt")
    @Transactional(rollbackOn = SQLException.class)
    public GroupView create(String name) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO chat_group (name) VALUES (?) RETURNING id")) {
            insert.setString(1, name);
            try (ResultSet made = insert.executeQuery()) {
                made.next();
                return new GroupView(made.getLong(1), name);
            }
        }
    }
}
