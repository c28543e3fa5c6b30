package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;

/**
 * Compares the handling of SQL text within the work with the database's actual reaction. Text that is rejected would
 * have ended the transaction or failed. Text that passes and ends the transaction is detected at its end.
 */
@Timeout(120)
abstract class StatementTextContract {

    /** Rejected on every database. */
    private static final List<String> ENDS = List.of(
            "COMMIT",
            "commit",
            "  Commit ;",
            "\n\tCOMMIT\n",
            "COMMIT WORK",
            "commit/**/work",
            "COMMIT AND CHAIN",
            "COMMIT; SELECT 1",
            "/* done */ COMMIT",
            "-- done\nCOMMIT",
            "SELECT 1; COMMIT",
            "SELECT ';'; COMMIT",
            "SELECT 1 /* ; */; COMMIT",
            "SELECT 1 -- it's\n; COMMIT",
            "INSERT INTO effect (id) VALUES ('x;y'); COMMIT",
            "BEGIN; COMMIT",
            "BEGIN WORK; SELECT 1; COMMIT",
            "ROLLBACK",
            "rollback work",
            "ROLLBACK TRANSACTION",
            "ROLLBACK AND NO CHAIN",
            "SELECT 'it''s'; ROLLBACK",
            "ABORT",
            "END",
            "END TRANSACTION",
            "PREPARE TRANSACTION 'x'",
            "SET AUTOCOMMIT = 1",
            "SET AUTOCOMMIT TRUE");

    /** Passes on every database without affecting the transaction. */
    private static final List<String> WORK = List.of(
            "SELECT 1",
            "(SELECT 1)",
            "SELECT 1; SELECT 2",
            "SELECT 'COMMIT'",
            "SELECT '; COMMIT'",
            "SELECT 'it''s; COMMIT'",
            "SELECT 1 -- ; COMMIT",
            "SELECT 1 /* ; COMMIT */",
            "SELECT 1 /* it's; COMMIT */",
            "SELECT CASE WHEN 1 = 1 THEN 2 END",
            "SELECT 1 AS \"commit\"",
            "WITH one AS (SELECT 1) SELECT * FROM one",
            "INSERT INTO effect (id) VALUES ('; ROLLBACK')",
            "UPDATE effect SET id = 'end' WHERE id = 'COMMIT'",
            "DELETE FROM effect WHERE id = '; END' -- it's",
            "ROLLBACK TO SAVEPOINT s",
            "ROLLBACK TO s",
            "ROLLBACK WORK TO SAVEPOINT s",
            "ROLLBACK TRANSACTION TO SAVEPOINT s",
            "RELEASE SAVEPOINT s");

    /** Databases behave differently or interpret the text differently. */
    private static final List<String> DIFFERS = List.of(
            "BEGIN",
            "START TRANSACTION",
            "SET AUTOCOMMIT FALSE",
            "COMMIT PREPARED 'x'",
            "ROLLBACK PREPARED 'x'",
            "CREATE TABLE defined_by_text (id int)",
            "CREATE TABLE IF NOT EXISTS defined_by_text (id int PRIMARY KEY)",
            "CREATE INDEX of_text ON defined_by_text (id)",
            "ALTER TABLE defined_by_text ADD COLUMN more int",
            "TRUNCATE TABLE defined_by_text",
            "DROP TABLE IF EXISTS defined_by_text",
            "CREATE OR REPLACE VIEW view_of_text AS SELECT 1 AS one",
            "CREATE TEMPORARY TABLE temporary_by_text (id int)",
            "CREATE FUNCTION of_text() RETURNS int BEGIN ATOMIC SELECT 1; END",
            "BEGIN NOT ATOMIC COMMIT; END",
            "BEGIN NOT ATOMIC SELECT 1; END",
            "BEGIN SELECT 1; END",
            "DO $$ BEGIN COMMIT; END $$",
            "SELECT $$;$$; COMMIT",
            "SELECT E'\\''; COMMIT",
            "SELECT 'a\\'; COMMIT",
            "SELECT 1 /*/; COMMIT",
            "/* /* */ */ COMMIT",
            "/*! COMMIT */",
            "#\nCOMMIT",
            "--\nCOMMIT",
            "{call committing()}",
            "ANALYZE");

