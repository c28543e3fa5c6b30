package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ProviderOperation;
import io.counterpoint.idempotency.examples.springboot.GroupService.Joined;
import io.counterpoint.idempotency.trial.FaultInjection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A user joins a group once and pays once, whichever of the service's JDBC calls fails, and however it fails. */
@Tag("thorough")
class EveryFaultTest {

    private static final String DATABASE = "jdbc:h2:mem:every-fault";
    private static final String PAYMENTS = "jdbc:h2:mem:every-fault-of-payments";

    /** Wraps the data source, so that all beans use one that can fail. */
    private static final class Wrapping implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource source ? FaultInjection.wrap(source) : bean;
        }
    }

    private final Map<String, Long> groups = new ConcurrentHashMap<>();
    private final DemoProvider provider = new DemoProvider();

    private ConfigurableApplicationContext start(String database) {
        return new SpringApplicationBuilder(Application.class)
                .initializers(context -> context.getBeanFactory().addBeanPostProcessor(new Wrapping()))
                .run(
                        "--server.port=0",
                        "--spring.datasource.url=" + database + ";DB_CLOSE_DELAY=-1",
                        "--payments.provider=" + provider.start(),
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=OFF");
    }

    @Test
    void copiesOfAMessageHaveOneEffectUnderEveryFault() throws Exception {
        try (ConfigurableApplicationContext application = start(DATABASE)) {
            GroupService service = application.getBean(GroupService.class);
            DataSource source = application.getBean(DataSource.class);
            JdbcClient plain = JdbcClient.create(source.unwrap(HikariDataSource.class));

            FaultInjection.into(source, unused -> key -> service.join(new Joined(key, groupFor(key, plain))))
                    .onDisposableDatabase(DATABASE)
                    .countingEffects(key -> plain.sql("SELECT members - 1 FROM chat_group WHERE id = ?")
                            .param(groupFor(key, plain))
                            .query(Long.class)
                            .single())
                    .verify();
        }
    }

    @Test
    @SuppressWarnings("unchecked")
    void paymentIsChargedAndBookedOnceUnderEveryFault() throws Exception {
        try (ConfigurableApplicationContext application = start(PAYMENTS)) {
            ProviderOperation<Order, String> pay = application.getBean(ProviderOperation.class);
            DataSource source = application.getBean(DataSource.class);
            JdbcClient plain = JdbcClient.create(source.unwrap(HikariDataSource.class));

            FaultInjection.into(source, unused -> key -> pay.execute(attempt(key), new Order("tok_visa", 1250)))
                    .onDisposableDatabase(PAYMENTS)
                    .countingEffects(key -> chargeOf(key, pay) == null ? 0 : 1)
                    .countingEffects(key -> plain.sql("SELECT count(*) FROM payment WHERE charge = ?")
                            .param(String.valueOf(chargeOf(key, pay)))
                            .query(Long.class)
                            .single())
                    .verify();
            assertThat(plain.sql("SELECT count(*) FROM payment")
                            .query(Integer.class)
                            .single())
                    .isEqualTo(provider.charged.get());
        }
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:ann").key(key).request("tok_visa", 1250);
    }

    private @Nullable String chargeOf(String key, ProviderOperation<Order, String> pay) {
        return provider.charges.get(pay.keyOf(attempt(key)).hash());
    }

    /** Uses the data source that never fails. */
    private long groupFor(String key, JdbcClient plain) {
        return groups.computeIfAbsent(key, unused -> {
            long id = groups.size() + 1_000L;
            plain.sql("INSERT INTO chat_group (id, version, name, owner, members) VALUES (?, 0, ?, 'ann', 1)")
                    .params(id, key)
                    .update();
            return id;
        });
    }
}
