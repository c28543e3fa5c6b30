package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testkit.ControllableClock;
import io.counterpoint.idempotency.trial.TestedDatabase.Kind;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls at the end of the stack, at many distances from it: somewhere in each of them the stack overflows. The
 * connections are the driver's own, so this library has lost one that is not closed. All later callers of a pool would
 * wait for it.
 */
@Tag("thorough")
@Timeout(100)
class DeepStackTest {

    private static final int DEPTHS = 300;
    private static final int FRAMES = 5;
    private static final long STACK = 512 << 10;

    private final List<Connection> lent = new ArrayList<>();

    @ParameterizedTest
    @EnumSource(
            value = ProtocolVariant.class,
            names = {"CLAIM_FIRST", "SINGLE_TRANSACTION"})
    void noDepthOfTheStackLosesAConnection(ProtocolVariant way) throws Exception {
        try (TestedDatabase database = Kind.POSTGRESQL.create();
                Tables tables = new Tables(database)) {
            Operation<Domain, String> operation = operation(way, database);
            // Jdbi parses the work's own statement now: an overflow in there stays in its cache, and every caller gets
            // it.
            assertThat(execute(operation, "first")).isInstanceOf(Outcome.Executed.class);
            int overflows = 0;
            for (int depth = 0; depth < DEPTHS; depth++) {
                String key = "deep-" + depth;
                overflows += overflows(depth * FRAMES, () -> execute(operation, key)) ? 1 : 0;
                assertThat(tables.effectsOf(key)).hasSizeLessThanOrEqualTo(1);
            }
            assertThat(overflows).isPositive();
            assertThat(execute(operation, "shallow")).isInstanceOf(Outcome.Executed.class);
            assertThat(open())
                    .as("connections left open after " + overflows + " overflows")
                    .isZero();
        }
    }

    private int open() throws SQLException {
        int open = 0;
        for (Connection connection : lent) {
            open += connection.isClosed() ? 0 : 1;
        }
        return open;
    }

    private DataSource source(TestedDatabase database) {
        return (DataSource) Proxy.newProxyInstance(
                DeepStackTest.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    Connection connection = database.connect();
                    lent.add(connection);
                    return connection;
                });
    }

    private Operation<Domain, String> operation(ProtocolVariant way, TestedDatabase database) {
        Operation.Builder<Domain, String> builder = Idempotency.builder(
                        MadeByJdbc.FROM_DATA_SOURCE.in(database, source(database)))
                .clock(new ControllableClock())
                .build()
                .operation("call", ResultCodec.string());
        return (way.isSingle() ? builder.protocol(Operation.Protocol.SINGLE_TRANSACTION) : builder).build();
    }

    private static Outcome<String> execute(Operation<Domain, String> operation, String key) throws SQLException {
        return operation.execute(Attempt.inScope("user:1").key(key).request("request"), domain -> {
            domain.write(key, key);
            return key;
        });
    }

    private interface Doing {
        void run() throws Exception;
    }

    /** Runs at that distance from the end of a small stack. Whether what is thrown shows that it was too short. */
    private static boolean overflows(int distance, Doing doing) throws InterruptedException {
        boolean[] overflows = new boolean[1];
        Thread thread = new Thread(
                null,
                () -> {
                    int[] end = new int[1];
                    try {
                        toTheEnd(end);
                    } catch (StackOverflowError reached) {
                        overflows[0] = descend(Math.max(0, end[0] - distance), doing);
                    }
                },
                "deep",
                STACK);
        thread.start();
        thread.join();
        return overflows[0];
    }

    // It ends where the stack does.
    @SuppressWarnings("InfiniteRecursion")
    private static int toTheEnd(int[] depth) {
        depth[0]++;
        return toTheEnd(depth) + 1;
    }

    private static boolean descend(int depth, Doing doing) {
        if (depth > 0) {
            try {
                return descend(depth - 1, doing) || depth < 0;
            } catch (StackOverflowError thrown) {
                return true;
            }
        }
        try {
            doing.run();
            return false;
        } catch (Exception | StackOverflowError thrown) {
            return true;
        }
    }
}
