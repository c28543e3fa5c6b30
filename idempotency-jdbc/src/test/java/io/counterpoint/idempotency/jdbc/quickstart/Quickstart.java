package io.counterpoint.idempotency.jdbc.quickstart;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.UUID;
import org.jdbi.v3.core.Jdbi;

/** A payment that is asked for three times. The README shows its middle. */
public class Quickstart {
    public static void main(String[] args) {
        Jdbi jdbi = Jdbi.create("jdbc:h2:mem:quickstart;DB_CLOSE_DELAY=-1");
        jdbi.useHandle(handle ->
                handle.execute("CREATE TABLE payment (number varchar(50) PRIMARY KEY, payee varchar(50), cents int)"));
        for (int tries = 1; tries <= 3; tries++) {
            // begin
            var idempotency = Idempotency.on(JdbiIdempotencyStore.on(jdbi).createTableIfMissing());
            var pay = idempotency.operation("pay", ResultCodec.string()).build();
            var attempt = Attempt.inScope("user:42").key("of-the-client").request("Ann", 1000);
            Outcome<String> outcome = pay.execute(attempt, handle -> {
                String number = "P-" + UUID.randomUUID();
                handle.execute("INSERT INTO payment VALUES (?, 'Ann', 1000)", number);
                return number;
            });
            // end
            System.out.println(outcome + " -> " + outcome.orElseThrow());
        }
    }
}
