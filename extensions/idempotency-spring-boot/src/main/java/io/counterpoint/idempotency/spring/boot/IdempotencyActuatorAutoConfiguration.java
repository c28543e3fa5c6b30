package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.AuditTrail;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health and an endpoint, if the records are in the application's {@code DataSource}. */
@AutoConfiguration(after = IdempotencyAutoConfiguration.class)
@ConditionalOnBean(RecordDatabase.class)
public class IdempotencyActuatorAutoConfiguration {

    /** Called by Spring. */
    public IdempotencyActuatorAutoConfiguration() {}

    @Bean
    KeyRecords idempotencyKeyRecords(RecordDatabase database, ObjectProvider<AuditTrail> audit) {
        Administration administration = Administration.of(
                database.dataSource(), database.properties().table(), audit.getIfAvailable(() -> NoAudit.REFUSES));
        return new KeyRecords(administration, database.properties().endpoint().showKeys());
    }

    @Bean
    TableHealth idempotencyTableHealth(
            KeyRecords records, ObjectProvider<PurgeSchedule> purge, IdempotencyProperties properties) {
        return new TableHealth(
                records,
                Optional.ofNullable(purge.getIfAvailable()),
                properties.health().maxClockSkew());
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
    @ConditionalOnProperty(name = "management.health.idempotency.enabled", matchIfMissing = true)
    static class OfBoot3 {
        @Bean
        @ConditionalOnMissingBean(name = "idempotencyHealthIndicator")
        Boot3Health idempotencyHealthIndicator(TableHealth table) {
            return new Boot3Health(table);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
    @ConditionalOnProperty(name = "management.health.idempotency.enabled", matchIfMissing = true)
    static class OfBoot4 {
        @Bean
        @ConditionalOnMissingBean(name = "idempotencyHealthIndicator")
        Boot4Health idempotencyHealthIndicator(TableHealth table) {
            return new Boot4Health(table);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class OperatorEndpoint {
        @Bean
        @ConditionalOnMissingBean
        AuditTrail idempotencyAuditTrail(ApplicationEventPublisher events) {
            return new PublishedAudit(events);
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        IdempotencyEndpoint idempotencyEndpoint(KeyRecords records, ObjectProvider<ResolvableOperation<?>> resolvable) {
            return new IdempotencyEndpoint(records, resolvable.orderedStream().toList());
        }

        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        IdempotencyDoctorEndpoint idempotencyDoctorEndpoint(KeyRecords records) {
            return new IdempotencyDoctorEndpoint(records.administration());
        }
    }
}
