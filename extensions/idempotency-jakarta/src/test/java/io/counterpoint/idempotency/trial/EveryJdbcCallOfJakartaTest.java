package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jakarta.Database;
import io.counterpoint.idempotency.jakarta.Enlisting;
import io.counterpoint.idempotency.jakarta.JakartaIdempotencyStore;
import io.counterpoint.idempotency.jakarta.TransactionView;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.trial.TestedDatabase.Kind;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A driver fails at any one of its calls while a transaction manager ends the transactions, and every answer stays true.
 * The share is such that each fault meets each scenario and each protocol.
 */
@Tag("thorough")
@Timeout(3600)
class EveryJdbcCallOfJakartaTest {

    private static final class MadeByJakarta implements Made {
        @Override
        public IdempotencyStore<Domain> in(TestedDatabase database, DataSource source) {
            return Database.checked(JakartaIdempotencyStore.on(
                            Database.TRANSACTIONS,
                            Database.REGISTRY,
                            Enlisting.local(source),
                            TransactionView.narayana(),
                            database::options))
                    .mapped(Domain.OfConnection::new);
        }

        @Override
        public boolean hasCallbacks() {
            return false;
        }

        @Override
        public String toString() {
            return "FOR_JTA";
        }
    }

    @Test
    void aFailingCallNeverLeadsToAFalseStatement() throws Exception {
        List<Made> kinds = List.of(new MadeByJakarta());
        Census census = new Census(kinds);
        new Enumeration(kinds, Kind.POSTGRESQL, true, kinds, new Selection(53, false), census).run();
        System.out.printf("%s%d cases%n", census.table(), census.cases());
        assertThat(census.failures(3)).isEmpty();
        assertThat(census.pairsMissed()).allMatch(pair -> pair.contains("CALLBACK_THROWS"));
    }
}
