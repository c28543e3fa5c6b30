package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Outcome;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What the caller has bound to the thread before the call. */
abstract class CallerCases extends JoinedCases {

    @Test
    void callInsideATransactionOfSpringsIsRefusedWithWhatToDo() {
        TransactionTemplate template = new TransactionTemplate(application().bean(PlatformTransactionManager.class));
        template.setName("Controller.pay");
        template.executeWithoutResult(status -> {
            assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> "done"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Controller.pay")
                    .hasMessageContaining("outside");
            assertThatThrownBy(() -> store.purgeExpired(1)).isInstanceOf(IllegalStateException.class);
        });
        assertThat(operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> "done"))
                .isInstanceOf(Outcome.Executed.class);
    }

    /** A scope of Spring's that has callbacks, and no transaction. */
    private static TransactionTemplate withoutATransaction() {
        TransactionTemplate supports = new TransactionTemplate(application().bean(PlatformTransactionManager.class));
        supports.setPropagationBehavior(TransactionDefinition.PROPAGATION_SUPPORTS);
        return supports;
    }

    @Test
    void callbacksOfAScopeWithoutATransactionComeBack() {
        List<String> called = new ArrayList<>();
        withoutATransaction().executeWithoutResult(status -> {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int end) {
                    called.add("outer");
                }
            });
            opened();
            executes(Protocol.CLAIM_FIRST, connection -> {
                accounts.deposit(id, 5);
                return "deposited";
            });
            assertThat(called).isEmpty();
        });
        assertThat(called).containsExactly("outer");
        assertThat(balance()).isEqualTo(5);
    }

    @Test
    void connectionOfAScopeWithoutATransactionIsPutAsideAndComesBack() {
        opened();
        withoutATransaction().executeWithoutResult(status -> {
            assertThat(balance()).isZero();
            Object holder = TransactionSynchronizationManager.getResource(
                    application().database.pool());
            executes(Protocol.CLAIM_FIRST, connection -> {
                accounts.deposit(id, 5);
                return "deposited";
            });
            assertThat(TransactionSynchronizationManager.getResource(
                            application().database.pool()))
                    .isNotNull()
                    .isSameAs(holder);
            assertThat(balance()).isEqualTo(5);
        });
    }

    @Test
    void entityManagerOfAWebRequestIsPutAsideAndComesBack() {
        opened();
        EntityManagerFactory factory = application().bean(EntityManagerFactory.class);
        try (EntityManager ofTheRequest = factory.createEntityManager()) {
            Object holder = new EntityManagerHolder(ofTheRequest);
            TransactionSynchronizationManager.bindResource(factory, holder);
            try {
                executes(Protocol.CLAIM_FIRST, connection -> {
                    accounts.deposit(id, 5);
                    return "deposited";
                });
                assertThat(TransactionSynchronizationManager.getResource(factory))
                        .isSameAs(holder);
            } finally {
                TransactionSynchronizationManager.unbindResource(factory);
            }
        }
        assertThat(balance()).isEqualTo(5);
    }
}
