package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.KeyReusedException;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart.PaymentRequest;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart.PaymentService;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart.Receipt;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.annotation.Transactional;

/** How docs/testing.md tests a method of Spring, and that a test with a transaction is refused. */
@SpringBootTest(
        classes = Quickstart.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "idempotency.create-table=true",
            "idempotency.purge.enabled=false",
            "spring.datasource.url=jdbc:h2:mem:transactional-test",
            "spring.jpa.hibernate.ddl-auto=create",
            "spring.flyway.enabled=false",
            "spring.liquibase.enabled=false",
            "spring.main.banner-mode=off",
            "logging.level.root=ERROR"
        })
class TransactionalTestTest {

    @Autowired
    PaymentService payments;

    @Autowired
    JdbcTemplate jdbc;

    @BeforeEach
    void begin() {
        jdbc.update("DELETE FROM payment");
        jdbc.update("DELETE FROM idempotency_record");
        SecurityContextHolder.getContext()
                .setAuthentication(UsernamePasswordAuthenticationToken.authenticated("ann", "", List.of()));
    }

    @AfterEach
    void forget() {
        SecurityContextHolder.clearContext();
    }

    @Test
    void paymentThatIsSentTwiceIsMadeOnce() {
        Receipt first = payments.pay(new PaymentRequest("p-1", "Ann"));

        assertThat(payments.pay(new PaymentRequest("p-1", "Ann"))).isEqualTo(first);
        assertThatThrownBy(() -> payments.pay(new PaymentRequest("p-1", "Bob"))).isInstanceOf(KeyReusedException.class);
        assertThat(payments.count()).isEqualTo(1);
    }

    @Test
    @Transactional
    void callInsideATestsTransactionIsRefused() {
        assertThatThrownBy(() -> payments.pay(new PaymentRequest("p-2", "Ann")))
                .isInstanceOf(NestedCallException.class)
                .hasMessageContaining("troubleshooting.md#called-inside");
        assertThat(payments.count()).isZero();
    }
}
