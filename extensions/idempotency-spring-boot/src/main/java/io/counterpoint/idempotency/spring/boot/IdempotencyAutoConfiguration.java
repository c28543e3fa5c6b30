package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.CallObserver;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.annotation.CountedMethods;
import io.counterpoint.idempotency.spring.annotation.DuplicateCounter;
import io.counterpoint.idempotency.spring.annotation.IdempotentConfiguration;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Mode;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Defines a bean of type {@link Idempotency} on the application's {@code DataSource} or on a store that is a bean. Each
 * of its beans can be replaced.
 */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.TransactionAutoConfiguration",
            "org.springframework.boot.autoconfigure.transaction.jta.JtaAutoConfiguration",
            "org.springframework.boot.autoconfigure.r2dbc.R2dbcAutoConfiguration",
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration",
            "org.springframework.boot.transaction.jta.autoconfigure.JtaAutoConfiguration",
            "org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration"
        })
@ConditionalOnProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
@Import({
    StoreConfiguration.class,
    ReactiveOnlyConfiguration.class,
    ResultCodecsConfiguration.class,
    SecurityScopeConfiguration.class,
    IdempotentConfiguration.class
})
public class IdempotencyAutoConfiguration {

    /** Called by Spring. */
    public IdempotencyAutoConfiguration() {}

    /** Static, so that no other bean is created before it. */
    @Bean
    static AsyncCallRefusal idempotencyAsyncCallRefusal() {
        return new AsyncCallRefusal();
    }

    @Bean
    @ConditionalOnMissingBean(Idempotency.class)
    @ConditionalOnBean(IdempotencyStore.class)
    Idempotency<?> idempotency(
            IdempotencyStore<?> store,
            IdempotencyProperties properties,
            ObjectProvider<IdempotencyListener> listener,
            ObjectProvider<IdempotencyClock> clock,
            ObjectProvider<CallObserver> observer) {
        Idempotency.Builder<?> builder = Idempotency.builder(store).defaults(properties::applyTo);
        listener.orderedStream().forEach(builder::listener);
        clock.ifUnique(builder::clock);
        observer.ifAvailable(builder::observer);
        return builder.build();
    }

    @Bean
    DefaultsCheck idempotencyDefaultsCheck(
            ConfigurableListableBeanFactory beans, Environment environment, IdempotencyProperties properties) {
        return new DefaultsCheck(beans, environment, properties);
    }

    @Bean
    @ConditionalOnBean(Idempotency.class)
    @ConditionalOnProperty(name = "idempotency.purge.enabled", matchIfMissing = true)
    PurgeSchedule idempotencyPurgeSchedule(Idempotency<?> idempotency, IdempotencyProperties properties) {
        return new PurgeSchedule(idempotency, properties.purge());
    }

    @Bean
    @ConditionalOnMissingBean
    CountedMethods idempotencyCountedMethods(
            IdempotencyProperties properties, ObjectProvider<DuplicateCounter> counter) {
        if (properties.mode() == Mode.PROTECT) {
            if (!properties.protect().isEmpty()) {
                throw new IdempotencyStartException(
                        "idempotency.protect names operations, but idempotency.mode=protect already protects all of"
                                + " them.",
                        "Remove idempotency.protect, or set idempotency.mode=count.");
            }
            return new CountedMethods(null, Set.of());
        }
        DuplicateCounter present = counter.getIfAvailable();
        if (present == null) {
            throw new IdempotencyStartException(
                    "idempotency.mode=count counts duplicates in a meter registry, but there is none.",
                    "Add spring-boot-starter-actuator, or define a bean of type " + DuplicateCounter.class.getName()
                            + ".");
        }
        return new CountedMethods(present, properties.protect());
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnProperty(name = "idempotency.anonymous", havingValue = "true")
    CallerScope anonymousCallerScope() {
        return () -> Optional.of("anonymous");
    }
}
