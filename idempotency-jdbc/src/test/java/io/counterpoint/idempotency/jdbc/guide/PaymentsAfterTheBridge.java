package io.counterpoint.idempotency.jdbc.guide;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import java.time.Duration;
import org.jdbi.v3.core.Handle;

/** Payments without the bridge: with the settings that they are to have, and without the old table. */
final class PaymentsAfterTheBridge {

    private final Operation<Handle, String> pay;

    PaymentsAfterTheBridge(Idempotency<Handle> idempotency) {
        pay = idempotency
                .operation("pay", ResultCodec.string())
                .retention(Duration.ofDays(30))
                .whenAbandoned(Operation.Abandoned.FAIL, Duration.ofMinutes(1))
                .build();
    }

    String pay(String userId, String requestId, long cents) {
        Attempt attempt = Attempt.inScope("user:" + userId).key(requestId).request(cents);
        return pay.execute(attempt, handle -> MigratedPayments.book(handle, userId, cents))
                .orElseThrow();
    }
}
