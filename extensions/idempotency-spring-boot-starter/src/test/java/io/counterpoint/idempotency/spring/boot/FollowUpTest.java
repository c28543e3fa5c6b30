package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.StartedShop.bean;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import io.counterpoint.idempotency.spring.boot.shop.Refunds;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A follow-up saves an entity through a repository, in the transaction of the record. */
class FollowUpTest {

    private final Refunds refunds = bean(Refunds.class);
    private final AtomicInteger effects = new AtomicInteger();

    @AfterEach
    void everyPlannedFailureWasMet() {
        assertThat(refunds.failures).isEmpty();
    }

    private Outcome<String> refund(String key) {
        return refunds.refund.execute(attempt(key), unused -> {
            effects.incrementAndGet();
            return key;
        });
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:ann").key(key).withoutRequest();
    }

    private String record(String key) {
        return bean(KeyRecords.class)
                .find(refunds.refund.keyOf(attempt(key)).hash())
                .map(record -> record.protocol() + ", " + record.state())
                .orElse("none");
    }

    private void requireBookedOnce(String key) {
        assertThat(bean(Orders.class).count(key)).isEqualTo(1);
        assertThat(record(key)).endsWith(", succeeded");
        assertThat(refund(key).orElseThrow()).isEqualTo(key);
        assertThat(bean(Orders.class).count(key)).isEqualTo(1);
        assertThat(effects.get()).isLessThanOrEqualTo(1);
    }

    private void requireOwed(String key) {
        assertThatThrownBy(() -> refund(key))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        owed -> assertThat(owed.reason()).isSameAs(Reason.FOLLOW_UP_OWED));
        assertThat(bean(Orders.class).count(key)).isZero();
        assertThat(record(key)).isEqualTo("follow-up owed, pending");
    }

    /** A session that is open around the call, as Spring Boot opens one for each web request. */
    private static void inSession(boolean open, Runnable request) {
        if (!open) {
            request.run();
            return;
        }
        EntityManagerFactory factory = bean(EntityManagerFactory.class);
        try (EntityManager session = factory.createEntityManager()) {
            TransactionSynchronizationManager.bindResource(factory, new EntityManagerHolder(session));
            try {
                List<?> unused = session.createQuery("SELECT p FROM Purchase p").getResultList();
                request.run();
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
    }

    /** Whatever the session still has would be written by the next transaction of the request. */
    private static void laterTransaction() {
        new TransactionTemplate(bean(PlatformTransactionManager.class)).executeWithoutResult(status -> {});
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void entityCommitsWithTheRecord(boolean open) {
        String key = "booked-" + open;
        inSession(open, () -> {
            assertThat(refund(key)).isInstanceOf(Outcome.Executed.class);
            laterTransaction();
            assertThat(record(key)).isEqualTo("external with follow-up, succeeded");
            requireBookedOnce(key);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void entityAndMarkAreRolledBackTogetherAndTheRetryBooks(boolean open) {
        String key = "owed-" + open;
        refunds.failures.add(new IllegalStateException("the books are closed"));
        inSession(open, () -> {
            requireOwed(key);
            laterTransaction();
            assertThat(bean(Orders.class).count(key)).isZero();
            assertThat(refund(key)).isInstanceOf(Outcome.Healed.class);
            laterTransaction();
        });
        requireBookedOnce(key);
    }

    @Test
    void followUpThatMeetsAConflictRunsAgain() {
        refunds.failures.add(conflict());

        assertThat(refund("conflict")).isInstanceOf(Outcome.Executed.class);

        requireBookedOnce("conflict");
    }

    /** The objects of the session outlive its transaction, so it does not run a second time in this call. */
    @Test
    void followUpThatMeetsAConflictInAnOpenSessionIsBookedByTheRetry() {
        refunds.failures.add(conflict());
        inSession(true, () -> {
            requireOwed("conflict-in-session");
            laterTransaction();
            assertThat(refund("conflict-in-session")).isInstanceOf(Outcome.Healed.class);
            laterTransaction();
        });

        requireBookedOnce("conflict-in-session");
    }

    @Test
    void endOfAsynchronousWorkBooksOnItsOwnThread() throws Exception {
        CompletableFuture<String> effect = new CompletableFuture<>();
        CompletableFuture<Outcome<String>> answer =
                refunds.refund.executeAsync(attempt("async"), key -> effect).toCompletableFuture();
        ForkJoinPool.commonPool().execute(() -> effect.complete("async"));

        assertThat(answer.get(30, TimeUnit.SECONDS)).isInstanceOf(Outcome.Executed.class);
        requireBookedOnce("async");
    }

    private static CannotAcquireLockException conflict() {
        return new CannotAcquireLockException("met", new SQLException("met", "40001"));
    }
}
