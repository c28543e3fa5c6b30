package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.Outcome;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.UnexpectedRollbackException;

/** What joins shares one fate. */
abstract class ParticipantCases extends JoinedCases {

    @ParameterizedTest
    @EnumSource
    void jdbcAndEntitiesSeeEachOther(Protocol protocol) {
        JdbcTemplate jdbc = application().database.jdbc();
        executes(protocol, connection -> {
            accounts.open(id);
            application().entities().flush();
            jdbc.update("UPDATE account SET balance = 7 WHERE id = ?", id);
            return "opened";
        });
        assertThat(balance()).isEqualTo(7);
    }

    @ParameterizedTest
    @EnumSource
    void exceptionAfterTheServiceLeavesNothing(Protocol protocol) {
        opened();
        IllegalArgumentException refused = new IllegalArgumentException("refused");
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    accounts.deposit(id, 5);
                    throw refused;
                }))
                .isSameAs(refused);
        assertThat(balance()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void rollbackOfAParticipantThatTheWorkSwallowsIsToldAndLeavesNothing(Protocol protocol) {
        opened();
        assertThatThrownBy(() -> operation(protocol).execute(attempt(), connection -> {
                    assertThat(catchThrowable(() -> accounts.depositAndThrow(id)))
                            .isNotNull();
                    return "deposited";
                }))
                .isInstanceOf(UnexpectedRollbackException.class)
                .hasMessageContaining("rollback-only");
        assertThat(balance()).isZero();
        assertThat(operation(protocol).execute(attempt(), connection -> "again"))
                .isInstanceOf(Outcome.Rejected.class);
    }
}
