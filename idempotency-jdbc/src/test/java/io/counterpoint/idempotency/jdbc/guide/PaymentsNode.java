package io.counterpoint.idempotency.jdbc.guide;

import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.bridge.BridgeNode;
import io.counterpoint.idempotency.testing.bridge.StoppingDataSource;
import java.io.IOException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/** A node of the service, of the version that its second argument names. */
public final class PaymentsNode {

    private PaymentsNode() {}

    /** Serves until its standard input ends. */
    public static void main(String[] arguments) throws IOException {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(arguments[0]);
        pool.setMaximumPoolSize(20);
        Jdbi jdbi = Jdbi.create(StoppingDataSource.of(pool));
        Idempotency<Handle> idempotency = Idempotency.on(JdbiIdempotencyStore.on(jdbi));
        BridgeNode.serve(
                switch (arguments[1]) {
                    case "old" -> new OldPayments(jdbi)::pay;
                    case "bridge" -> {
                        MigratedPayments payments = new MigratedPayments(idempotency);
                        yield (userId, requestId, cents) ->
                                payments.pay(userId, requestId, cents).orElseThrow();
                    }
                    default -> new PaymentsAfterTheBridge(idempotency)::pay;
                });
    }
}
