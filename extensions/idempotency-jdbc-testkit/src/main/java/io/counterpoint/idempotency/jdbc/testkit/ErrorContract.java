package io.counterpoint.idempotency.jdbc.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.spi.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the errors of a database prove; the errors are provoked in the database itself. */
@Timeout(120)
abstract class ErrorContract {

    private final Supplier<Dialect> dialect;
    private final Supplier<DataSource> dataSource;

    ErrorContract(Supplier<Dialect> dialect, Supplier<DataSource> dataSource) {
        this.dialect = dialect;
        this.dataSource = dataSource;
    }

    @BeforeEach
    void makeTable() {
        Jdbi.create(dataSource.get()).useTransaction(handle -> {
            handle.execute("DROP TABLE IF EXISTS fault");
            handle.execute("CREATE TABLE fault (id int NOT NULL PRIMARY KEY, amount int NOT NULL)");
            handle.execute("INSERT INTO fault (id, amount) VALUES (1, 0), (2, 0)");
        });
    }

    @AfterEach
    void dropTable() {
        Jdbi.create(dataSource.get()).useTransaction(handle -> handle.execute("DROP TABLE fault"));
    }

    private Throwable thrownBy(String sql) {
        return catchThrowable(() -> {
            try (Connection connection = dataSource.get().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        });
    }

    private Fault faultOf(Throwable thrown) {
        assertThat(thrown).isInstanceOf(SQLException.class);
        return dialect.get().classify((SQLException) thrown);
    }

    @Test
    void brokenConstraintIsARefusalAndStoredAsOne() {
        Throwable thrown = thrownBy("INSERT INTO fault (id, amount) VALUES (1, 0)");
        assertThat(faultOf(thrown)).isEqualTo(Fault.STATEMENT_REFUSED);
        assertThat(JdbiIdempotencyStore.builder(dataSource.get())
                        .dialect(dialect.get())
                        .build()
                        .describe(thrown))
                .contains(new Failure(Failure.CONSTRAINT, ""));
    }

    @Test
    void statementThatCannotBeReadIsARefusal() {
        assertThat(faultOf(thrownBy("SELECT * FROM no_such_table"))).isEqualTo(Fault.STATEMENT_REFUSED);
        assertThat(faultOf(thrownBy("NO SUCH STATEMENT"))).isEqualTo(Fault.STATEMENT_REFUSED);
    }

    @Test
    void connectionThatIsGoneIsLost() throws SQLException {
        try (Connection connection = dataSource.get().getConnection()) {
            connection.unwrap(Connection.class).close();
            Throwable thrown = catchThrowable(() -> {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SELECT 1");
                }
            });
            assertThat(faultOf(thrown)).isEqualTo(Fault.CONNECTION_LOST);
        }
    }

    @Test
    void victimOfADeadlockIsInConflict() throws Exception {
        CyclicBarrier bothHaveOne = new CyclicBarrier(2);
        CompletableFuture<Throwable> one = CompletableFuture.supplyAsync(() -> update(bothHaveOne, 1, 2));
        Throwable thrown = update(bothHaveOne, 2, 1);
        Throwable other = one.get(60, TimeUnit.SECONDS);
        Throwable victim = thrown == null ? other : thrown;
        assertThat(faultOf(victim)).isEqualTo(Fault.CONFLICT);
    }

    private Throwable update(CyclicBarrier bothHaveOne, int first, int second) {
        return catchThrowable(() -> {
            try (Connection connection = dataSource.get().getConnection()) {
                connection.setAutoCommit(false);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("UPDATE fault SET amount = amount + 1 WHERE id = " + first);
                    bothHaveOne.await(60, TimeUnit.SECONDS);
                    statement.execute("UPDATE fault SET amount = amount + 1 WHERE id = " + second);
                } finally {
                    connection.rollback();
                }
            }
        });
    }
}
