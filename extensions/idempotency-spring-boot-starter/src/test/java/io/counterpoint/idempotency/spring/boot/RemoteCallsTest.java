package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.dao.CannotAcquireLockException;
import org.springframework.jdbc.core.JdbcTemplate;

/** What the box on remote calls says: a deadlock repeats them, and a key that is the same in every run is not enough. */
@Tag("thorough")
class RemoteCallsTest {

    /** Takes charges. */
    static class Gateway {
        private final List<String> keys = new ArrayList<>();

        void charge(String key) {
            keys.add(key);
        }
    }

    static class Payments {
        private final JdbcTemplate jdbc;
        private final Gateway gateway;
        private int runs;

        Payments(DataSource source, Gateway gateway) {
            this.jdbc = new JdbcTemplate(source);
            this.gateway = gateway;
            jdbc.execute("CREATE TABLE payment (id VARCHAR(50) NOT NULL)");
        }

        @Idempotent(operation = "pay", key = "#id", scope = "'user:42'")
        public String pay(String id) {
            jdbc.update("INSERT INTO payment (id) VALUES (?)", id);
            gateway.charge(
                    IdempotencyKey.inScope("user:42").operation("pay").value(id).hash());
            if (id.equals("failing")) {
                throw new IllegalStateException("after the charge");
            }
            if (++runs == 1) {
                throw new CannotAcquireLockException("victim of a deadlock", new SQLException("deadlock", "40001"));
            }
            return "paid";
        }
    }

    @Test
    void deadlockRepeatsARemoteCallUnderTheSameKey() {
        onH2().withBean(Gateway.class).withBean(Payments.class).run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThat(payments.pay("p-1")).isEqualTo("paid");
            assertThat(payments.pay("p-1")).isEqualTo("paid");

            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT COUNT(*) FROM payment", Integer.class))
                    .isEqualTo(1);
            assertThat(context.getBean(Gateway.class).keys).hasSize(2);
            assertThat(context.getBean(Gateway.class).keys.stream().distinct()).hasSize(1);
        });
    }

    @Test
    void failureAfterARemoteCallMakesClientsTakeANewKeyThatChargesAgain() {
        onH2().withBean(Gateway.class).withBean(Payments.class).run(context -> {
            Payments payments = context.getBean(Payments.class);
            assertThatThrownBy(() -> payments.pay("failing")).hasMessage("after the charge");
            assertThatThrownBy(() -> payments.pay("failing")).isInstanceOf(RejectedException.class);
            assertThat(payments.pay("new")).isEqualTo("paid");

            assertThat(context.getBean(Gateway.class).keys.stream().distinct()).hasSize(2);
        });
    }
}
