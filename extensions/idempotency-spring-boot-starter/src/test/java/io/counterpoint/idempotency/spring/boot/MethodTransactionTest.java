package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The {@code @Transactional} of an annotated method defines the operation's transaction, or is refused at the start. */
public class MethodTransactionTest {

    private static ApplicationContextRunner application(Class<?> service) {
        return onH2().withUserConfiguration(Transactions.class, service);
    }

    @Test
    void transactionBeginsAsTheMethodSays() {
        application(Defining.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Defining.class).go("k"))
                    .isEqualTo("MethodTransactionTest$Defining.go, isolation 8, timeout true");
            assertThat(context.getBean(Listener.class).begun)
                    .contains("io.counterpoint.idempotency.spring.boot.MethodTransactionTest$Defining.go");
        });
    }

    @Test
    void checkedExceptionWithARollbackRuleIsTheCallersAndLeavesNothing() {
        application(RollsBack.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThatThrownBy(() -> context.getBean(RollsBack.class).go("k")).isInstanceOf(IOException.class);
        });
    }

    @Test
    void asynchronousMethodWithAnAttemptStarts() {
        application(AsyncWithAttempt.class).run(context -> assertThat(context).hasNotFailed());
    }

    /** Sees each transaction begin. */
    static final class Listener implements TransactionExecutionListener {
        final List<String> begun = new ArrayList<>();

        @Override
        public void afterBegin(TransactionExecution transaction, @org.jspecify.annotations.Nullable Throwable failure) {
            begun.add(transaction.getTransactionName());
        }
    }

    @EnableAsync
    @EnableTransactionManagement
    @Configuration(proxyBeanMethods = false)
    static class Transactions {
        @Bean
        Listener listener() {
            return new Listener();
        }

        @Bean
        @Primary
        PlatformTransactionManager transactionManager(DataSource dataSource, Listener listener) {
            JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
            manager.addListener(listener);
            return manager;
        }
    }

    static class Defining {
        private final DataSource dataSource;

        Defining(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        @Idempotent(operation = "defining", key = "#key", scope = "'all'")
        @Transactional(timeout = 60, isolation = Isolation.SERIALIZABLE)
        public String go(String key) {
            String name = TransactionSynchronizationManager.getCurrentTransactionName();
            ConnectionHolder holder = (ConnectionHolder) TransactionSynchronizationManager.getResource(dataSource);
            return name.replaceFirst(".*\\.(?=Method)", "") + ", isolation "
                    + TransactionSynchronizationManager.getCurrentTransactionIsolationLevel() + ", timeout "
                    + holder.hasTimeout();
        }
    }

    static class RollsBack {
        @Idempotent(operation = "rolls-back", key = "#key", scope = "'all'")
        @Transactional(rollbackFor = IOException.class)
        public void go(String key) throws IOException {
            throw new IOException("declined");
        }
    }

    static class AsyncWithAttempt {
        @Async
        @Idempotent(operation = "async-attempt", key = "#attempt")
        public void go(Attempt attempt) {}
    }
}
