package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jakarta.Database.Way;
import io.counterpoint.idempotency.testing.CuttingProxy;
import jakarta.transaction.RollbackException;
import java.sql.Connection;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** A proxy cuts the connection before the COMMIT, or before its answer; or the manager's timeout passes. Rows are counted. */
@Tag("thorough")
@Timeout(60)
class CutCommitsTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("r");

    private final AtomicInteger runs = new AtomicInteger();
    private Database database;
    private CuttingProxy proxy;
    private DataSource behindProxy;

    private void open(Way way) throws Exception {
        database = Database.open(way);
        proxy = CuttingProxy.inFrontOf(database.url());
        behindProxy = Database.dataSource(way, proxy.jdbcUrl(), 4);
    }

    @AfterEach
    void close() throws Exception {
        Database.TRANSACTIONS.setTransactionTimeout(0);
        ((AutoCloseable) behindProxy).close();
        proxy.close();
        database.close();
    }

    /** The trap: what the manager throws says that the transaction was rolled back, and its row is there. */
    @Test
    void managerThrowsRollbackExceptionAfterACommit() throws Exception {
        open(Way.AGROAL);
        Database.sql(behindProxy, "INSERT INTO effect VALUES ('before')");
        Database.TRANSACTIONS.begin();
        Database.sql(behindProxy, "INSERT INTO effect VALUES ('effect')");
        proxy.swallowNextCommitAnswer();
        assertThatThrownBy(Database.TRANSACTIONS::commit).isInstanceOf(RollbackException.class);
        assertThat(database.effects()).containsExactly("before", "effect");
    }

    enum Moment {
        ANSWER_TO_THE_COMMIT_IS_LOST,
        COMMIT_NEVER_ARRIVES,
        TIMEOUT_IN_THE_WORK,
        WRITE_AFTER_THE_TIMEOUT,
        TIMEOUT_BETWEEN_MARK_AND_COMMIT;

        boolean isCut() {
            return compareTo(TIMEOUT_IN_THE_WORK) < 0;
        }
    }

    /** Each timeout takes a second, so fewer protocols meet it. DBCP goes on after one, and is refused at the start. */
    static Stream<Arguments> recordDecides() {
        return Arrays.stream(Way.values())
                .flatMap(way -> Arrays.stream(Moment.values())
                        .filter(moment -> way != Way.DBCP_XA || moment != Moment.WRITE_AFTER_THE_TIMEOUT)
                        .flatMap(moment -> Arrays.stream(Protocol.values())
                                .filter(protocol ->
                                        moment.isCut() || way == Way.AGROAL || protocol == Protocol.CLAIM_FIRST)
                                .map(protocol -> Arguments.of(way, protocol, moment))));
    }

    @ParameterizedTest
    @MethodSource
    void recordDecides(Way way, Protocol protocol, Moment moment) throws Exception {
        open(way);
        Operation<Connection, String> operation = Idempotency.on(Database.checked(Database.store(behindProxy)))
                .operation("op", ResultCodec.string())
                .protocol(protocol)
                .build();
        Database.TRANSACTIONS.setTransactionTimeout(moment.isCut() ? 0 : 1);
        Outcome<String> outcome = operation.<Exception>execute(ATTEMPT, unused -> {
            Database.sql(behindProxy, "INSERT INTO effect VALUES ('effect')");
            if (runs.incrementAndGet() == 1) {
                strike(moment);
            }
            return "result";
        });
        System.out.printf(
                "%-9s  %-18s  %-31s  %d runs, rows %s, %s%n",
                way,
                protocol,
                moment,
                runs.get(),
                database.effects(),
                outcome.getClass().getSimpleName());
        assertThat(proxy.hasCut()).isEqualTo(moment.isCut());
        assertThat(outcome.orElseThrow()).isEqualTo("result");
        assertThat(runs).hasValue(moment == Moment.ANSWER_TO_THE_COMMIT_IS_LOST ? 1 : 2);
        assertThat(database.effects()).containsExactly("effect");
        assertThat(operation.execute(ATTEMPT, unused -> "again")).isInstanceOf(Outcome.Replayed.class);
    }

    /** The manager gives that transaction the status of one that it has rolled back. */
    @ParameterizedTest
    @EnumSource(names = {"AGROAL", "AGROAL_XA"})
    void workWhoseOwnCommitIsNotAnsweredIsUnknownAndNotRunAgain(Way way) throws Exception {
        open(way);
        Operation<Connection, String> operation = Idempotency.on(Database.store(behindProxy))
                .operation("op", ResultCodec.string())
                .build();
        assertThatThrownBy(() -> operation.<Exception>execute(ATTEMPT, unused -> {
                    Database.sql(behindProxy, "INSERT INTO effect VALUES ('effect')");
                    if (runs.incrementAndGet() == 1) {
                        proxy.swallowNextCommitAnswer();
                        Database.TRANSACTIONS.getTransaction().commit();
                    }
                    return "result";
                }))
                .isInstanceOf(OutcomeUnknownException.class);
        assertThat(runs).hasValue(1);
        assertThat(database.effects()).containsExactly("effect");
    }

    private void strike(Moment moment) {
        switch (moment) {
            case ANSWER_TO_THE_COMMIT_IS_LOST -> proxy.swallowNextCommitAnswer();
            case COMMIT_NEVER_ARRIVES -> proxy.dropNextCommit();
            case TIMEOUT_IN_THE_WORK -> TransactionsTest.awaitRollback();
            case WRITE_AFTER_THE_TIMEOUT -> {
                TransactionsTest.awaitRollback();
                Database.sql(behindProxy, "INSERT INTO effect VALUES ('after')");
            }
            case TIMEOUT_BETWEEN_MARK_AND_COMMIT -> TransactionsTest.afterTheMark(TransactionsTest::awaitRollback);
        }
    }
}
