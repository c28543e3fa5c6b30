package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * MariaDB's driver fails at any one of its calls, in any scenario, and every answer stays true. Each fault meets each
 * scenario, each protocol and each way to make the store.
 */
@Tag("thorough")
@Timeout(3600)
class EveryJdbcCallOnMariaDbTest {

    private static final int SHARE = Integer.getInteger("idempotency.jdbc-calls.share", 350);
    private static final List<Made> KINDS = List.of(MadeOnMariaDb.values());

    @Test
    void aFailingCallNeverLeadsToAFalseStatement() throws Exception {
        long start = System.nanoTime();
        Census census = new Census(KINDS);
        for (boolean autoCommit : new boolean[] {true, false}) {
            new Enumeration(KINDS, OnMariaDb::create, autoCommit, KINDS, new Selection(SHARE, false), census).run();
        }
        System.out.printf(
                "%s%d cases in %d s%n", census.table(), census.cases(), (System.nanoTime() - start) / 1_000_000_000);
        assertThat(census.pairsMissed()).isEmpty();
        assertThat(census.failures(3)).isEmpty();
    }
}
