package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.ProviderOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jackson3.JsonCodecs;
import java.sql.Connection;
import java.time.Duration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class PaymentOperation {

    @Bean
    ProviderOperation<Order, String> pay(Idempotency<Connection> idempotency, CardProvider cards, Payments payments) {
        return idempotency
                .provider(
                        "pay",
                        JsonCodecs.strict().of(Order.class),
                        ResultCodec.string(),
                        (key, order) -> cards.charge(key.hash(), order))
                .rememberedFor(Duration.ofHours(24))
                .refusedWhen(CardProvider.CardDeclined.class::isInstance)
                .describeFailure(thrown -> new Failure("card-declined", ""))
                .then((connection, key, order, charge) -> {
                    if (!payments.existsById(charge)) {
                        payments.save(new Payment(charge, order.cents()));
                    }
                })
                .build();
    }
}
