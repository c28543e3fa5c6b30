package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.StartedShop.as;
import static io.counterpoint.idempotency.spring.boot.StartedShop.bean;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.KeyReusedException;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.spring.boot.shop.Orders;
import io.counterpoint.idempotency.spring.boot.shop.Orders.Bought;
import io.counterpoint.idempotency.spring.boot.shop.Orders.Wanted;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Annotated methods of a service over JPA, on PostgreSQL. */
class IdempotentServiceTest {

    private final Orders orders = bean(Orders.class);

    @BeforeEach
    void begin() {
        orders.runs().set(0);
    }

    private static Wanted wanted(String id, String item) {
        return new Wanted(id, item, Optional.empty());
    }

    @Test
    void retryGetsTheFirstResultAndTheMethodRunsOnce() {
        Bought first = as("ann", "BUYER", () -> orders.buy(wanted("s-1", "tea-1")));
        Bought retry = as("ann", "BUYER", () -> orders.buy(wanted("s-1", "tea-1")));

        assertThat(retry).isEqualTo(first);
        assertThat(orders.runs()).hasValue(1);
        assertThat(orders.count("tea-1")).isEqualTo(1);
    }

    @Test
    void callersDoNotShareKeys() {
        Bought anns = as("ann", "BUYER", () -> orders.buy(wanted("s-2", "tea-2")));
        Bought bobs = as("bob", "BUYER", () -> orders.buy(wanted("s-2", "tea-2")));

        assertThat(bobs).isNotEqualTo(anns);
        assertThat(orders.count("tea-2")).isEqualTo(2);
    }

    @Test
    void unknownCallerIsRefusedAndNothingRuns() {
        assertThatThrownBy(() -> orders.buy(wanted("s-3", "tea-3")))
                .isInstanceOf(UnknownCallerException.class)
                .hasMessageContaining("buy")
                .hasMessageContaining("Authenticate");
        assertThat(orders.runs()).hasValue(0);
    }

    @Test
    void keyWithAnotherRequestIsRefused() {
        as("ann", "BUYER", () -> orders.buy(wanted("s-4", "tea-4")));

        assertThatThrownBy(() -> as("ann", "BUYER", () -> orders.buy(wanted("s-4", "milk"))))
                .isInstanceOf(KeyReusedException.class);
        assertThatThrownBy(() ->
                        as("ann", "BUYER", () -> orders.buy(new Wanted("s-4", "tea-4", Optional.of("with a note")))))
                .isInstanceOf(KeyReusedException.class);
        assertThat(orders.runs()).hasValue(1);
    }

    @Test
    void exceptionOfTheMethodIsThrownOnAndLeavesNothing() {
        RuntimeException thrown = new IllegalStateException("no tea");
        assertThatThrownBy(() -> orders.refuse("s-5", "tea-5", thrown)).isSameAs(thrown);
        assertThat(orders.count("tea-5")).isZero();

        assertThatThrownBy(() -> orders.refuse("s-5", "tea-5", thrown))
                .isInstanceOfSatisfying(
                        RejectedException.class,
                        rejected -> assertThat(rejected.failure().code()).isEqualTo("IllegalStateException"));
        assertThat(orders.runs()).hasValue(1);
    }

    @Test
    void releasedKeyCanBeUsedAgain() {
        assertThatThrownBy(() -> orders.release("s-6", "tea-6", true)).hasMessage("not today");
        assertThat(orders.release("s-6", "tea-6", false)).isEqualTo(7);
        assertThat(orders.release("s-6", "tea-6", false)).isEqualTo(7);

        assertThat(orders.runs()).hasValue(2);
        assertThat(orders.count("tea-6")).isEqualTo(1);
    }

    @Test
    void voidOptionalAndGenericResultsAreReplayed() {
        orders.nothing("s-7");
        orders.nothing("s-7");
        assertThat(orders.runs()).hasValue(1);

        assertThat(orders.maybe("s-8", true)).contains(new Bought(1, "tea"));
        assertThat(orders.maybe("s-8", true)).contains(new Bought(1, "tea"));
        assertThat(orders.maybe("s-9", false)).isEmpty();
        assertThat(orders.maybe("s-9", false)).isEmpty();
        assertThat(orders.runs()).hasValue(3);

        assertThat(orders.many("s-10")).isEqualTo(orders.many("s-10"));
        assertThat(orders.many("s-10").get("all")).containsExactly(new Bought(1, "tea"), new Bought(2, "milk"));
        assertThat(orders.runs()).hasValue(4);
    }

    @Test
    void optionsOfTheAnnotationReachTheOperation() {
        orders.nothing("s-11");

        assertThat(bean(JdbcTemplate.class)
                        .queryForMap("SELECT protocol, EXTRACT(EPOCH FROM expires_at - created_at)::int AS lives"
                                + " FROM idempotency_record WHERE operation = 'nothing' AND key_value = 's-11'"))
                .containsEntry("protocol", "S")
                .containsEntry("lives", 7200);
    }

    @Test
    void replayIsAuthorizedLikeTheFirstCall() {
        assertThat(as("ann", "BUYER", () -> orders.secured("s-12"))).isEqualTo("seen");

        assertThatThrownBy(() -> as("bob", "GUEST", () -> orders.secured("s-12")))
                .isInstanceOf(AccessDeniedException.class);
        assertThat(as("ann", "BUYER", () -> orders.secured("s-12"))).isEqualTo("seen");
        assertThat(orders.runs()).hasValue(1);
    }

    @Test
    void callInsideATransactionOfTheCallerIsRefused() {
        TransactionTemplate callers = new TransactionTemplate(bean(PlatformTransactionManager.class));

        assertThatThrownBy(() -> callers.executeWithoutResult(transaction -> orders.nothing("s-13")))
                .isInstanceOf(IllegalStateException.class);
        assertThat(orders.runs()).hasValue(0);
    }
}
