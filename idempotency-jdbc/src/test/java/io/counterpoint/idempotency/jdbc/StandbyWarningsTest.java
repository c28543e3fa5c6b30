package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.ReplicatedPostgres;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A COMMIT whose wait for the standby is broken says so, whatever else is in its answer. */
@Tag("thorough")
@Timeout(120)
class StandbyWarningsTest {

    private static ReplicatedPostgres pair;
    private static TestDatabase database;

    private final CountDownLatch doubted = new CountDownLatch(1);

    @BeforeAll
    static void start() {
        pair = ReplicatedPostgres.start();
        database = TestDatabase.postgresql(pair.primary().createDatabase(), config -> config.setMaximumPoolSize(1));
        pair.waitForStandby();
    }

    @AfterAll
    static void stop() {
        database.close();
        pair.close();
    }

    @BeforeEach
    void empty() {
        database.jdbi().useHandle(handle -> {
            handle.execute("TRUNCATE effect, idempotency_record");
            handle.execute("DROP TRIGGER IF EXISTS say ON effect");
        });
    }

    private static void raiseAtCommit(String statements) {
        database.jdbi().useHandle(handle -> {
            handle.execute("CREATE OR REPLACE FUNCTION say() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " + statements
                    + " RETURN NULL; END $$");
            handle.execute("CREATE CONSTRAINT TRIGGER say AFTER INSERT ON effect DEFERRABLE INITIALLY DEFERRED"
                    + " FOR EACH ROW EXECUTE FUNCTION say()");
        });
    }

    /** Breaks the wait of the first commit that waits. Later ones get their answer, once the call is in doubt. */
    private void breakOneWait(IntConsumer breaking) {
        breaking.accept(pair.awaitWaitingCommits(1).iterator().next());
        try {
            boolean unused = doubted.await(10, TimeUnit.SECONDS);
        } catch (InterruptedException thrown) {
            Thread.currentThread().interrupt();
        }
        pair.passLog();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "CLAIM_FIRST | cancel | NULL;",
                "CLAIM_FIRST | cancel | RAISE NOTICE 'a row';",
                "CLAIM_FIRST | cancel | RAISE WARNING 'one'; RAISE NOTICE 'two';",
                "CLAIM_FIRST | terminate | RAISE NOTICE 'a row';",
                "SINGLE_TRANSACTION | cancel | NULL;",
                "SINGLE_TRANSACTION | cancel | RAISE NOTICE 'a row';",
                "SINGLE_TRANSACTION | cancel | RAISE WARNING 'one'; RAISE NOTICE 'two';",
                "SINGLE_TRANSACTION | terminate | RAISE NOTICE 'a row';",
                "RECORD_LAST | cancel | NULL;",
                "RECORD_LAST | cancel | RAISE NOTICE 'a row';",
                "RECORD_LAST | cancel | RAISE WARNING 'one'; RAISE NOTICE 'two';",
                "RECORD_LAST | terminate | RAISE NOTICE 'a row';"
            })
    void brokenWaitIsDoubtWhateverPrecedesIt(Protocol protocol, String way, String statements) {
        raiseAtCommit(statements);
        pair.awaitCaughtUp();
        Operation<Handle, String> operation = Idempotency.builder(database.store().toBuilder()
                        .table(TestDatabase.TABLE)
                        .build()
                        .checkTable())
                .listener(IdempotencyListener.on(IdempotencyEvent.CommitUnknown.class, event -> doubted.countDown()))
                .build()
                .operation("operate", ResultCodec.string())
                .protocol(protocol)
                .build();
        Attempt attempt = Attempt.inScope("user:1").key("k").withoutRequest();
        List<CompletableFuture<Void>> breaks = new ArrayList<>();

        Outcome<String> outcome = operation.execute(attempt, handle -> {
            if (breaks.isEmpty()) {
                pair.holdBackLog();
                breaks.add(CompletableFuture.runAsync(
                        () -> breakOneWait(way.equals("cancel") ? pair::cancel : pair::terminate)));
            }
            TestDatabase.write(handle, "effect");
            return "result";
        });

        breaks.get(0).join();
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(doubted.getCount()).isZero();
        assertThat(operation.execute(attempt, handle -> "again")).isInstanceOf(Outcome.Replayed.class);
        assertThat(database.effects()).hasSize(1);
    }
}
