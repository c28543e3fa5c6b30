package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.spring.SeparateTransaction;
import io.counterpoint.idempotency.spring.SeparateTransactionException;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.event.TransactionPhase;
import org.springframework.transaction.event.TransactionalEventListener;

/** What the work of an operation hands to another thread has no part in the operation's transaction. */
class AsyncCallsTest {

    private final CompletableFuture<String> heard = new CompletableFuture<>();

    @TestConfiguration(proxyBeanMethods = false)
    @EnableAsync
    @EnableTransactionManagement
    @Import(Mails.class)
    static class Asynchronous {}

    static class Mails {
        private final CompletableFuture<String> heard;

        Mails(CompletableFuture<String> heard) {
            this.heard = heard;
        }

        @Async
        public CompletableFuture<String> send(String mail) {
            return CompletableFuture.completedFuture("sent " + mail);
        }

        @Async
        @TransactionalEventListener
        public void afterCommit(String mail) {
            heard.complete("sent " + mail);
        }

        @Async
        @TransactionalEventListener(phase = TransactionPhase.AFTER_ROLLBACK)
        public void afterRollback(Integer mail) {
            heard.complete("sent " + mail);
        }
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class Allowing {
        @Bean
        SpringIdempotencyStore store(DataSource source) {
            return SpringIdempotencyStore.on(new JdbcTransactionManager(source))
                    .createTableIfMissing()
                    .allowingSeparateTransactions("mails");
        }

        @Bean
        Idempotency<Connection> idempotency(SpringIdempotencyStore store) {
            return Idempotency.on(store);
        }
    }

    @Test
    void asynchronousCallOfTheWorkIsRefused() {
        onH2().withBean("heard", CompletableFuture.class, () -> heard)
                .withUserConfiguration(Asynchronous.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    assertThat(mails.send("before").get(1, TimeUnit.MINUTES)).isEqualTo("sent before");
                    assertThatThrownBy(() -> execute(context.getBean(Idempotency.class), "k", () -> {
                                CompletableFuture<String> unused = mails.send("in");
                            }))
                            .isInstanceOf(SeparateTransactionException.class)
                            .hasMessageContaining("@Async")
                            .hasMessageContaining("Mails.send");
                });
    }

    @Test
    void asynchronousListenerAfterTheCommitIsCalled() {
        onH2().withBean("heard", CompletableFuture.class, () -> heard)
                .withUserConfiguration(Asynchronous.class)
                .run(context -> {
                    ApplicationEventPublisher events = context;
                    assertThat(execute(context.getBean(Idempotency.class), "k", () -> events.publishEvent("after")))
                            .isTrue();
                    assertThat(heard.get(1, TimeUnit.MINUTES)).isEqualTo("sent after");
                });
    }

    @Test
    void asynchronousListenerAfterARollbackIsCalled() {
        onH2().withBean("heard", CompletableFuture.class, () -> heard)
                .withUserConfiguration(Asynchronous.class)
                .run(context -> {
                    ApplicationEventPublisher events = context;
                    assertThatThrownBy(() -> execute(context.getBean(Idempotency.class), "k", () -> {
                                events.publishEvent(7);
                                throw new IllegalArgumentException("refused");
                            }))
                            .isInstanceOf(IllegalArgumentException.class);
                    assertThat(heard.get(1, TimeUnit.MINUTES)).isEqualTo("sent 7");
                });
    }

    @Test
    void asynchronousCallUnderAnAllowedNameIsMade() {
        onH2().withBean("heard", CompletableFuture.class, () -> heard)
                .withUserConfiguration(Asynchronous.class, Allowing.class)
                .run(context -> {
                    Mails mails = context.getBean(Mails.class);
                    assertThat(execute(
                                    context.getBean(Idempotency.class),
                                    "k",
                                    () -> SeparateTransaction.run(
                                            "mails",
                                            () -> heard.complete("handed over "
                                                    + mails.send("in").join()))))
                            .isTrue();
                    assertThat(heard).isCompletedWithValue("handed over sent in");
                });
    }

    @SuppressWarnings("unchecked")
    private static boolean execute(Idempotency<?> idempotency, String key, Runnable work) {
        Outcome<Done> outcome = ((Idempotency<Connection>) idempotency)
                .operation("mail")
                .build()
                .execute(Attempt.inScope("test").key(key).request("request"), connection -> {
                    work.run();
                    return Done.DONE;
                });
        return outcome.asOptional().isPresent();
    }
}
