package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.testkit.JoiningDomain;
import java.sql.Connection;
import java.util.List;
import java.util.function.LongSupplier;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The domain of an application of Spring's: it finds the transaction on the thread, and never uses the handle. */
final class SpringDomain implements JoiningDomain<Connection> {

    private final Database database;
    private final Effects effects;
    private final PlatformTransactionManager transactions;

    SpringDomain(Application application) {
        this.database = application.database;
        this.effects = application.bean(Effects.class);
        this.transactions = application.bean(PlatformTransactionManager.class);
    }

    @Override
    public void write(Connection unused, String name) {
        effects.write(name);
    }

    @Override
    public boolean isThere(Connection unused, String name) {
        return effects.isThere(name);
    }

    @Override
    public List<String> committed() {
        return database.effects();
    }

    @Override
    public void prepare(String name) {
        new JdbcTemplate(database.pool()).update("INSERT INTO account (id, balance, version) VALUES (?, 0, 0)", name);
    }

    @Override
    public void writeAgain(Connection unused, String name) {
        effects.open(name);
    }

    @Override
    public LongSupplier change(Connection unused, String name) {
        return effects.change(name);
    }

    @Override
    public long version(String name) {
        return database.jdbc().queryForObject("SELECT version FROM account WHERE id = ?", Long.class, name);
    }

    @Override
    public void markRollbackOnly(Connection unused) {
        new TransactionTemplate(transactions).executeWithoutResult(status -> status.setRollbackOnly());
    }

    @Override
    public void beforeCommit(Connection unused, Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void beforeCommit(boolean readOnly) {
                callback.run();
            }
        });
    }

    @Override
    public void afterCommit(Connection unused, Runnable callback) {
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCommit() {
                callback.run();
            }
        });
    }

    @Override
    public void inTransactionOfItsOwn(Runnable code) {
        TransactionTemplate template = new TransactionTemplate(transactions);
        template.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        template.executeWithoutResult(status -> code.run());
    }

    @Override
    public boolean isInTransaction() {
        return !TransactionSynchronizationManager.getResourceMap().isEmpty()
                || TransactionSynchronizationManager.isSynchronizationActive()
                || TransactionSynchronizationManager.isActualTransactionActive();
    }
}
