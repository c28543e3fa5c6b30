package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.trial.TestedDatabase.Kind;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A driver fails at any one of its calls while the domain works through Spring, and every answer stays true. The shares
 * are such that each fault meets each scenario, each protocol, and each way of the domain.
 */
@Tag("thorough")
@Timeout(3600)
class EveryJdbcCallOfSpringTest {

    private static final List<Made> KINDS = List.of(MadeBySpring.values());

    /** Hundreds of callbacks throw here, and each is logged. */
    private static final Logger LOG_OF_CALLBACKS = Logger.getLogger("io.counterpoint.idempotency.spring");

    @BeforeAll
    static void logNoCallbacks() {
        LOG_OF_CALLBACKS.setLevel(Level.OFF);
    }

    @AfterAll
    static void logCallbacks() {
        LOG_OF_CALLBACKS.setLevel(null);
    }

    private static void noFaultLeadsToAFalseStatement(Kind kind, int share) throws Exception {
        Census census = new Census(KINDS);
        for (boolean autoCommit : new boolean[] {true, false}) {
            new Enumeration(KINDS, kind, autoCommit, KINDS, new Selection(share, false), census).run();
        }
        System.out.printf("%s%d cases%n", census.table(), census.cases());
        assertThat(census.pairsMissed()).isEmpty();
        assertThat(census.failures(3)).isEmpty();
    }

    @Test
    void aFailingCallNeverLeadsToAFalseStatementOnH2() throws Exception {
        noFaultLeadsToAFalseStatement(Kind.H2, 150);
    }

    @Test
    @Tag("matrix")
    void aFailingCallNeverLeadsToAFalseStatementOnPostgreSql() throws Exception {
        noFaultLeadsToAFalseStatement(Kind.POSTGRESQL, 90);
    }
}
