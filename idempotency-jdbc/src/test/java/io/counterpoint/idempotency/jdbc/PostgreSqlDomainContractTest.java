package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.SQLException;
import java.util.UUID;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PostgreSqlDomainContractTest extends DomainContract {
    @Override
    TestDatabase open() {
        return TestDatabase.postgresql();
    }

    /** The driver would answer "committed" to a transaction that the server rolled back. */
    @ParameterizedTest
    @EnumSource
    void swallowedSqlErrorIsUnmaskedBeforeTheCommit(Shape shape) {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "effect");
                    assertThatThrownBy(() -> handle.execute("INSERT INTO effect (id) VALUES (NULL)"))
                            .isInstanceOf(UnableToExecuteStatementException.class);
                }))
                .isInstanceOf(RejectedException.class)
                .hasCauseInstanceOf(StoreException.class);
        assertThat(database.effects()).isEmpty();
        assertThat(recordStates()).containsExactly("F");
    }

    @ParameterizedTest
    @EnumSource
    void lockTimeoutInsideTheWorkIsTheUsersOwn(Shape shape) throws SQLException {
        try (TestDatabase patient = TestDatabase.postgresql("lock_timeout=7s")) {
            assertThat(shape.execute(patient, handle -> {
                        TestDatabase.write(handle, setting(handle, "lock_timeout"));
                        TestDatabase.write(handle, setting(handle, "lock_timeout"));
                    }))
                    .isNotNull();
            assertThat(patient.jdbi().<String, RuntimeException>withHandle(handle -> setting(handle, "lock_timeout")))
                    .isEqualTo("7s");
            assertThat(patient.effects()).containsExactly("7s", "7s");
        }
    }

    /** A setting identifies its claim. Nothing is committed, which the library cannot know. */
    @ParameterizedTest
    @EnumSource(names = "SINGLE_TRANSACTION")
    void workThatResetsAllSettingsPastTheGuardCountsAsEndingItsTransaction(Shape shape) {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "effect");
                    handle.execute("DO 'BEGIN EXECUTE ''RESET ALL''; END'");
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(database.effects()).isEmpty();
        assertThat(recordStates()).containsExactly("P");
    }

    @ParameterizedTest
    @EnumSource(names = {"SINGLE_TRANSACTION", "SINGLE_TRANSACTION_PLANNED"})
    void weakDurabilityOfTheServerIsRaisedFromTheClaimOn(Shape shape) throws SQLException {
        try (TestDatabase weak = TestDatabase.postgresql("synchronous_commit=off")) {
            assertThat(shape.execute(weak, handle -> TestDatabase.write(handle, setting(handle, "synchronous_commit"))))
                    .isNotNull();
            assertThat(weak.effects()).containsExactly("on");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "CLAIM_FIRST_PLANNED", "SINGLE_TRANSACTION"})
    void workThatChangesTheSearchPathIsRefusedWithTheReason(Shape shape) {
        assertReportsTheTableOutOfReach(shape, "SET LOCAL search_path = pg_catalog");
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "CLAIM_FIRST_PLANNED", "SINGLE_TRANSACTION"})
    void workThatChangesTheRoleIsRefusedWithTheReason(Shape shape) {
        String role = "poor_" + UUID.randomUUID().toString().replace('-', '_');
        database.jdbi().useHandle(handle -> handle.execute("CREATE ROLE " + role));
        assertReportsTheTableOutOfReach(shape, "SET LOCAL ROLE " + role);
    }

    private void assertReportsTheTableOutOfReach(Shape shape, String sql) {
        assertThatThrownBy(() -> shape.execute(database, handle -> {
                    TestDatabase.write(handle, "effect");
                    handle.execute(sql);
                }))
                .isInstanceOf(RejectedException.class)
                .hasMessageContaining("operate#")
                .hasMessageContaining("search_path or role")
                .hasMessageContaining("table(…)");
        assertThat(database.effects()).isEmpty();
        assertThat(recordStates()).containsExactly("F");
    }

    private static String setting(org.jdbi.v3.core.Handle handle, String name) {
        return handle.createQuery("SELECT current_setting(:name)")
                .bind("name", name)
                .mapTo(String.class)
                .one();
    }

    private java.util.List<String> recordStates() {
        return database.jdbi()
                .withHandle(handle -> handle.createQuery("SELECT state FROM idempotency_record")
                        .mapTo(String.class)
                        .list());
    }
}