    private final Supplier<DataSource> source;
    private final Supplier<JdbiIdempotencyStore> store;
    private final boolean notices;

    /**
     * Creates the contract.
     *
     * @param notices whether the store distinguishes the end of a transaction from a conflict
     */
    StatementTextContract(Supplier<DataSource> source, Supplier<JdbiIdempotencyStore> store, boolean notices) {
        this.source = source;
        this.store = store;
        this.notices = notices;
    }

    /** The effect of a text on the transaction. */
    private enum Fate {
        ENDED,
        OPEN,
        ERROR
    }

    @TestFactory
    Stream<DynamicTest> textThatEndsTheTransactionIsRefusedOrNoticed() {
        Operation<Handle, Done> operation = Idempotency.on(store.get().createTableIfMissing())
                .operation("text")
                .build();
        Jdbi jdbi = Jdbi.create(source.get());
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS effect (id varchar(255) NOT NULL)"));
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS defined_by_text (id int PRIMARY KEY)"));
        return Stream.of(ENDS, WORK, DIFFERS)
                .flatMap(List::stream)
                .map(sql -> dynamicTest(sql, () -> {
                    Throwable thrown = catchThrowable(() -> operation.execute(attempt(), handle -> {
                        run(handle.getConnection(), sql);
                        return Done.DONE;
                    }));
                    boolean refused = thrown instanceof SQLException
                            && String.valueOf(thrown.getMessage()).startsWith("Refused to execute ");
                    Fate fate = fateBy(sql);

                    if (!DIFFERS.contains(sql)) {
                        assertThat(refused)
                                .as("refused, as the database: %s", fate)
                                .isEqualTo(ENDS.contains(sql));
                    }
                    if (refused || WORK.contains(sql)) {
                        assertThat(fate).isIn(refused ? Fate.ENDED : Fate.OPEN, Fate.ERROR);
                    } else if (notices && fate == Fate.ENDED) {
                        assertThat(thrown)
                                .isInstanceOfSatisfying(
                                        IdempotencyException.class,
                                        noticed -> assertThat(noticed.reason()).isSameAs(Reason.ENDED_BY_WORK));
                    }
                }));
    }

    private static Attempt attempt() {
        return Attempt.inScope("user:1").key(UUID.randomUUID().toString()).request("request");
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            boolean unused = statement.execute("SAVEPOINT s");
            unused = statement.execute(sql);
        }
    }

    private Fate fateBy(String sql) throws SQLException {
        String before = UUID.randomUUID().toString();
        boolean failed = !runs(before, sql, connection -> connection.rollback());
        if (isThere(before)) {
            return Fate.ENDED;
        }
        if (failed) {
            return Fate.ERROR;
        }
        String first = UUID.randomUUID().toString();
        String second = UUID.randomUUID().toString();
        boolean unused = runs(first, sql, connection -> {
            insert(connection, second);
            connection.commit();
        });
        return isThere(second) && !isThere(first) ? Fate.ENDED : Fate.OPEN;
    }

    /** Whether the text caused no error. Its connection is not used afterwards. */
    private boolean runs(String effect, String sql, End end) throws SQLException {
        try (Connection connection = source.get().getConnection()) {
            connection.setAutoCommit(false);
            insert(connection, effect);
            boolean succeeded = catchThrowable(() -> run(connection, sql)) == null;
            end.of(connection);
            Dialect.discard(connection);
            return succeeded;
        }
    }

    private interface End {
        void of(Connection connection) throws SQLException;
    }

    private static void insert(Connection connection, String effect) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            int unused = statement.executeUpdate("INSERT INTO effect (id) VALUES ('" + effect + "')");
        }
    }

    private boolean isThere(String effect) {
        return Jdbi.create(source.get())
                        .withHandle(handle -> handle.createQuery("SELECT count(*) FROM effect WHERE id = ?")
                                .bind(0, effect)
                                .mapTo(Integer.class)
                                .one())
                > 0;
    }
}
