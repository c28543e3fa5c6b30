package io.counterpoint.idempotency.jdbc.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.InputStream;
import java.io.Reader;
import java.sql.Array;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.sql.Struct;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbc.JdbcArray;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the work gets of a driver's object, and what the driver gets of the work's. The objects are those of H2. */
class GuardTest {

    private Connection bare;
    private GuardedConnection guarded;
    private Guard guard;

    @BeforeEach
    void open() throws SQLException {
        bare = DriverManager.getConnection("jdbc:h2:mem:");
        guarded = new GuardedConnection(bare);
        guard = new Guard(guarded);
    }

    @AfterEach
    void close() throws SQLException {
        bare.close();
    }

    private Array array() throws SQLException {
        return bare.createArrayOf("INTEGER", new Object[] {1, 2});
    }

    // ---- from the driver -----------------------------------------------------------------------------------------

    @Test
    void everyValueThatLeadsToTheConnectionIsWrapped() throws SQLException {
        Statement statement = bare.createStatement();
        assertThat(guard.value(statement)).isExactlyInstanceOf(GuardedStatement.class);
        assertThat(guard.value(bare.prepareStatement("SELECT 1"))).isExactlyInstanceOf(GuardedPreparedStatement.class);
        assertThat(guard.value(bare.prepareCall("SELECT 1"))).isExactlyInstanceOf(GuardedCallableStatement.class);
        assertThat(guard.value(statement.executeQuery("SELECT 1"))).isExactlyInstanceOf(GuardedResultSet.class);
        assertThat(guard.value(array())).isExactlyInstanceOf(GuardedArray.class);
        assertThat(guard.value(bare.getMetaData())).isExactlyInstanceOf(GuardedDatabaseMetaData.class);
        assertThat(guard.value(bare)).isSameAs(guarded);
        PreparedStatement prepared = bare.prepareStatement("SELECT CAST(? AS INTEGER)");
        assertThat(guard.value(prepared.getMetaData())).isExactlyInstanceOf(GuardedResultSetMetaData.class);
        assertThat(guard.value(prepared.getParameterMetaData())).isExactlyInstanceOf(GuardedParameterMetaData.class);
        assertThat(guard.value(bare.createBlob())).isExactlyInstanceOf(GuardedBlob.class);
        // H2's text is of both kinds.
        assertThat(guard.value(bare.createClob())).isExactlyInstanceOf(GuardedNClob.class);
        assertThat(guard.value(bare.createSQLXML())).isExactlyInstanceOf(GuardedSQLXML.class);
        assertThat(guard.value(InputStream.nullInputStream())).isExactlyInstanceOf(GuardedInputStream.class);
        assertThat(guard.value(Reader.nullReader())).isExactlyInstanceOf(GuardedReader.class);
    }

    @Test
    void valueThatLeadsNowhereStaysTheSame() throws SQLException {
        Object[] plain = {"text", 1, null, new Object[] {"inner"}};
        assertThat(guard.value(plain)).isSameAs(plain);
        assertThat(guard.value("text")).isEqualTo("text");
        assertThat(guard.value(null)).isNull();
        assertThat(guard.wrapped(null, GuardedArray::new)).isNull();
        assertThat(guard.result(null, null)).isNull();
    }

    @Test
    void elementsAreWrappedInACopy() throws SQLException {
        Array inner = array();
        Object[] elements = {"first", bare, new Object[] {inner}, "last"};
        assertThat(guard.value(elements)).isInstanceOfSatisfying(Object[].class, values -> {
            assertThat(values)
                    .hasSize(4)
                    .isNotSameAs(elements)
                    .startsWith("first", guarded)
                    .endsWith("last");
            assertThat(((Object[]) values[2])[0]).isInstanceOf(GuardedArray.class);
        });
        assertThat(elements[1]).isSameAs(bare);
        assertThat(((Object[]) elements[2])[0]).isSameAs(inner);
    }

    @Test
    void objectOfAnUnknownKindIsRefused() throws SQLException {
        assertRefused(() -> guard.value(new AReference()), "AReference");
        assertRefused(() -> guard.value(new AStructure()), "AStructure");
        assertRefused(() -> guard.value(new JdbcDataSource()), "JdbcDataSource");
        assertRefused(() -> guard.value(new Object[] {"text", new AStructure()}), "AStructure");
    }

    private static void assertRefused(ThrowingCallable call, String what) {
        assertThatThrownBy(call)
                .isInstanceOf(SQLFeatureNotSupportedException.class)
                .hasMessageContaining("Refused to read a")
                .hasMessageContaining(what);
    }

    @Test
    void valueAskedForByItsClassIsWrappedOrRefused() throws SQLException {
        assertThat(guard.value(bare, Connection.class)).isSameAs(guarded);
        assertThat(guard.value(array(), Array.class)).isInstanceOf(GuardedArray.class);
        assertThat(guard.value("text", String.class)).isEqualTo("text");
        assertThat(guard.<Integer>value(5, int.class)).isEqualTo(5);
        assertThat(guard.value(null, String.class)).isNull();
        assertRefused(() -> guard.value(array(), JdbcArray.class), "JdbcArray");
    }

