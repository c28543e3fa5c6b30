package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.analysisOf;
import static io.counterpoint.idempotency.spring.boot.Contexts.h2;
import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
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
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.ui.Model;

/** The {@code @Transactional} of an annotated method defines the operation's transaction, or is refused at the start. */
public class MethodTransactionTest {

    private static ApplicationContextRunner application(Class<?> service) {
        return onH2().withUserConfiguration(Transactions.class, service);
    }

    /** A method that is refused, and words of the description. */
    record Refused(Class<?> service, List<String> words) {
        Refused(Class<?> service, String... words) {
            this(service, List.of(words));
        }

        @Override
        public String toString() {
            return service.getSimpleName();
        }
    }

    static Refused[] refused() {
        return new Refused[] {
            new Refused(ReadOnly.class, "read-only"),
            new Refused(NoRollback.class, "noRollbackFor"),
            new Refused(Checked.class, "java.io.IOException"),
            new Refused(OfItsOwn.class, "leaves the operation's transaction"),
            new Refused(OfAnotherManager.class, "another transaction manager"),
            new Refused(Listening.class, "@TransactionalEventListener"),
            new Refused(AsyncOfTheCaller.class, "caller's thread"),
            new Refused(WritesResponse.class, "HttpServletResponse"),
            new Refused(WritesModel.class, "org.springframework.ui.Model"),
        };
    }

    @ParameterizedTest
    @MethodSource
    void refused(Refused method) {
        application(method.service()).run(context -> {
            FailureAnalysis analysis = analysisOf(context.getStartupFailure());
            assertThat(analysis.getDescription())
                    .contains("@Idempotent on", method.service().getSimpleName())
                    .contains(method.words());
            assertThat(analysis.getAction()).isNotBlank();
        });
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

        @Bean
        PlatformTransactionManager reports() {
            return new JdbcTransactionManager(h2());
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

    static class ReadOnly {
        @Idempotent(operation = "read-only", key = "#key", scope = "'all'")
        @Transactional(readOnly = true)
        public void go(String key) {}
    }

    static class NoRollback {
        @Idempotent(operation = "no-rollback", key = "#key", scope = "'all'")
        @Transactional(noRollbackFor = IllegalArgumentException.class)
        public void go(String key) {}
    }

    static class Checked {
        @Idempotent(operation = "checked", key = "#key", scope = "'all'")
        @Transactional
        public void go(String key) throws IOException {}
    }

    static class RollsBack {
        @Idempotent(operation = "rolls-back", key = "#key", scope = "'all'")
        @Transactional(rollbackFor = IOException.class)
        public void go(String key) throws IOException {
            throw new IOException("declined");
        }
    }

    static class OfItsOwn {
        @Idempotent(operation = "of-its-own", key = "#key", scope = "'all'")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public void go(String key) {}
    }

    static class OfAnotherManager {
        @Idempotent(operation = "of-another", key = "#key", scope = "'all'")
        @Transactional("reports")
        public void go(String key) {}
    }

    static class Listening {
        @Idempotent(operation = "listening", key = "#key", scope = "'all'")
        @TransactionalEventListener
        public void go(String key) {}
    }

    static class AsyncOfTheCaller {
        @Async
        @Idempotent(operation = "async", key = "#key")
        public void go(String key) {}
    }

    static class AsyncWithAttempt {
        @Async
        @Idempotent(operation = "async-attempt", key = "#attempt")
        public void go(Attempt attempt) {}
    }

    static class WritesResponse {
        @Idempotent(operation = "writes", key = "#key", scope = "'all'", request = "#key")
        public void go(String key, HttpServletResponse response) {}
    }

    static class WritesModel {
        @Idempotent(operation = "writes-model", key = "#key", scope = "'all'", request = "#key")
        public void go(String key, Model model) {}
    }
}
