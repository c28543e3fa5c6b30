package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.Connection;
import javax.sql.DataSource;
import org.jspecify.annotations.NullUnmarked;

/** What the example of the page about faults takes for granted. */
@NullUnmarked
public abstract class FaultsPageContext {

    protected DataSource dataSource;

    /** The use case. */
    public static final class Payments {
        private final Operation<Connection, String> operation;

        public Payments(DataSource source) {
            operation = Idempotency.on(JdbcIdempotencyStore.on(source))
                    .operation("pay", ResultCodec.string())
                    .build();
        }

        public Outcome<String> pay(Attempt attempt) {
            return operation.execute(attempt, connection -> "paid");
        }
    }
}
