package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.FilterManaged;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;

/**
 * Groups have handler-managed keys, payments have filter-managed keys. The store is in memory, so that it starts
 * anywhere. Take a store of a database for anything that has to outlive the process, and the principal as the scope.
 */
@SpringBootApplication
public class Application {

    public static void main(String[] args) {
        SpringApplication.run(Application.class, args);
    }

    @Bean
    Idempotency<InMemoryIdempotencyStore.Transaction> idempotency() {
        return Idempotency.on(new InMemoryIdempotencyStore());
    }

    @Bean
    Operation<InMemoryIdempotencyStore.Transaction, String> createGroup(
            Idempotency<InMemoryIdempotencyStore.Transaction> idempotency) {
        return idempotency.operation("create-group", ResultCodec.string()).build();
    }

    @Bean
    FilterRegistrationBean<IdempotencyFilter> idempotencyFilter(
            Idempotency<InMemoryIdempotencyStore.Transaction> idempotency) {
        FilterManaged payments = FilterManaged.storedIn(idempotency, "pay").build();
        return new FilterRegistrationBean<>(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                .route("/groups", RoutePolicy.required())
                .route("/payments/*", RoutePolicy.required().responses(payments))
                .elsewhere(RoutePolicy.off())
                .build());
    }
}
