package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.peers.SpringApplications.Booking;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ClassPathResource;
import org.springframework.integration.MessageRejectedException;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.core.MessagingTemplate;
import org.springframework.integration.dsl.IntegrationFlow;
import org.springframework.integration.handler.advice.IdempotentReceiverInterceptor;
import org.springframework.integration.jdbc.metadata.JdbcMetadataStore;
import org.springframework.integration.metadata.ConcurrentMetadataStore;
import org.springframework.integration.selector.MetadataStoreSelector;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring Integration's idempotent receiver with its metadata store in the database, in one transaction with the work.
 * The value of a key is the payment's number, chosen before the work, so that duplicates can be answered with it.
 */
final class OnSpringIntegration implements UseCase {

    private static final String PAYMENT = "payment";
    private static final String KEY = "key";

    private final ConfigurableApplicationContext application;
    private final MessagingTemplate messages = new MessagingTemplate();
    private final TransactionTemplate transaction;
    private final ConcurrentMetadataStore store;

    OnSpringIntegration(String url, Work work) {
        application = SpringApplications.start(url, work, Flow.class);
        messages.setBeanFactory(application);
        transaction = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
        store = application.getBean(ConcurrentMetadataStore.class);
    }

    @Override
    public Answer book(String key, String request) {
        try {
            return Objects.requireNonNull(transaction.execute(status -> {
                Object payment = messages.convertSendAndReceive(
                        "book.input",
                        request,
                        Object.class,
                        message -> MessageBuilder.fromMessage(message)
                                .copyHeaders(Map.of(KEY, key, PAYMENT, Work.newPayment()))
                                .build());
                return Answer.booked(String.valueOf(payment));
            }));
        } catch (MessageRejectedException duplicate) {
            String payment = store.get(key);
            return payment == null ? Answer.refused("in progress") : Answer.booked(payment);
        }
    }

    @Override
    public void close() {
        application.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Flow {

        @Bean
        ConcurrentMetadataStore metadataStore(DataSource dataSource) {
            ResourceDatabasePopulator tables = new ResourceDatabasePopulator(
                    new ClassPathResource("org/springframework/integration/jdbc/schema-postgresql.sql"));
            tables.setContinueOnError(true);
            tables.execute(dataSource);
            return new JdbcMetadataStore(dataSource);
        }

        @Bean
        IdempotentReceiverInterceptor onceOnly(ConcurrentMetadataStore store) {
            IdempotentReceiverInterceptor interceptor = new IdempotentReceiverInterceptor(new MetadataStoreSelector(
                    message -> header(message.getHeaders(), KEY),
                    message -> header(message.getHeaders(), PAYMENT),
                    store));
            interceptor.setThrowExceptionOnRejection(true);
            return interceptor;
        }

        @Bean
        IntegrationFlow book(Booking booking, IdempotentReceiverInterceptor onceOnly) {
            return flow -> flow.handle(
                    String.class,
                    (request, headers) -> {
                        try {
                            return booking.book(header(headers, PAYMENT), header(headers, KEY), request);
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    endpoint -> endpoint.advice(onceOnly));
        }

        private static String header(Map<String, Object> headers, String name) {
            return String.valueOf(headers.get(name));
        }
    }
}
