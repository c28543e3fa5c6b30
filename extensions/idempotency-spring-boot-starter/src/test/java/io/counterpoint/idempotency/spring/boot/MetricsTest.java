package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static io.counterpoint.idempotency.spring.boot.StartedShop.as;
import static io.counterpoint.idempotency.spring.boot.StartedShop.bean;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.micrometer.ObservedCalls;
import io.counterpoint.idempotency.micrometer.PendingRecords;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import io.counterpoint.idempotency.spring.boot.shop.Orders.Wanted;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Where the application has registries, meters and observations are there without a line. */
class MetricsTest {

    private static ApplicationContextRunner withMetrics() {
        return onH2().withConfiguration(AutoConfigurations.of(
                IdempotencyMetricsAutoConfiguration.class,
                IdempotencyObservationAutoConfiguration.class,
                PendingRecordsAutoConfiguration.class));
    }

    @Test
    void callsAreObservedByTheirOutcome() {
        Orders orders = bean(Orders.class);
        for (int tries = 0; tries < 3; tries++) {
            as("ann", "BUYER", () -> orders.buy(new Wanted("m-1", "tea-m", Optional.empty())));
        }
        MeterRegistry registry = bean(MeterRegistry.class);
        assertThat(registry.get(ObservedCalls.CALL)
                        .tags("operation", "buy", "outcome", "replayed", "waited", "false")
                        .timer()
                        .count())
                .isGreaterThanOrEqualTo(2);
        assertThat(registry.get("idempotency.events")
                        .tags("operation", "buy", "event", "replayed")
                        .counter()
                        .count())
                .isGreaterThanOrEqualTo(2);
    }

    @Test
    void pendingRecordsAreCountedInTheRegistry() throws Exception {
        Idempotency<?> idempotency = bean(Idempotency.class);
        ExternalOperation<String> unresolved = idempotency
                .external("unresolved", ResultCodec.string(), unused -> Lookup.notYet())
                .build();
        assertThatThrownBy(() -> {
                    Outcome<String> unused = unresolved.execute(
                            Attempt.inScope("test").key("m-2").request("r"), it -> {
                                throw new IllegalStateException("no answer");
                            });
                })
                .isInstanceOf(OutcomeUnknownException.class);

        assertThat(bean(MeterRegistry.class)
                        .get(ObservedCalls.CALL)
                        .tags("operation", "unresolved", "outcome", "unknown")
                        .timer()
                        .count())
                .as("an operation that is built from the bean is observed too")
                .isOne();
        bean(PendingRecords.class).refresh();

        MeterRegistry registry = bean(MeterRegistry.class);
        assertThat(registry.get(PendingRecords.COUNT)
                        .tag("operation", "unresolved")
                        .gauge()
                        .value())
                .isEqualTo(1);
        assertThat(registry.get(PendingRecords.READ_AGE).timeGauge().value()).isNotNegative();
        assertThat(bean(PendingRefresh.class).isRunning()).isTrue();
    }

    @Test
    void nothingIsThereWithoutRegistries() {
        withMetrics()
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(PendingRecords.class)
                        .doesNotHaveBean(ObservedCalls.class));
    }

    @Test
    void pendingRecordsAreNotReadWhereTheyAreOff() {
        withMetrics()
                .withBean(SimpleMeterRegistry.class)
                .withBean(ObservationRegistry.class, ObservationRegistry::create)
                .withPropertyValues("idempotency.metrics.pending=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasSingleBean(ObservedCalls.class)
                        .doesNotHaveBean(PendingRecords.class));
    }
}
