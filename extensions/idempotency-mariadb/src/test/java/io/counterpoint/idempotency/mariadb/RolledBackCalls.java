package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.ClusterNode;
import io.counterpoint.idempotency.testing.Cut;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import io.counterpoint.idempotency.testing.NodeCluster;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a server applies for its cluster goes before what a session of its own is at: it rolls the session's transaction
 * back between two of its statements. On MySQL the next statement shows it, unless that is a {@code SAVEPOINT}: it succeeds,
 * in a new transaction. Here the server does so before each statement of a call.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(value = 10, unit = TimeUnit.MINUTES)
abstract class RolledBackCalls {

    private static final String RESULT = "result";
    private static final String ASK_AGAIN = "ask again";
    private static final String DATABASE = "rolled_back";
    private static final String RECORDS = DATABASE + ".idempotency_record";

    private ClusterNode other;
    private MariaDbProxy proxy;
    private Jdbi direct;
    private JdbiIdempotencyStore store;

    /** What a call may be. */
    enum Shape {
        CLAIM_FIRST,
        CLAIM_FIRST_PLANNED,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED,
        RECORD_LAST,
        BATCH
    }

    /** Calls are at the first node, and another one writes. */
    final void open(NodeCluster cluster, ClusterNode first, MariaDbDialect dialect) {
        cluster.createDatabase(DATABASE);
        String url = first.jdbcUrl().replaceFirst("(:\\d+/)\\w*", "$1" + DATABASE);
        direct = Jdbi.create(url);
        proxy = MariaDbProxy.inFrontOf(url);
        store = JdbiIdempotencyStore.builder(Jdbi.create(proxy.jdbcUrl()))
                .dialect(dialect)
                .table(RECORDS)
                .build()
                .createTableIfMissing();
        direct.useHandle(handle -> {
            handle.execute("CREATE TABLE effect (id int AUTO_INCREMENT PRIMARY KEY, key_value varchar(100) NOT NULL,"
                    + " part varchar(10) NOT NULL)");
            handle.execute("CREATE TABLE contended (id int PRIMARY KEY, number int NOT NULL)");
            handle.execute("INSERT INTO contended VALUES (1, 0), (2, 0)");
        });
        cluster.awaitWhole();
        other = cluster.nodes().get((cluster.nodes().indexOf(first) + 1) % Storm.NODES);
    }

    @AfterAll
    final void close() {
        proxy.close();
    }

    @ParameterizedTest
    @EnumSource
    void keyHasOneWholeEffectAndItsAnswerWhereverTheServerRollsBack(Shape shape) {
        List<String> wrong = new ArrayList<>();
        int at = 0;
        for (boolean reached = true; reached; at++) {
            String key = shape + "-" + at;
            AtomicInteger left = new AtomicInteger(at);
            proxy.onNextStatement(
                    sql -> {
                        if (left.getAndDecrement() == 0) {
                            rollBackWhatIsInTheWay(key);
                        }
                        return false;
                    },
                    Cut.BEFORE_SEND);
            String told = told(shape, key);
            reached = left.get() < 0;
            proxy.heal();
            String again = told(shape, key);
            List<String> parts = parts(key);
            if (!(told.equals(RESULT) || told.equals(ASK_AGAIN))
                    || !again.equals(RESULT)
                    || !parts.equals(List.of("first", "second"))) {
                wrong.add("before statement " + at + ": " + told + ", again " + again + ", " + parts);
            }
        }
        System.out.printf("%s: rolled back before each of %d statements%n", shape, at - 1);
        assertThat(wrong).isEmpty();
    }

    private String told(Shape shape, String key) {
        try {
            return call(shape, key);
        } catch (IdempotencyException told) {
            return told.isRetryable() ? ASK_AGAIN : String.valueOf(told.getMessage());
        } catch (RuntimeException told) {
            return String.valueOf(told.getMessage());
        }
    }

