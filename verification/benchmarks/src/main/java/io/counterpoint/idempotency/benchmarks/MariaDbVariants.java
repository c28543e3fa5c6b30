package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.Variants.CLAIM_FIRST;
import static io.counterpoint.idempotency.benchmarks.Variants.SELECT;
import static io.counterpoint.idempotency.benchmarks.Variants.SINGLE_PLANNED;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.mariadb.MariaDbDialect;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** The single transaction with a plan on MariaDB, beside the same statements by hand: insert the record, do the work. */
final class MariaDbVariants {

    /** For all variants: the server keeps its prepared statements, and does not repeat the names of their columns. */
    static final String DRIVER = "&useServerPrepStmts=true";

    private static final String OPERATION = "single-planned";
    private static final String COLUMNS = "(key_value, scope, operation, protocol, state, token, fingerprint, payload,"
            + " created_at, updated_at, expires_at)";
    private static final String INSERT = "INSERT INTO " + HandWrittenSql.TABLE + " " + COLUMNS
            + " VALUES (?, ?, ?, 'S', 'S', ?, ?, ?, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),"
            + " UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND)";
    private static final String READ = "SELECT protocol, state, token, fingerprint, payload, failure_code,"
            + " failure_message FROM idempotency_record WHERE key_value = ? AND scope = ? AND operation = ?";

    private final Database database;
    private final HandWrittenSql byHand;
    private final LibraryVariant ours;

    /** Over a database of one server, or of one node of Galera. */
    MariaDbVariants(Database database, MariaDbDialect dialect) {
        this.database = database;
        this.byHand = new HandWrittenSql(database.pool());
        JdbcIdempotencyStore store = JdbcIdempotencyStore.builder(database.pool())
                .dialect(dialect)
                .build()
                .createTableIfMissing();
        var unused = store.toBuilder().table(HandWrittenSql.TABLE).build().createTableIfMissing();
        this.ours = new LibraryVariant(store);
    }

    Variant planned() {
        return new Variant(
                SINGLE_PLANNED,
                Variants.byHand(SINGLE_PLANNED),
                "as on PostgreSQL",
                LibraryVariant.planned(ours.operation(OPERATION)
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build()));
    }

    private Variant claimFirst() {
        return new Variant(
                CLAIM_FIRST,
                null,
                "as on PostgreSQL",
                LibraryVariant.unplanned(ours.operation("first").build()));
    }

    List<Variant> leaders() {
        return List.of(
                new Variant(UNPROTECTED, null, "nothing", byHand.unprotected()),
                planned(),
                claimFirst(),
                new Variant(
                        Variants.byHand(SINGLE_PLANNED),
                        null,
                        "of two calls with one key one has an effect; nothing else",
                        insertAndWork()));
    }

    List<Variant> replays() {
        return List.of(planned(), new Variant(SELECT, null, "reads one record", select()));
    }

    private Action insertAndWork() {
        return key -> {
            UUID id = Domain.newGroupId();
            return byHand.inTransaction(connection -> {
                try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
                    bindKey(statement, key);
                    statement.setBytes(4, binary(UUID.randomUUID()));
                    statement.setBytes(5, HandWrittenSql.fingerprint());
                    statement.setBytes(6, HandWrittenSql.bytes(id));
                    statement.setLong(7, HandWrittenSql.RETENTION_MICROS);
                    HandWrittenSql.require(statement.executeUpdate() == 1, "the key has a record already");
                }
                Domain.createGroup(connection, id);
            });
        };
    }

    private Action select() {
        return key -> {
            try (Connection connection = database.pool().getConnection();
                    PreparedStatement statement = connection.prepareStatement(READ)) {
                bindKey(statement, key);
                try (ResultSet rows = statement.executeQuery()) {
                    HandWrittenSql.require(
                            rows.next()
                                    && rows.getString(1) != null
                                    && rows.getString(2).equals("S")
                                    && rows.getBytes(3) != null
                                    && rows.getBytes(4) != null
                                    && rows.getBytes(5) != null
                                    && rows.getString(6) == null
                                    && rows.getString(7) == null,
                            "the record of a prepared key is not that of a success");
                    return Answer.REPLAYED;
                }
            }
        };
    }

    private static void bindKey(PreparedStatement statement, String key) throws SQLException {
        statement.setString(1, key);
        statement.setString(2, LibraryVariant.SCOPE);
        statement.setString(3, OPERATION);
    }

    private static byte[] binary(UUID token) {
        return ByteBuffer.allocate(16)
                .putLong(token.getMostSignificantBits())
                .putLong(token.getLeastSignificantBits())
                .array();
    }
}
