package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Outcome;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.NestedTransactionNotSupportedException;
import org.springframework.transaction.support.TransactionTemplate;

/** Code that would commit on its own is refused, unless it is allowed by name. */
abstract class SeparateTransactionCases extends JoinedCases {

    @ParameterizedTest
    @EnumSource
    void newTransactionInsideTheWorkIsRefusedBeforeItBegins(Protocol protocol) {
        opened();
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    accounts.depositInANewTransaction(id);
                    return "deposited";
                }))
                .isInstanceOf(SeparateTransactionException.class)
                .hasMessageContaining("REQUIRES_NEW");
        assertThat(balance()).isZero();
    }

    @Test
    void codeWithoutATransactionInsideTheWorkIsRefused() {
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    accounts.readWithoutATransaction(id);
                    return "read";
                }))
                .isInstanceOf(SeparateTransactionException.class);
    }

    @Test
    void transactionOfAnotherDataSourceInsideTheWorkIsRefused() {
        try (Database other = Database.open(Database.Kind.H2)) {
            TransactionTemplate template = new TransactionTemplate(new JdbcTransactionManager(other.pool()));
            assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                        template.executeWithoutResult(
                                status -> new JdbcEffects(JdbcClient.create(other.pool())).write(id));
                        return "written";
                    }))
                    .isInstanceOf(SeparateTransactionException.class);
            assertThat(other.effects()).isEmpty();
        }
    }

    @Test
    void refusedNewTransactionThatTheWorkSwallowsLeavesTheOperationWhole() {
        opened();
        assertThat(operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    assertThat(catchThrowable(() -> accounts.depositInANewTransaction(id)))
                            .isNotNull();
                    accounts.deposit(id, 5);
                    return "deposited";
                }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(balance()).isEqualTo(5);
    }

    @ParameterizedTest
    @EnumSource
    void separateTransactionOfAnAllowedNameStandsWhenTheOperationFails(Protocol protocol) {
        opened();
        SpringIdempotencyStore allowing = store.allowingSeparateTransactions("audit");
        assertThatThrownBy(() -> operation(protocol, allowing).execute(attempt(), connection -> {
                    SeparateTransaction.run("audit", () -> accounts.depositInANewTransaction(id));
                    application().entities().persist(new Effect(id));
                    throw new IllegalArgumentException("refused");
                }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(balance()).isEqualTo(1);
        assertThat(application().database.effects()).doesNotContain(id);
    }

    @Test
    void separateTransactionThatThrowsAllowsNoOther() {
        opened();
        IllegalStateException refused = new IllegalStateException("no audit");
        assertThat(operation(Protocol.CLAIM_FIRST, store.allowingSeparateTransactions("audit"))
                        .execute(attempt(), connection -> {
                            assertThatThrownBy(() -> SeparateTransaction.run("audit", () -> {
                                        throw refused;
                                    }))
                                    .isSameAs(refused);
                            assertThatThrownBy(() -> accounts.depositInANewTransaction(id))
                                    .isInstanceOf(SeparateTransactionException.class);
                            return "done";
                        }))
                .isInstanceOf(Outcome.Executed.class);
        assertThat(balance()).isZero();
    }

    @Test
    void separateTransactionOfAnotherNameIsRefusedBeforeItsCodeRuns() {
        AtomicInteger runs = new AtomicInteger();
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST, store.allowingSeparateTransactions("audit"))
                        .execute(attempt(), connection -> {
                            SeparateTransaction.run("payment", runs::incrementAndGet);
                            return "paid";
                        }))
                .isInstanceOf(SeparateTransactionException.class)
                .hasMessageContaining("[audit]")
                .hasMessageContaining("payment");
        assertThat(runs).hasValue(0);
    }

    @Test
    void separateTransactionOutsideOfAnOperationOnlyRunsItsCode() {
        assertThat(SeparateTransaction.<String>call("audit", () -> "done")).isEqualTo("done");
    }

    @Test
    void nestedTransactionWithEntitiesIsRefusedBySpring() {
        opened();
        assertThatThrownBy(() -> operation(Protocol.CLAIM_FIRST).execute(attempt(), connection -> {
                    accounts.depositNested(id);
                    return "deposited";
                }))
                .isInstanceOf(NestedTransactionNotSupportedException.class);
        assertThat(balance()).isZero();
    }
}
