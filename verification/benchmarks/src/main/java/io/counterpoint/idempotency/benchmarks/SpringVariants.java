package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import io.counterpoint.idempotency.spring.annotation.IdempotentConfiguration;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.Connection;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.SharedEntityManagerCreator;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** A Spring application with entities, on the same database and records as the other variants. */
final class SpringVariants implements AutoCloseable {

    static final String UNPROTECTED = "JPA, unprotected";
    static final String CLAIM_FIRST = "JPA, " + Variants.CLAIM_FIRST;
    static final String SINGLE = "JPA, " + Variants.SINGLE;
    static final String ANNOTATED = "JPA, @Idempotent";

    private static final String GUARANTEE =
            "as the same without Spring; and what joins through Spring commits with the record";

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final SpringGroups groups;
    private final LibraryVariant ours;

    SpringVariants(BenchmarkDatabase database) {
        context.getBeanFactory().registerSingleton("dataSource", database.pool());
        context.register(Application.class);
        context.refresh();
        this.groups = context.getBean(SpringGroups.class);
        this.ours = new LibraryVariant(context.getBean(SpringIdempotencyStore.class));
    }

    /** The application's beans. */
    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    @Import(IdempotentConfiguration.class)
    static class Application {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource source) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(source);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setManagedTypes(PersistenceManagedTypes.of(
                    SpringGroups.ChatGroup.class.getName(),
                    SpringGroups.GroupMember.class.getName(),
                    SpringGroups.Conversation.class.getName()));
            return factory;
        }

        @Bean
        PlatformTransactionManager transactions(EntityManagerFactory factory) {
            return new JpaTransactionManager(factory);
        }

        @Bean
        EntityManager entities(EntityManagerFactory factory) {
            return SharedEntityManagerCreator.createSharedEntityManager(factory);
        }

        @Bean
        SpringGroups groups(EntityManager entities) {
            return new SpringGroups(entities);
        }

        @Bean
        SpringIdempotencyStore store(PlatformTransactionManager transactions) {
            return SpringIdempotencyStore.on(transactions);
        }

        @Bean
        Idempotency<Connection> idempotency(SpringIdempotencyStore store) {
            return Idempotency.on(store);
        }

        @Bean
        ResultCodecs codecs() {
            return (operation, result) -> LibraryVariant.CODEC;
        }
    }

    /** Each runs in Spring's own transaction, or in one of the library's that Spring joins. */
    List<Variant> leaders() {
        Operation<Connection, UUID> claimFirst = ours.operation("spring-first").build();
        Operation<Connection, UUID> single = ours.operation("spring-single")
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();
        return List.of(
                new Variant(UNPROTECTED, "nothing", key -> {
                    groups.create();
                    return Answer.EXECUTED;
                }),
                protectedBy(CLAIM_FIRST, claimFirst),
                protectedBy(SINGLE, single),
                annotated());
    }

    private Variant protectedBy(String name, Operation<Connection, UUID> operation) {
        return new Variant(
                name,
                GUARANTEE,
                key -> LibraryVariant.answer(
                        operation.execute(LibraryVariant.attempt(key), connection -> groups.create())));
    }

    /** Claims first. */
    Variant annotated() {
        return new Variant(ANNOTATED, GUARANTEE, key -> {
            boolean unused = groups.hasRun();
            groups.create(key, Domain.GROUP_NAME);
            return groups.hasRun() ? Answer.EXECUTED : Answer.REPLAYED;
        });
    }

    @Override
    public void close() {
        context.close();
    }
}
