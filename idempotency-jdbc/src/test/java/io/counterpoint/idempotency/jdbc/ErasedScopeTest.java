package io.counterpoint.idempotency.jdbc;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What docs/operate.md says of a scope that is erased: its statement, and why nothing may be under way. */
@Timeout(60)
class ErasedScopeTest {

    private static final Attempt ERASED =
            Attempt.inScope("user:42").key("key-1").request("request");
    private static final Attempt OTHER = Attempt.inScope("user:43").key("key-1").request("request");

    private final CountDownLatch works = new CountDownLatch(1);
    private final CountDownLatch mayEnd = new CountDownLatch(1);
    private final ExecutorService leading = Executors.newSingleThreadExecutor();
    private TestDatabase database;

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql();
    }

    @AfterEach
    void close() {
        leading.shutdownNow();
        database.close();
    }

    @Test
    void erasedKeyIsANewKeyAndItsRetryHasASecondEffect() throws Exception {
        call(ERASED);
        call(OTHER);

        assertThat(erase()).isEqualTo(1);

        assertThat(call(OTHER)).isInstanceOf(Outcome.Replayed.class);
        assertThat(effects()).isEqualTo(2);
        assertThat(call(ERASED)).isInstanceOf(Outcome.Executed.class);
        assertThat(effects()).isEqualTo(3);
    }

    @Test
    void erasureWaitsForALeaderThatHasClaimedFirst() throws Exception {
        Future<Outcome<String>> led = lead(Protocol.CLAIM_FIRST);

        assertThatThrownBy(() -> database.jdbi().useTransaction(handle -> {
                    handle.execute("SET LOCAL lock_timeout = '50ms'");
                    handle.execute(statement());
                }))
                .cause()
                .isInstanceOfSatisfying(
                        SQLException.class,
                        thrown -> assertThat(thrown.getSQLState()).isEqualTo("55P03"));

        mayEnd.countDown();
        assertThat(led.get(30, SECONDS)).isInstanceOf(Outcome.Executed.class);
        assertThat(erase()).isEqualTo(1);
    }

    @Test
    void erasureLeavesOutALeaderOfASingleTransaction() throws Exception {
        Future<Outcome<String>> led = lead(Protocol.SINGLE_TRANSACTION);

        assertThat(erase()).isZero();

        mayEnd.countDown();
        assertThat(led.get(30, SECONDS)).isInstanceOf(Outcome.Executed.class);
        assertThat(records()).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(names = {"CLAIM_FIRST", "SINGLE_TRANSACTION"})
    void workThatErasesItsOwnScopeHasNoEffectAndIsToldOfItsRecord(Protocol protocol) {
        Operation<Handle, String> closing = operation(protocol);

        assertThatThrownBy(() -> closing.execute(ERASED, handle -> {
                    TestDatabase.write(handle, "effect");
                    handle.execute(statement());
                    return "result";
                }))
                .isInstanceOf(OutcomeUnknownException.class)
                .hasMessageContaining("or changed its own record");

        assertThat(effects()).isZero();
    }

    private Future<Outcome<String>> lead(Protocol protocol) throws InterruptedException {
        Future<Outcome<String>> led = leading.submit(() -> operation(protocol).execute(ERASED, handle -> {
            works.countDown();
            mayEnd.await();
            return "result";
        }));
        works.await();
        return led;
    }

    private Outcome<String> call(Attempt attempt) {
        return operation(Protocol.CLAIM_FIRST).execute(attempt, handle -> {
            TestDatabase.write(handle, "effect");
            return "result";
        });
    }

    private Operation<Handle, String> operation(Protocol protocol) {
        return Idempotency.on(database.store())
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .build();
    }

    private int erase() throws Exception {
        String statement = statement();
        return database.jdbi().withHandle(handle -> handle.execute(statement));
    }

    private static String statement() throws Exception {
        Matcher statement = Pattern.compile("(?m)^(DELETE FROM idempotency_record WHERE scope = .*);$")
                .matcher(Files.readString(Path.of("../docs/operate.md")));
        assertThat(statement.find()).isTrue();
        return statement.group(1);
    }

    private int effects() {
        return database.one("SELECT count(*) FROM effect", Integer.class);
    }

    private int records() {
        return database.one("SELECT count(*) FROM idempotency_record", Integer.class);
    }
}
