package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.CuttingProxy;
import jakarta.transaction.RollbackException;
import java.sql.Connection;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A proxy cuts the connection before the COMMIT, or before its answer. The rows are counted. */
@Timeout(60)
class CutCommitsTest {

    private static final Attempt ATTEMPT = Attempt.in("user:1").key("k").request("r");

    private final AtomicInteger runs = new AtomicInteger();
    private Database database;
    private CuttingProxy proxy;
    private DataSource behindProxy;

    private void open(Database.Way way) throws Exception {
        database = Database.open(way);
        proxy = CuttingProxy.inFrontOf(database.url());
        behindProxy = Database.dataSource(way, proxy.jdbcUrl(), 4);
    }

    @AfterEach
    void close() throws Exception {
        if (behindProxy instanceof AutoCloseable pool) {
            pool.close();
        }
        proxy.close();
        database.close();
    }

    private Outcome<String> call(Operation.Protocol protocol) {
        Operation<Connection, String> operation = Idempotency.on(
                        Database.store(behindProxy).checkTable())
                .operation("op", ResultCodec.string())
                .protocol(protocol)
                .build();
        return operation.execute(ATTEMPT, unused -> {
            runs.incrementAndGet();
            Database.sql(behindProxy, "INSERT INTO effect VALUES ('effect')");
            return "result";
        });
    }

    private void arm(boolean answer) {
        if (answer) {
            proxy.swallowNextCommitAnswer();
        } else {
            proxy.dropNextCommit();
        }
    }

    /** The trap: what the manager throws says that the transaction was rolled back, and its row is there. */
    @ParameterizedTest
    @EnumSource(names = {"AGROAL"})
    void managerThrowsRollbackExceptionAfterACommit(Database.Way way) throws Exception {
        open(way);
        Database.sql(behindProxy, "INSERT INTO effect VALUES ('before')");
        Database.TRANSACTIONS.begin();
        Database.sql(behindProxy, "INSERT INTO effect VALUES ('effect')");
        proxy.swallowNextCommitAnswer();
        assertThatThrownBy(Database.TRANSACTIONS::commit).isInstanceOf(RollbackException.class);
        assertThat(database.effects()).containsExactly("before", "effect");
    }

    @ParameterizedTest
    @CsvSource({
        "AGROAL, CLAIM_FIRST",
        "AGROAL, SINGLE_TRANSACTION",
        "AGROAL, RECORD_LAST",
        "AGROAL_XA, CLAIM_FIRST",
        "AGROAL_XA, SINGLE_TRANSACTION",
        "PLAIN_XA, CLAIM_FIRST",
        "PLAIN_XA, SINGLE_TRANSACTION"
    })
    void answerToTheCommitIsLostAndTheRecordDecides(Database.Way way, Operation.Protocol protocol) throws Exception {
        open(way);
        cutAtTheWork(true, protocol, 1);
    }

    @ParameterizedTest
    @CsvSource({
        "AGROAL, CLAIM_FIRST",
        "AGROAL, SINGLE_TRANSACTION",
        "AGROAL, RECORD_LAST",
        "AGROAL_XA, CLAIM_FIRST",
        "AGROAL_XA, SINGLE_TRANSACTION",
        "PLAIN_XA, CLAIM_FIRST",
        "PLAIN_XA, SINGLE_TRANSACTION"
    })
    void commitThatNeverArrivedIsRunAgain(Database.Way way, Operation.Protocol protocol) throws Exception {
        open(way);
        cutAtTheWork(false, protocol, 2);
    }

    private void cutAtTheWork(boolean answer, Operation.Protocol protocol, int expectedRuns) {
        Operation<Connection, String> operation = Idempotency.on(
                        Database.store(behindProxy).checkTable())
                .operation("op", ResultCodec.string())
                .protocol(protocol)
                .build();
        Outcome<String> outcome = operation.execute(ATTEMPT, unused -> {
            Database.sql(behindProxy, "INSERT INTO effect VALUES ('effect')");
            if (runs.incrementAndGet() == 1) {
                arm(answer);
            }
            return "result";
        });
        assertThat(proxy.hasCut()).isTrue();
        assertThat(outcome.orElseThrow()).isEqualTo("result");
        assertThat(runs).hasValue(expectedRuns);
        assertThat(database.effects()).containsExactly("effect");
        assertThat(call(protocol)).isInstanceOf(Outcome.Replayed.class);
        assertThat(database.effects()).containsExactly("effect");
    }
}
