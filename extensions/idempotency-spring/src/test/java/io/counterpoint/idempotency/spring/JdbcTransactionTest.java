package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.mapping.Environment;
import org.apache.ibatis.session.Configuration;
import org.apache.ibatis.session.SqlSessionFactoryBuilder;
import org.jdbi.v3.core.Jdbi;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mybatis.spring.SqlSessionTemplate;
import org.mybatis.spring.transaction.SpringManagedTransactionFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** What holds where there are no entities, on H2. */
class JdbcTransactionTest {

    private final IllegalArgumentException refused = new IllegalArgumentException("refused");

    private Database database;
    private Operation<Connection, String> operation;

    @BeforeEach
    void open() {
        database = Database.open(Database.Kind.H2);
        operation = Idempotency.on(database.store())
                .operation("write", ResultCodec.string())
                .build();
    }

    @AfterEach
    void close() {
        database.close();
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("request");
    }

    private void write(String name) {
        database.jdbc()
                .update(
                        "INSERT INTO effect (number, id) VALUES (?, ?)",
                        UUID.randomUUID().toString(),
                        name);
    }

    /** Runs work that writes "one" and fails, and work that writes "two" and succeeds. */
    private void onlyTheSecondStands(Writes writes) {
        assertThatThrownBy(() -> operation.execute(attempt("one"), connection -> {
                    writes.write(UUID.randomUUID().toString(), "one");
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(operation.execute(attempt("two"), connection -> {
                    writes.write(UUID.randomUUID().toString(), "two");
                    return "done";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("two");
    }

    private interface Writes {
        void write(String number, String name);
    }

    @Test
    void nestedTransactionIsASavepoint() {
        TransactionTemplate nested = new TransactionTemplate(new DataSourceTransactionManager(database.pool()));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        assertThat(operation.execute(attempt("key"), connection -> {
                    write("before");
                    assertThatThrownBy(() -> nested.executeWithoutResult(status -> {
                                write("nested");
                                throw refused;
                            }))
                            .isSameAs(refused);
                    return "done";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(database.effects()).containsExactly("before");
    }

    @Test
    void proxyThatKnowsTransactionsIsUnwrapped() {
        DataSource proxy = new TransactionAwareDataSourceProxy(database.pool());
        operation = Idempotency.on(
                        SpringIdempotencyStore.on(new JdbcTransactionManager(database.pool()), proxy, options -> {}))
                .operation("write", ResultCodec.string())
                .build();
        onlyTheSecondStands((number, name) -> write(name));
    }

    /** Its connections are those of the caller's transaction, whatever wraps it. */
    @Test
    void otherStoresRefuseTheProxyAndWhatWrapsIt() {
        DataSource proxy = new TransactionAwareDataSourceProxy(database.pool());
        DataSource wrapped = new DelegatingDataSource(new DelegatingDataSource(proxy));
        TransactionTemplate outer = new TransactionTemplate(new DataSourceTransactionManager(database.pool()));

        assertThatThrownBy(() -> JdbcIdempotencyStore.on(proxy))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TransactionAwareDataSourceProxy");
        for (IdempotencyStore<?> store : List.of(
                JdbcIdempotencyStore.on(wrapped),
                JdbiIdempotencyStore.on(Jdbi.create(proxy)),
                JdbiIdempotencyStore.on(Jdbi.create(wrapped)))) {
            Operation<?, String> refusing = Idempotency.on(store)
                    .operation("write", ResultCodec.string())
                    .build();
            outer.executeWithoutResult(
                    status -> assertThatThrownBy(() -> refusing.execute(attempt("key"), handle -> "done"))
                            .isInstanceOf(MisuseException.class)
                            .hasMessageContaining("TransactionAwareDataSourceProxy"));
            assertThat(database.store()
                            .read(IdempotencyKey.inScope("user:1")
                                    .operation("write")
                                    .value("key")))
                    .isEmpty();
        }
    }

    @Test
    void workOnTheHandleJoinsToo() {
        assertThat(operation.execute(attempt("key"), connection -> {
                    assertThat(DataSourceUtils.getConnection(database.pool())).isSameAs(connection);
                    return "done";
                }))
                .isInstanceOf(Outcome.Executed.class);
    }

    // ---- other libraries -----------------------------------------------------------------------------------------

    @Test
    @Tag("matrix")
    void jooqJoins() {
        DSLContext jooq = DSL.using(new TransactionAwareDataSourceProxy(database.pool()), SQLDialect.H2);
        onlyTheSecondStands(
                (number, name) -> jooq.execute("INSERT INTO effect (number, id) VALUES (?, ?)", number, name));
    }

    /** A mapper of MyBatis. */
    interface EffectMapper {
        @Insert("INSERT INTO effect (number, id) VALUES (#{number}, #{name})")
        void write(@Param("number") String number, @Param("name") String name);
    }

    @Test
    @Tag("matrix")
    void myBatisJoins() {
        Configuration configuration =
                new Configuration(new Environment("test", new SpringManagedTransactionFactory(), database.pool()));
        configuration.addMapper(EffectMapper.class);
        EffectMapper effects = new SqlSessionTemplate(new SqlSessionFactoryBuilder().build(configuration))
                .getMapper(EffectMapper.class);
        onlyTheSecondStands(effects::write);
    }
}
