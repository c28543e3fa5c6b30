package io.counterpoint.idempotency.spring.shapes;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.spring.boot.IdempotencyDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.concurrent.Callable;
import javax.sql.DataSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with two databases, of which the second has the protected work. Its requests open a session of the first. */
@EnableAutoConfiguration
@Import({Surroundings.class, TwoFactories.Work.class})
class TwoFactories {

    @Bean
    @Primary
    DataSource dataSource(@Value("${spring.datasource.url}") String url) {
        return Surroundings.pool(url);
    }

    @Bean
    @IdempotencyDataSource
    DataSource second(@Value("${second.url}") String url) {
        return Surroundings.pool(url);
    }

    @Bean
    @Primary
    LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
        return Surroundings.factory(dataSource, Tenancy.Owned.class);
    }

    @Bean
    LocalContainerEntityManagerFactoryBean secondFactory(@Qualifier("second") DataSource second) {
        new JdbcTemplate(second).execute("CREATE TABLE Owned (id VARCHAR(9))");
        return Surroundings.factory(second, Tenancy.Owned.class);
    }

    @Bean
    @Primary
    PlatformTransactionManager transactionManager(EntityManagerFactory factory) {
        return new JpaTransactionManager(factory);
    }

    @Bean
    PlatformTransactionManager secondManager(@Qualifier("secondFactory") EntityManagerFactory factory) {
        return new JpaTransactionManager(factory);
    }

    /** The protected method. */
    static class Work {
        @Idempotent(operation = "second", key = "#attempt")
        @Transactional(transactionManager = "secondManager", rollbackFor = Exception.class)
        public String run(Callable<?> work) throws Exception {
            return String.valueOf(work.call());
        }
    }

    @Bean
    Routes<String> routes(
            Work work,
            @Qualifier("secondFactory") EntityManagerFactory factory,
            PlatformTransactionManager ofFirst,
            DataSource first,
            @Qualifier("second") DataSource second) {
        EntityManager entities = SharedEntityManagerCreator.createSharedEntityManager(factory);
        String note = "INSERT INTO note (text) VALUES ('written')";
        Routes<String> routes = new RoutesByName();
        routes.add("the second of two factories, whose data source is marked (`@IdempotencyDataSource`)", id -> {
            String done = work.run(() -> {
                entities.persist(new Tenancy.Owned());
                return new JdbcTemplate(second).update(note);
            });
            return done + entities.createQuery("select o.id from Owned o").getResultList();
        });
        routes.add(
                "a statement without a transaction in the other database",
                id -> work.run(() -> new JdbcTemplate(first).update(note)));
        routes.add(
                "a transaction of the other factory's manager inside",
                id -> work.run(() -> new TransactionTemplate(ofFirst).execute(status -> "never run")));
        return routes;
    }
}