    private String call(Shape shape, String key) {
        Attempt attempt = Attempt.inScope("user:1").key(key).request("request");
        return switch (shape) {
            case CLAIM_FIRST, SINGLE_TRANSACTION, RECORD_LAST ->
                operation(shape)
                        .build()
                        .execute(attempt, handle -> work(handle, key))
                        .orElseThrow();
            case CLAIM_FIRST_PLANNED, SINGLE_TRANSACTION_PLANNED ->
                operation(shape)
                        .planned()
                        .build()
                        .execute(attempt, () -> RESULT, (handle, plan) -> work(handle, key))
                        .orElseThrow();
            case BATCH -> batch(key, attempt);
        };
    }

    private Operation.Builder<Handle, String> operation(Shape shape) {
        Operation.Protocol protocol = switch (shape) {
            case CLAIM_FIRST, CLAIM_FIRST_PLANNED -> Operation.Protocol.CLAIM_FIRST;
            case RECORD_LAST -> Operation.Protocol.RECORD_LAST;
            default -> Operation.Protocol.SINGLE_TRANSACTION;
        };
        return Idempotency.on(store).operation("operate", ResultCodec.string()).protocol(protocol);
    }

    /** Claims the key of another caller before. */
    private String batch(String key, Attempt attempt) {
        List<Attempt> attempts = List.of(Attempt.inScope("user:0").key(key).request("request"), attempt);
        List<String> results = Batch.inOneTransaction(operation(Shape.BATCH).build())
                .executeAll(attempts, (handle, leading) -> {
                    if (leading.stream().anyMatch(item -> item.attempt().equals(attempt))) {
                        String unused = work(handle, key);
                    }
                    return leading.stream().map(item -> RESULT).toList();
                })
                .stream()
                .map(each -> each.orElseThrow().orElseThrow())
                .toList();
        return results.equals(List.of(RESULT, RESULT)) ? RESULT : results.toString();
    }

    /** A nested transaction in the middle, as frameworks make them. */
    private static String work(Handle handle, String key) {
        handle.execute("INSERT INTO effect (key_value, part) VALUES (?, 'first')", key);
        handle.execute("UPDATE contended SET number = number + 1 WHERE id = 1");
        Handle unused = handle.savepoint("nested");
        handle.execute("INSERT INTO effect (key_value, part) VALUES (?, 'second')", key);
        Handle unusedToo = handle.releaseSavepoint("nested");
        return RESULT;
    }

    private List<String> parts(String key) {
        return direct.withHandle(
                handle -> handle.createQuery("SELECT part FROM effect WHERE key_value = :key ORDER BY part")
                        .bind("key", key)
                        .mapTo(String.class)
                        .list());
    }

    /** Writes on another server what the call may have locked, and awaits that its own has applied it. */
    private void rollBackWhatIsInTheWay(String key) {
        String contended = DATABASE + ".contended SET number = number + 100 WHERE id = ";
        other.execute("UPDATE " + contended + "1");
        other.execute("UPDATE " + RECORDS + " SET updated_at = updated_at + INTERVAL 1 MICROSECOND WHERE key_value = '"
                + key + "'");
        other.execute("INSERT IGNORE INTO " + RECORDS + " (scope, operation, key_value, protocol, state, token,"
                + " fingerprint, created_at, updated_at, expires_at) VALUES ('user:1', 'operate', '" + key
                + "', 'C', 'P', REPEAT('x', 16), REPEAT('x', 32), UTC_TIMESTAMP(6), UTC_TIMESTAMP(6),"
                + " UTC_TIMESTAMP(6))");
        other.execute("DELETE FROM " + RECORDS + " WHERE token = REPEAT('x', 16)");
        int before = applied();
        other.execute("UPDATE " + contended + "2");
        while (applied() == before) {
            Thread.onSpinWait();
        }
    }

    /** Nobody else writes it, so what was written before is there too. */
    private int applied() {
        return direct.withHandle(handle -> handle.createQuery("SELECT number FROM contended WHERE id = 2")
                .mapTo(Integer.class)
                .one());
    }
}
