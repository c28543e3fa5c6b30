package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.servlet.JaxRsTest.GroupResource;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.glassfish.jersey.server.ResourceConfig;

/** The service of the documentation: its regions are shown there to the letter. */
final class ServiceExample {

    /** The effects so far. */
    static final List<String> GROUPS = new CopyOnWriteArrayList<>();

    private ServiceExample() {}

    /** Another service, that keeps payments by the hash that they came with. */
    static final class Gateway {
        final Map<String, String> payments = new ConcurrentHashMap<>();

        String pay(String hash, String what) {
            payments.put(hash, what);
            return what;
        }

        Optional<String> find(String hash) {
            return Optional.ofNullable(payments.get(hash));
        }
    }

    static Filter filter(Idempotency<Transaction> idempotency, Gateway gateway) {
        // region filter
        FilterManaged payments = FilterManaged.storedIn(
                        idempotency,
                        "payments",
                        unresolved -> gateway.find(unresolved.key().hash())
                                .map(paid ->
                                        StoredResponse.of(201, "text/plain", paid.getBytes(StandardCharsets.UTF_8))))
                .build();
        Filter filter = IdempotencyFilter.scopedBy(ScopeResolver.principal())
                .route("/groups", RoutePolicy.required())
                .route("/payments/*", RoutePolicy.required().responses(payments))
                .route("/searches", RoutePolicy.optional())
                .elsewhere(RoutePolicy.off())
                .documentation(URI.create("https://api.example.com/idempotency"))
                .build();
        // endregion
        return filter;
    }

    // region use-case
    /** Handler-managed: the group and its record commit together. */
    static final class CreateGroup extends HttpServlet {
        private static final long serialVersionUID = 1L;

        private final transient Operation<Transaction, String> createGroup;

        CreateGroup(Idempotency<Transaction> idempotency) {
            createGroup =
                    idempotency.operation("create-group", ResultCodec.string()).build();
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String name = request.getReader().readLine();
            IdempotentRequest idempotent = IdempotentRequest.of(request);
            String group = idempotent.resultOf(createGroup.execute(idempotent.attempt(), transaction -> {
                transaction.onCommit(() -> GROUPS.add(name));
                return "group-of-" + name;
            }));
            // Only now, after the commit, there is something to answer.
            response.setStatus(HttpServletResponse.SC_CREATED);
            response.getWriter().write(group);
        }
    }
    // endregion

    // region jax-rs
    /** A JAX-RS application whose resources let out what the core throws. */
    static final class Groups extends ResourceConfig {
        Groups(Idempotency<Transaction> idempotency) {
            register(new GroupResource(idempotency));
            register(IdempotencyExceptionMapper.class);
        }
    }
    // endregion

    // region response
    /** Filter-managed: the payment is an external effect, under the hash of the key that the filter has claimed. */
    static final class Pay extends HttpServlet {
        private static final long serialVersionUID = 1L;

        private final transient Gateway gateway;

        Pay(Gateway gateway) {
            this.gateway = gateway;
        }

        @Override
        protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
            String what = request.getReader().readLine();
            String hash = IdempotentRequest.of(request).key().orElseThrow().hash();
            response.setStatus(HttpServletResponse.SC_CREATED);
            response.setContentType("text/plain");
            response.getWriter().write(gateway.pay(hash, what));
        }
    }
    // endregion

    static Idempotency<Transaction> idempotency() {
        return Idempotency.on(new InMemoryIdempotencyStore());
    }
}
