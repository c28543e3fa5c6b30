package io.counterpoint.idempotency.jdbc.testkit;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Outcome;
import javax.sql.DataSource;
import org.jspecify.annotations.NullUnmarked;

/** What the example of the page about faults takes for granted. */
@NullUnmarked
public abstract class FaultsPageContext {

    protected DataSource dataSource;

    /** The use case. */
    public static final class Payments {
        public Payments(DataSource source) {}

        public Outcome<String> pay(Attempt attempt) {
            throw new UnsupportedOperationException("It is only compiled.");
        }
    }
}
