package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.peers.SpringApplications.Booking;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangePropertyKey;
import org.apache.camel.Message;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.processor.idempotent.jdbc.JdbcMessageIdRepository;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Apache Camel's idempotent consumer with its repository in the database, in a Spring Boot application with Camel's
 * starter. In a transacted route, the key commits with the work, and a rollback removes the key, so the consumer need
 * not do so. By default the key commits first, and the work has a separate transaction.
 */
final class OnCamel implements UseCase {

    private final ConfigurableApplicationContext application;
    private final ProducerTemplate template;

    OnCamel(String url, Work work, boolean transacted) {
        application = SpringApplications.start(url, work, transacted ? Transacted.class : ByDefault.class);
        template = application.getBean(ProducerTemplate.class);
    }

    @Override
    public Answer book(String key, String request) throws Exception {
        Exchange exchange = template.request("direct:book", message -> {
            message.getMessage().setHeader("key", key);
            message.getMessage().setBody(request);
        });
        Exception failure = exchange.getException();
        if (failure != null) {
            throw failure;
        }
        return exchange.getProperty(ExchangePropertyKey.DUPLICATE_MESSAGE) != null
                ? Answer.known("duplicate")
                : Answer.booked(String.valueOf(exchange.getMessage().getBody()));
    }

    @Override
    public void close() {
        application.close();
    }

    private static JdbcMessageIdRepository repository(DataSource dataSource, TransactionTemplate transaction) {
        return new JdbcMessageIdRepository(dataSource, transaction, "book-payment");
    }

    private static void book(Exchange exchange, Booking booking) throws SQLException {
        Message message = exchange.getMessage();
        message.setBody(booking.book(
                Work.newPayment(), String.valueOf(message.getHeader("key")), String.valueOf(message.getBody())));
    }

    @Configuration(proxyBeanMethods = false)
    static class Transacted {

        @Bean
        RouteBuilder route(DataSource dataSource, TransactionTemplate transaction, Booking booking) {
            return new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:book")
                            .transacted()
                            .idempotentConsumer(header("key"), repository(dataSource, transaction))
                            .removeOnFailure(false)
                            .process(exchange -> book(exchange, booking));
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByDefault {

        @Bean
        RouteBuilder route(DataSource dataSource, TransactionTemplate transaction, Booking booking) {
            return new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:book")
                            .idempotentConsumer(header("key"), repository(dataSource, transaction))
                            .process(exchange -> transaction.executeWithoutResult(status -> {
                                try {
                                    book(exchange, booking);
                                } catch (SQLException e) {
                                    throw new IllegalStateException(e);
                                }
                            }));
                }
            };
        }
    }
}
