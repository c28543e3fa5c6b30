package io.counterpoint.idempotency.spring;

import jakarta.persistence.EntityManager;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.event.TransactionalEventListener;

/** What the tests of behaviour add to an application with entities. */
@Configuration(proxyBeanMethods = false)
class AccountsApplication {

    @Bean
    Accounts accounts(EntityManager entities, ApplicationEventPublisher events) {
        return new Accounts(entities, events);
    }

    @Bean
    Listener listener(DataSource source) {
        return new Listener(new JdbcTemplate(source));
    }

    /** Listens after the commit, and looks with a connection of its own. */
    static class Listener {
        private final JdbcTemplate jdbc;
        private final List<String> heard = new ArrayList<>();
        private Consumer<String> reaction = account -> {};

        Listener(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @TransactionalEventListener
        void on(Accounts.Deposited event) {
            heard.add(event.account());
            reaction.accept(event.account());
        }

        List<String> heard() {
            return List.copyOf(heard);
        }

        void reactWith(Consumer<String> newReaction) {
            reaction = newReaction;
        }

        JdbcTemplate jdbc() {
            return jdbc;
        }
    }
}
