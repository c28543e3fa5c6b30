package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A service in a process of its own, over an H2 file. After the first effect on a path below {@code /stuck} is committed
 * it prints a line and never answers: it waits to be killed.
 */
final class KilledServer {

    private KilledServer() {}

    /** Arguments: the database's address. */
    public static void main(String[] args) throws Exception {
        Jdbi jdbi = Jdbi.create(args[0]);
        jdbi.useHandle(
                handle -> handle.execute("CREATE TABLE IF NOT EXISTS payment (name varchar(100), hash varchar(64))"));
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        boolean stuck = args.length > 1;
        IdempotencyListener listener = IdempotencyListener.on(IdempotencyEvent.Succeeded.class, event -> {
            if (stuck) {
                waitToBeKilled();
            }
        });
        Idempotency<Handle> idempotency =
                Idempotency.builder(store).listener(listener).build();
        Operation<Handle, String> pay =
                idempotency.operation("pay", ResultCodec.string()).build();
        FilterManaged style = FilterManaged.storedIn(
                        idempotency,
                        "transfer",
                        unresolved -> jdbi.withHandle(handle -> handle.createQuery(
                                        "SELECT name FROM payment WHERE hash = ?")
                                .bind(0, unresolved.key().hash())
                                .map((row, context) -> StoredResponse.of(
                                        201, "text/plain", row.getString(1).getBytes(StandardCharsets.UTF_8)))
                                .findOne()))
                .build();
        TestServer server = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .route("/transfers", RoutePolicy.required().responses(style))
                        .build())
                .handle("/payments", (request, response) -> {
                    String name = request.getReader().readLine();
                    IdempotentRequest idempotent = IdempotentRequest.of(request);
                    String paid = idempotent.resultOf(pay.execute(idempotent.attempt(), handle -> {
                        handle.execute("INSERT INTO payment VALUES (?, '')", name);
                        return name;
                    }));
                    response.setStatus(201);
                    response.setContentType("text/plain");
                    response.getWriter().write(paid);
                })
                .handle("/transfers", (request, response) -> {
                    String name = request.getReader().readLine();
                    String hash =
                            IdempotentRequest.of(request).key().orElseThrow().hash();
                    jdbi.useHandle(handle -> handle.execute("INSERT INTO payment VALUES (?, ?)", name, hash));
                    if (stuck) {
                        waitToBeKilled();
                    }
                    response.setStatus(201);
                    response.setContentType("text/plain");
                    response.getWriter().write(name);
                })
                .start();
        System.out.println(server.port());
        new CountDownLatch(1).await();
    }

    private static void waitToBeKilled() {
        System.out.println("committed");
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
