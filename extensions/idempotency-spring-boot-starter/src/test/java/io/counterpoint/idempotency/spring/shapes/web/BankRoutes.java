package io.counterpoint.idempotency.spring.shapes.web;

import io.counterpoint.idempotency.spring.shapes.Routes;
import jakarta.persistence.EntityManager;
import java.io.IOException;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.task.AsyncTaskExecutor;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.RestController;

/** The shapes with entities, in requests that Spring Boot opens a session for. */
@RestController
class BankRoutes extends Routes<Account> {

    /** What the routes use. */
    @Component
    record Beans(
            Accounts accounts,
            EntityManager entities,
            JdbcTemplate jdbc,
            JdbcClient client,
            Bank.Notes notes,
            Work work,
            ApplicationEventPublisher events,
            PlatformTransactionManager manager,
            ScheduledTaskHolder scheduled,
            DataSource dataSource,
            @Qualifier("applicationTaskExecutor") AsyncTaskExecutor executor) {}

    private final Beans beans;
    private final Work work;
    private final EntityManager entities;

    BankRoutes(Beans beans) {
        this.beans = beans;
        this.work = beans.work();
        this.entities = beans.entities();
        addEntities();
        addSessions();
        addParticipants();
        addMethods();
        addTransactions();
        addEvents();
        addThreads();
    }

    /** A shape of what a protected method does. */
    private void runs(String shape, Use<Account> use) {
        add(shape, account -> work.run(() -> use.of(account)));
    }

    /** What the request has loaded, and what the database has by the same session's connection. */
    @Override
    protected Object readBack(Account account) {
        return ". Then " + account.balance + "; in the database "
                + entities.createNativeQuery("SELECT balance FROM account WHERE id = ?1", Long.class)
                        .setParameter(1, account.id)
                        .getResultList();
    }

    private Account other(Account account) {
        return beans.accounts().getReferenceById(account.id.replace("a", "b"));
    }

    private void addEntities() {
        runs("an entity of the path (`@PathVariable`) is changed", account -> account.add(-10));
        add("an entity that the controller has changed before", account -> {
            account.add(-10);
            return work.run(() -> account.add(-20));
        });
        add("an entity that the controller changes afterwards", account -> {
            String done = work.run(() -> account.add(-20));
            return done + account.add(-10);
        });
        add("a reference of the controller's that is loaded inside", account -> {
            Account reference = other(account);
            return work.run(() -> reference.add(-10)) + reference.balance;
        });
        runs("a cascade from an entity that the request has loaded", account -> {
            account.bookings.add(Account.booking("cascaded"));
            return account.add(1);
        });
        add("a lazy collection that the controller reads afterwards", account -> {
            String sql = "INSERT INTO booking (id, account) VALUES ('lazy', ?)";
            return work.run(() -> beans.jdbc().update(sql, account.id)) + account.bookings.size();
        });
        runs("a detached entity is merged", account -> {
            Account detached = new Account();
            detached.id = account.id;
            return beans.accounts().save(detached).balance;
        });
        runs("an entity is deleted", account -> {
            beans.accounts().delete(other(account));
            return "deleted";
        });
        add("an object that is no entity is changed", account -> {
            AtomicLong sum = new AtomicLong();
            return work.run(() -> work.note("summed " + sum.incrementAndGet())) + sum;
        });
    }

    private void addSessions() {
        runs("a constraint that the commit violates", account -> {
            work.note("before");
            beans.jdbc().update("INSERT INTO booking (id) VALUES ('twice')");
            entities.persist(Account.booking("twice"));
            return "persisted";
        });
        runs("the session is cleared inside", account -> {
            entities.clear();
            return account.id;
        });
        runs("flush mode MANUAL", account -> {
            entities.unwrap(Session.class).setHibernateFlushMode(FlushMode.MANUAL);
            return account.add(-10);
        });
        runs("an optimistic lock does not hold (`@Version`)", account -> {
            try (Connection another = beans.dataSource().getConnection()) {
                another.createStatement().execute("UPDATE account SET version = 7 WHERE id = '" + account.id + "'");
            }
            return account.add(-10);
        });
        runs(
                "a pessimistic lock (`@Lock`)",
                account -> beans.accounts().findLockedById(account.id).add(-10));
    }

    private void addParticipants() {
        String sql = "INSERT INTO note (text) VALUES ('joined')";
        var jooq = DSL.using(new TransactionAwareDataSourceProxy(beans.dataSource()), SQLDialect.DEFAULT);
        runs("a repository", account -> beans.accounts().saveAndFlush(account).add(-10));
        runs("`JdbcTemplate`", account -> beans.jdbc().update(sql));
        runs("`JdbcClient`", account -> beans.client().sql(sql).update());
        runs("jOOQ", account -> jooq.execute(sql));
        runs("MyBatis", account -> beans.notes().add("of MyBatis"));
        runs("all of them, and an exception", account -> {
            beans.accounts().saveAndFlush(account).add(-10);
            beans.jdbc().update(sql);
            beans.client().sql(sql).update();
            jooq.execute(sql);
            beans.notes().add("of MyBatis");
            throw new IllegalStateException("refused");
        });
    }

