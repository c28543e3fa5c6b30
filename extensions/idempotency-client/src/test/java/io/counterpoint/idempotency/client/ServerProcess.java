package io.counterpoint.idempotency.client;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A service in a process of its own. At one of its requests it prints a line and stays there, within the transaction or
 * after its commit, and so do all that come there later: then it is to be killed.
 */
final class ServerProcess {

    static final String KILL_ME = "kill me";

    private ServerProcess() {}

    /** Where a doomed request stays. */
    enum Place {
        AFTER_THE_COMMIT,
        BEFORE_THE_COMMIT,
        BEFORE_THE_EFFECT,
        NOWHERE
    }

    /** Arguments: the database's address, a place, and how many requests come there before the doomed one. */
    public static void main(String[] args) throws Exception {
        Place doomed = Place.valueOf(args[1]);
        AtomicInteger left = new AtomicInteger(Integer.parseInt(args[2]));
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(args[0]);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(1);
        Jdbi jdbi = Jdbi.create(new HikariDataSource(config));
        IdempotencyListener listener = IdempotencyListener.on(
                IdempotencyEvent.Succeeded.class, event -> stay(Place.AFTER_THE_COMMIT, doomed, left));
        Idempotency<Handle> idempotency = Idempotency.builder(JdbiIdempotencyStore.on(jdbi))
                .listener(listener)
                .build();
        Operation<Handle, String> pay = idempotency
                .operation("pay", ResultCodec.string())
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofMillis(100))
                .build();
        TestServer server = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .route("/payments", RoutePolicy.required())
                        .build())
                .handle("/payments", (request, response) -> {
                    String name = request.getReader().readLine();
                    IdempotentRequest idempotent = IdempotentRequest.of(request);
                    String paid = idempotent.resultOf(pay.execute(idempotent.attempt(), handle -> {
                        stay(Place.BEFORE_THE_EFFECT, doomed, left);
                        handle.execute("INSERT INTO payment VALUES (?)", name);
                        stay(Place.BEFORE_THE_COMMIT, doomed, left);
                        return "paid " + name;
                    }));
                    response.setStatus(201);
                    response.getWriter().write(paid);
                })
                .start();
        System.out.println(server.port());
        // Ends with the process that started it, at the latest.
        int unused = System.in.read();
        Runtime.getRuntime().halt(0);
    }

    private static void stay(Place here, Place doomed, AtomicInteger left) {
        int before = here == doomed ? left.getAndDecrement() : 1;
        if (before <= 0) {
            if (before == 0) {
                System.out.println(KILL_ME);
            }
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