    @Test
    void statementOfAResultIsTheOneThatMadeItElseAWrappedOne() throws SQLException {
        Statement made = (Statement) guard.value(bare.createStatement());
        assertThat(guard.statementOf(bare.createStatement(), made)).isSameAs(made);
        assertThat(guard.statementOf(null, made)).isSameAs(made);
        assertThat(guard.statementOf(null, null)).isNull();
        assertThat(guard.statementOf(bare.createStatement(), null)).isExactlyInstanceOf(GuardedStatement.class);
        assertThat(guard.statementOf(bare.prepareStatement("SELECT 1"), null))
                .isExactlyInstanceOf(GuardedPreparedStatement.class);
    }

    @Test
    void everyWayFromAResultBackToTheConnectionLeadsToTheGuardedOne() throws SQLException {
        try (PreparedStatement statement = guarded.prepareStatement("SELECT ARRAY[1, 2]");
                ResultSet rows = statement.executeQuery()) {
            assertThat(rows.getStatement()).isSameAs(statement);
            assertThat(rows.getStatement().getConnection()).isSameAs(guarded);
            assertThat(guarded.getMetaData().getConnection()).isSameAs(guarded);
        }
        assertThat(guard.connection()).isSameAs(guarded);
    }

    // ---- to the driver -------------------------------------------------------------------------------------------

    @Test
    void driverGetsItsOwnObjectsBack() throws SQLException {
        Array array = array();
        Array wrapped = (Array) guard.value(array);
        Statement statement = bare.createStatement();
        assertThat(Guard.bare(wrapped)).isSameAs(array);
        assertThat(Guard.bare(array)).isSameAs(array);
        assertThat(Guard.bare((Object) wrapped)).isSameAs(array);
        assertThat(Guard.bare(guard.value(statement))).isSameAs(statement);
        assertThat(Guard.bare("text")).isEqualTo("text");
    }

    @Test
    void driverGetsACopyWhereElementsDiffer() throws SQLException {
        Array array = array();
        Array wrapped = (Array) guard.value(array);
        Object[] elements = {"first", wrapped, new Object[] {wrapped}, "last"};
        Object[] values = Guard.bare(elements);
        assertThat(values)
                .hasSize(4)
                .isNotSameAs(elements)
                .startsWith("first", array)
                .endsWith("last");
        assertThat((Object[]) values[2]).containsExactly(array);
        assertThat(elements[1]).isSameAs(wrapped);
        assertThat((Object[]) Guard.bare((Object) elements)).startsWith("first", array);
    }

    @Test
    void driverGetsTheSameArrayWhereNothingDiffers() {
        String[] texts = {"a", "b"};
        assertThat(Guard.bare(texts)).isSameAs(texts);
        assertThat(Guard.bare((Object[]) null)).isNull();
        Object[] none = {};
        assertThat(Guard.bare(none)).isSameAs(none);
    }

    // ---- the connection ------------------------------------------------------------------------------------------

    @Test
    void endOfTheTransactionIsRefusedUntilItHasEnded() throws SQLException {
        assertThatThrownBy(guarded::commit).hasMessageContaining("Refused to commit");
        assertThatThrownBy(guarded::rollback).hasMessageContaining("Refused to roll back");
        assertThatThrownBy(() -> guarded.setAutoCommit(true)).hasMessageContaining("Refused to turn autocommit on");
        guarded.setAutoCommit(false);
        assertThat(bare.getAutoCommit()).isTrue();
        assertThatThrownBy(guarded::close).hasMessageContaining("Refused to close");
        assertThat(bare.isClosed()).isFalse();

        guarded.ended(() -> {
            try {
                guarded.commit();
                guarded.rollback();
                guarded.setAutoCommit(true);
            } catch (SQLException refused) {
                throw new AssertionError(refused);
            }
        });
        assertThatThrownBy(guarded::commit).hasMessageContaining("Refused to commit");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void modeInWhichTheConnectionCameIsKept(boolean autoCommit) throws SQLException {
        bare.setAutoCommit(autoCommit);
        GuardedConnection came = new GuardedConnection(bare);
        bare.setAutoCommit(!autoCommit);
        assertThat(came.initialAutoCommit()).isEqualTo(autoCommit);
    }

    @Test
    void isolationMayOnlyBeSetToWhatItIs() throws SQLException {
        guarded.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        assertThatThrownBy(() -> guarded.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE))
                .hasMessageContaining("change the isolation level");
        assertThat(bare.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
    }

    @Test
    void settingThatWouldOutlastTheTransactionIsRefusedByItsName() {
        assertThatThrownBy(() -> guarded.setSchema("another"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("Refused to set the schema")
                .hasMessageContaining("which the setting would outlast");
        assertThatThrownBy(() -> guarded.setClientInfo("name", "value")).hasMessageContaining("client info");
    }

    @Test
    void readOnlyModeMayOnlyBeSetToWhatItIs() throws SQLException {
        guarded.setReadOnly(false);
        assertThatThrownBy(() -> guarded.setReadOnly(true)).hasMessageContaining("read-only mode");
    }

    /** H2 has none. */
    private static final class AReference implements Ref {
        @Override
        public String getBaseTypeName() {
            return "type";
        }

        @Override
        public Object getObject(Map<String, Class<?>> map) {
            return "object";
        }

        @Override
        public Object getObject() {
            return "object";
        }

        @Override
        public void setObject(Object value) {}
    }

    /** H2 has none. */
    private static final class AStructure implements Struct {
        @Override
        public String getSQLTypeName() {
            return "type";
        }

        @Override
        public Object[] getAttributes() {
            return new Object[0];
        }

        @Override
        public Object[] getAttributes(Map<String, Class<?>> map) {
            return new Object[0];
        }
    }
}