    private void addMethods() {
        ConnectionCallback<Object> isolation = Connection::getTransactionIsolation;
        ConnectionCallback<String> product = it -> it.getMetaData().getDatabaseProductName();
        add(
                "an entity is changed without `@Transactional`",
                account -> work.runWithoutTransactional(() -> account.add(-10)));
        add("an isolation level", account -> work.runMore(() -> beans.jdbc().execute(isolation)));
        add(
                "a timeout",
                account -> work.runMore(() -> beans.jdbc()
                        .queryForList(
                                "H2".equals(beans.jdbc().execute(product))
                                        ? "SELECT SUM(x * x) FROM SYSTEM_RANGE(1, 1000000000000)"
                                        : "SELECT pg_sleep(1000)")));
        runs("a checked exception with `rollbackFor`", account -> {
            account.add(-10);
            throw new IOException("declined");
        });
        add("a checked exception that is not declared", account -> work.undeclared(new IOException("declined")));
        runs("`setRollbackOnly()`", account -> {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            return account.add(-10);
        });
        add("an exception that the controller catches", account -> {
            try {
                return work.run(
                        () -> work.note("undone") + String.valueOf(List.of().get(0)));
            } catch (IndexOutOfBoundsException caught) {
                return "caught";
            }
        });
        add(
                "two protected methods in one request",
                account -> work.run(() -> account.add(-10)) + work.runMore(() -> account.add(-20)));
    }

    /** Runs code in a transaction, or in a part of one. */
    private Object in(Propagation propagation, boolean readOnly, Callable<?> code) {
        TransactionTemplate template = new TransactionTemplate(beans.manager());
        template.setPropagationBehavior(propagation.value());
        template.setReadOnly(readOnly);
        return template.execute(status -> unchecked(code));
    }

    private void addTransactions() {
        for (Propagation propagation : Propagation.values()) {
            runs(propagation + " inside", account -> in(propagation, false, () -> work.note("of a part")));
        }
        runs("read-only inside", account -> in(Propagation.REQUIRED, true, () -> account.add(-10)));
        runs("REQUIRED inside, whose exception is caught", account -> {
            try {
                return in(Propagation.REQUIRED, false, () -> {
                    throw new IllegalStateException("refused");
                });
            } catch (IllegalStateException caught) {
                return "caught";
            }
        });
        for (boolean readOnly : new boolean[] {false, true}) {
            add(
                    "`@Transactional(readOnly = " + readOnly + ")` around the call",
                    account -> in(Propagation.REQUIRED, readOnly, () -> work.run(() -> account.add(-10))));
        }
    }

    private void addEvents() {
        for (boolean fails : new boolean[] {false, true}) {
            String end = fails ? " (AFTER_ROLLBACK)" : " (BEFORE_COMMIT, AFTER_COMMIT)";
            add("`@TransactionalEventListener`" + end, account -> published(new Work.Heard(), fails));
            add("`@Async` and `@TransactionalEventListener`" + end, account -> published(new Work.HeardLater(), fails));
        }
        runs("a callback after the commit that throws", account -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCommit() {
                    throw new IllegalStateException("heard");
                }
            });
            return work.note("published");
        });
    }

    private String published(Object event, boolean fails) throws Exception {
        try {
            return work.run(() -> {
                beans.events().publishEvent(event);
                if (fails) {
                    throw new IllegalStateException("refused");
                }
                return work.note("published");
            });
        } finally {
            awaitOtherThread();
        }
    }

    /** What was handed to the only thread of the executor has ended then. */
    private String awaitOtherThread() throws Exception {
        beans.executor().submit(() -> {}).get();
        return "ended";
    }

    private void addThreads() {
        add("a call from an `@Async` method", account -> {
            work.noteLater(() -> work.runJob(account.id));
            return awaitOtherThread();
        });
        add("`@Async` on the method, with a key of its own", account -> {
            work.later(account.id);
            return awaitOtherThread();
        });
        runs("`@Async` inside", account -> {
            work.noteLater(() -> work.note("later"));
            return awaitOtherThread();
        });
        add("`@Scheduled` on the method", account -> {
            beans.scheduled()
                    .getScheduledTasks()
                    .forEach(task -> beans.executor().execute(task.getTask().getRunnable()));
            return awaitOtherThread();
        });
    }
}
