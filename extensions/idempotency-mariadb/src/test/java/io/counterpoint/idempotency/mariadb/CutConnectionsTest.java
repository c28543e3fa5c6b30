package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyException.OutcomeUnknownException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A real server behind a proxy that cuts at chosen statements: every answer is exact, or says that it is not known. */
@Tag("thorough")
@Timeout(60)
class CutConnectionsTest {

    private static final Attempt ATTEMPT = Attempt.in("user:1").key("key-1").request("request");

    private final AtomicInteger runs = new AtomicInteger();
    private TestPool database;
    private Jdbi direct;
    private MariaDbProxy proxy;
    private JdbiIdempotencyStore store;

    @BeforeEach
    void open() {
        database = TestPool.with("");
        direct = Jdbi.create(database.pool());
        JdbiIdempotencyStore.builder(database.pool())
                .dialect(TestPool.dialect())
                .build()
                .createTableIfMissing();
        direct.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
        proxy = MariaDbProxy.inFrontOf(database.url());
        // No pool, which would go on refusing for a while after the database is back.
        store = JdbiIdempotencyStore.builder(Jdbi.create(proxy.jdbcUrl()))
                .dialect(TestPool.dialect())
                .build();
    }

    @AfterEach
    void close() {
        proxy.close();
        database.close();
    }

    enum Shape {
        CLAIM_FIRST,
        CLAIM_FIRST_PLANNED,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED
    }

    @ParameterizedTest
    @EnumSource
    void commitWhoseAnswerIsLostIsFoundCommitted(Shape shape) {
        assertThat(execute(shape, handle -> {
                    write(handle);
                    proxy.onNextStatement(CutConnectionsTest::isCommit, Cut.AFTER_ANSWER);
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(runs).hasValue(1);
        assertThat(effects()).containsExactly("effect");
        assertThat(execute(shape)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    void commitThatNeverArrivedIsProvenRolledBackAndRunAgain(Shape shape) {
        cutOnceAt(shape, CutConnectionsTest::isCommit, Cut.BEFORE_SEND);
    }

    @ParameterizedTest
    @EnumSource
    void connectionCutAfterADomainWriteIsRunAgain(Shape shape) {
        cutOnceAt(shape, sql -> sql.startsWith("INSERT INTO effect"), Cut.AFTER_ANSWER);
    }

    @ParameterizedTest
    @EnumSource
    void connectionCutAtTheCheckOfTheTransactionIsRunAgain(Shape shape) {
        cutOnceAt(shape, sql -> sql.contains("RELEASE SAVEPOINT"), Cut.AFTER_ANSWER);
    }

    /** The work runs twice, and has one effect. */
    private void cutOnceAt(Shape shape, Predicate<String> sql, Cut cut) {
        assertThat(execute(shape, handle -> {
                    if (runs.get() == 1) {
                        proxy.onNextStatement(sql, cut);
                    }
                    write(handle);
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(runs).hasValue(2);
        assertThat(effects()).containsExactly("effect");
        assertThat(execute(shape)).isInstanceOf(Outcome.Replayed.class);
    }

    @ParameterizedTest
    @EnumSource
    void claimThatIsCutLeadsOnce(Shape shape) {
        for (Cut cut : List.of(Cut.BEFORE_SEND, Cut.AFTER_ANSWER)) {
            direct.useHandle(handle -> {
                handle.execute("DELETE FROM idempotency_record");
                handle.execute("DELETE FROM effect");
            });
            runs.set(0);
            proxy.onNextStatement(CutConnectionsTest::isClaim, cut);
            assertThat(execute(shape)).isInstanceOf(Outcome.Executed.class);
            assertThat(proxy.hasCut()).isTrue();
            assertThat(runs).hasValue(1);
            assertThat(effects()).containsExactly("effect");
        }
    }

    @ParameterizedTest
    @EnumSource
    void databaseGoneAtTheCommitIsUnknownAndLaterExact(Shape shape) {
        assertThatThrownBy(() -> execute(shape, handle -> {
                    write(handle);
                    proxy.onNextStatement(
                            sql -> {
                                if (isCommit(sql)) {
                                    // Connections that are made after this one is cut.
                                    proxy.refuseConnections();
                                }
                                return isCommit(sql);
                            },
                            Cut.AFTER_ANSWER);
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageNotContaining("key-1");
        proxy.heal();
        assertThat(execute(shape).asOptional()).contains("result");
        assertThat(effects()).hasSize(1);
    }

    @ParameterizedTest
    @EnumSource
    void failureIsThrownOnlyWhenItIsDurable(Shape shape) {
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> execute(shape, handle -> {
                    proxy.onNextStatement(sql -> sql.contains("state = 'F'") || isClaim(sql), Cut.AFTER_ANSWER);
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(execute(shape)).isInstanceOf(Outcome.Rejected.class);
        assertThat(effects()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void databaseThatCannotBeReachedStartsNothing(Shape shape) {
        proxy.goAway();
        assertThatThrownBy(() -> execute(shape)).isInstanceOf(NotStartedException.class);
        assertThat(runs).hasValue(0);
        proxy.heal();
        assertThat(execute(shape)).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void externalMarkWhoseAnswerIsLostIsRecognisedAsItsOwn() {
        ExternalOperation<String> operation = external();
        proxy.onNextStatement(sql -> sql.contains("state = 'S'"), Cut.AFTER_ANSWER);
        assertThat(operation.execute(ATTEMPT, key -> "result")).isInstanceOf(Outcome.Executed.class);
        assertThat(proxy.hasCut()).isTrue();
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Replayed.class);
    }

    @Test
    void externalEffectIsAnsweredThoughItsMarkIsLostAndHealsNext() {
        ExternalOperation<String> operation = external();
        assertThat(operation
                        .execute(ATTEMPT, key -> {
                            proxy.goAway();
                            return "result";
                        })
                        .orElseThrow())
                .isEqualTo("result");
        proxy.heal();
        assertThat(operation.execute(ATTEMPT, key -> "again")).isInstanceOf(Outcome.Healed.class);
    }

    private static boolean isClaim(String sql) {
        return sql.contains("INSERT INTO idempotency_record");
    }

    private static boolean isCommit(String sql) {
        return sql.equalsIgnoreCase("COMMIT");
    }

    private static void write(Handle handle) {
        handle.execute("INSERT INTO effect VALUES ('effect')");
    }

    private List<String> effects() {
        return direct.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }

    private Outcome<String> execute(Shape shape) {
        return execute(shape, CutConnectionsTest::write);
    }

    private Outcome<String> execute(Shape shape, Consumer<Handle> work) {
        Operation.Builder<Handle, String> builder = Idempotency.on(store)
                .operation("operate", ResultCodec.string())
                .settleWithin(Duration.ofSeconds(1))
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofDays(1));
        Operation<Handle, String> operation = (shape.name().startsWith("SINGLE")
                        ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        : builder)
                .build();
        return shape.name().endsWith("PLANNED")
                ? operation.executePlanned(ATTEMPT, () -> "result", (handle, plan) -> {
                    runs.incrementAndGet();
                    work.accept(handle);
                })
                : operation.execute(ATTEMPT, handle -> {
                    runs.incrementAndGet();
                    work.accept(handle);
                    return "result";
                });
    }

    private ExternalOperation<String> external() {
        return Idempotency.on(store)
                .external("external", ResultCodec.string(), unresolved -> Optional.of("result"))
                .settleWithin(Duration.ofSeconds(1))
                .build();
    }
}
