package io.counterpoint.idempotency.spring.shapes;

import io.counterpoint.idempotency.spring.SeparateTransaction;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import io.counterpoint.idempotency.spring.shapes.web.Work;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** An application without entities, whose transaction manager does more than Spring's. */
@EnableAutoConfiguration
@Import({Surroundings.class, Work.class})
class Ledger {

    @Bean
    PlatformTransactionManager transactionManager(DataSource dataSource) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        return new JdbcTransactionManager(dataSource) {
            private static final long serialVersionUID = 1L;

            @Override
            protected void doBegin(Object transaction, TransactionDefinition definition) {
                super.doBegin(transaction, definition);
                jdbc.update("INSERT INTO note (text) VALUES ('of doBegin')");
            }
        };
    }

    @Bean
    SpringIdempotencyStore store(PlatformTransactionManager manager, DataSource dataSource) {
        return SpringIdempotencyStore.on(manager, dataSource, options -> options.table("public.idempotency_record"))
                .createTableIfMissing()
                .allowingSeparateTransactions("audit");
    }

    @Bean
    Routes<String> routes(Work work, PlatformTransactionManager manager) {
        Routes<String> routes = new RoutesByName();
        TransactionTemplate nested = new TransactionTemplate(manager);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        TransactionTemplate alone = new TransactionTemplate(manager);
        alone.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        routes.add("a transaction manager with a `doBegin` of its own", id -> work.run(() -> work.note("done")));
        routes.add(
                "NESTED inside, without entities",
                id -> work.run(() -> {
                    nested.execute(status -> work.note("stays"));
                    nested.executeWithoutResult(status -> {
                        work.note("goes");
                        status.setRollbackOnly();
                    });
                    return "done";
                }));
        routes.add(
                "REQUIRES_NEW in a `SeparateTransaction`, and an exception",
                id -> work.run(() -> {
                    SeparateTransaction.run("audit", () -> alone.execute(status -> work.note("audited")));
                    throw new IllegalStateException("refused");
                }));
        return routes;
    }
}
