package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.Race;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What a record takes on PostgreSQL is what docs/operate-reference.md lets its reader multiply. The work does nothing. The
 * log is the server's: nobody else writes to it, and no checkpoint makes it contain whole pages.
 */
@Tag("own-server")
@Tag("thorough")
class CapacityTest {

    private static final int RECORDS = 20_000;
    private static final int CALLERS = 8;
    private static final int PERCENT = 20;
    private static final String RESULT = "0190a3f2-0000-7000-8000-000000000000";

    private static PostgresServer server;

    private TestDatabase database;

    @BeforeAll
    static void start() {
        server = PostgresServer.start("autovacuum=off", "checkpoint_timeout=1h", "max_wal_size=4GB");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void open() {
        database = TestDatabase.postgresql(server.createDatabase(), config -> {});
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void claimFirst() throws Exception {
        check("claim first", called(Protocol.CLAIM_FIRST, false));
    }

    @Test
    void singleTransaction() throws Exception {
        check("single transaction", called(Protocol.SINGLE_TRANSACTION, false));
    }

    @Test
    void singleTransactionWithAPlan() throws Exception {
        check("single transaction with a plan", called(Protocol.SINGLE_TRANSACTION, true));
    }

    @Test
    void recordLast() throws Exception {
        check("record last", called(Protocol.RECORD_LAST, false));
    }

    @Test
    void external() throws Exception {
        check(
                "external",
                (idempotency, attempt) -> idempotency
                        .external("create-group", ResultCodec.string(), unresolved -> Lookup.notYet())
                        .build()
                        .execute(attempt, key -> RESULT)
                        .orElseThrow());
    }

    private static BiConsumer<Idempotency<Handle>, Attempt> called(Protocol protocol, boolean planned) {
        return (idempotency, attempt) -> {
            Operation.Builder<Handle, String> builder =
                    idempotency.operation("create-group", ResultCodec.string()).protocol(protocol);
            (planned
                            ? builder.planned().build().execute(attempt, () -> RESULT, (handle, plan) -> {})
                            : builder.build().execute(attempt, handle -> RESULT))
                    .orElseThrow();
        };
    }

    private void check(String row, BiConsumer<Idempotency<Handle>, Attempt> call) throws Exception {
        var idempotency = Idempotency.on(database.named().checkTable());
        long before = log();
        AtomicInteger next = new AtomicInteger();
        Race.of(CALLERS, Duration.ofMinutes(2), caller -> {
                    for (int n = next.incrementAndGet(); n <= RECORDS; n = next.incrementAndGet()) {
                        String key = String.format(Locale.ROOT, "0190a3f2-%04x-7000-8000-%012x", n >> 12, n);
                        call.accept(
                                idempotency, Attempt.inScope("user:42").key(key).request(n));
                    }
                    return RECORDS;
                })
                .forEach(Race.Result::orFail);
        long written = log() - before;
        long space = database.one("SELECT pg_total_relation_size('idempotency_record')", Long.class);

        database.jdbi()
                .useHandle(handle -> handle.execute("UPDATE idempotency_record SET created_at = now() - interval"
                        + " '2 days', updated_at = now() - interval '2 days', expires_at = now() - interval '1 day'"));
        before = log();
        int purged = 0;
        for (int batch = 500; batch == 500; purged += batch) {
            batch = idempotency.purgeExpired(500);
        }
        long purge = log() - before;

        System.out.printf(
                Locale.ROOT,
                "%s: %d bytes, %d of the log, %d to purge%n",
                row,
                space / RECORDS,
                written / RECORDS,
                purge / RECORDS);
        assertThat(purged).isEqualTo(RECORDS);
        Matcher figures = Pattern.compile("(?m)^\\| " + row + " \\| (\\d+) \\| (\\d+) \\| (\\d+) \\|")
                .matcher(Files.readString(Path.of("../docs/operate-reference.md")));
        assertThat(figures.find()).as("the row of the page").isTrue();
        long[] measured = {space, written, purge};
        for (int i = 0; i < measured.length; i++) {
            long expected = Long.parseLong(figures.group(i + 1));
            assertThat(measured[i] / RECORDS).isCloseTo(expected, within(expected * PERCENT / 100));
        }
    }

    private long log() {
        return database.one("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn", Long.class);
    }
}
