package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbProxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** Calls of one key whose connections lead through a proxy that cuts them, and what they leave behind. */
final class ProxiedCalls implements AutoCloseable {

    static final Attempt ATTEMPT = Attempt.inScope("user:1").key("key-1").request("request");

    private static final Pattern COMMIT = Pattern.compile("\\bCOMMIT\\b", Pattern.CASE_INSENSITIVE);

    enum Shape {
        CLAIM_FIRST,
        CLAIM_FIRST_PLANNED,
        SINGLE_TRANSACTION,
        SINGLE_TRANSACTION_PLANNED
    }

    final AtomicInteger runs = new AtomicInteger();
    final TestPool database;
    final Jdbi direct;
    final MariaDbProxy proxy;
    final JdbiIdempotencyStore store;

    /** By the driver of the URL. */
    ProxiedCalls(TestPool database, UnaryOperator<String> url) {
        this.database = database;
        this.direct = Jdbi.create(database.pool());
        JdbiIdempotencyStore.builder(database.pool())
                .dialect(TestPool.dialect())
                .build()
                .createTableIfMissing();
        direct.useHandle(handle -> handle.execute("CREATE TABLE effect (id varchar(100) NOT NULL)"));
        this.proxy = MariaDbProxy.inFrontOf(database.url());
        // No pool, which would go on refusing for a while after the database is back.
        this.store = JdbiIdempotencyStore.builder(Jdbi.create(url.apply(proxy.jdbcUrl())))
                .dialect(TestPool.dialect())
                .build();
    }

    /** A URL that names the proxy twice, for a driver that connects again. */
    static String twice(String url, String mode) {
        return url.replaceFirst("^(jdbc:\\w+:)//127\\.0\\.0\\.1:(\\d+)/", "$1" + mode + "//127.0.0.1:$2,localhost:$2/");
    }

    /** Alone, or in a block. */
    static boolean isCommit(String sql) {
        return COMMIT.matcher(sql).find();
    }

    static void write(Handle handle) {
        handle.execute("INSERT INTO effect VALUES ('effect')");
    }

    List<String> effects() {
        return direct.withHandle(handle ->
                handle.createQuery("SELECT id FROM effect").mapTo(String.class).list());
    }

    /** Forgets the key, what was done for it, and how often. */
    void reset() {
        direct.useHandle(handle -> {
            handle.execute("DELETE FROM idempotency_record");
            handle.execute("DELETE FROM effect");
        });
        runs.set(0);
    }

    Outcome<String> execute(Shape shape) {
        return execute(shape, ProxiedCalls::write);
    }

    Outcome<String> execute(Shape shape, Consumer<Handle> work) {
        Operation.Builder<Handle, String> builder = Idempotency.on(store)
                .operation("operate", ResultCodec.string())
                .settleWithin(Duration.ofSeconds(1))
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofDays(1));
        if (shape.name().startsWith("SINGLE")) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        }
        return shape.name().endsWith("PLANNED")
                ? builder.planned().build().execute(ATTEMPT, () -> "result", (handle, plan) -> {
                    runs.incrementAndGet();
                    work.accept(handle);
                })
                : builder.build().execute(ATTEMPT, handle -> {
                    runs.incrementAndGet();
                    work.accept(handle);
                    return "result";
                });
    }

    @Override
    public void close() {
        proxy.close();
        database.close();
    }
}
