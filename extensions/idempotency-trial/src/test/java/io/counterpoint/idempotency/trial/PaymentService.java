package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.sql.SQLException;
import java.time.Duration;

final class PaymentService {

    interface Payments {
        void charge(String account, long cents) throws SQLException;
    }

    private final Operation<Payments, String> pay;

    PaymentService(Idempotency<Payments> idempotency) {
        pay = idempotency
                .operation("pay", ResultCodec.string())
                .whenAbandoned(Abandoned.FAIL, Duration.ofMinutes(1))
                .retention(Duration.ofDays(7))
                .build();
    }

    Outcome<String> pay(Attempt attempt, String account, long cents) throws SQLException {
        return pay.execute(attempt, payments -> {
            payments.charge(account, cents);
            return "receipt of " + cents;
        });
    }
}
