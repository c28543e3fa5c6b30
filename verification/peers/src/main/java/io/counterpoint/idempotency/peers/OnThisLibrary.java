package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.sql.Connection;
import java.time.Duration;
import javax.sql.DataSource;

/** This library with the default protocol: a later call takes over what a dead process left behind. */
final class OnThisLibrary implements UseCase {

    private final Operation<Connection, String> booking;
    private final Work work;

    OnThisLibrary(DataSource dataSource, Work work) {
        this.work = work;
        this.booking = Idempotency.on(JdbcIdempotencyStore.on(dataSource).createTableIfMissing())
                .operation("book-payment", ResultCodec.text(text -> text, text -> text))
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofSeconds(2))
                .build();
    }

    @Override
    public Answer book(String key, String request) throws Exception {
        return booking.execute(
                        Attempt.inScope("client:1").key(key).request(request),
                        connection -> work.book(connection, key, request))
                .fold(
                        completed -> Answer.booked(completed.result()),
                        inProgress -> Answer.refused("in progress"),
                        rejected -> Answer.refused("failed for good"),
                        keyReused -> Answer.refused("another request"));
    }
}
