package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** The protocols of the storm. Their grace is shorter than some of the work, so live leaders are mistaken for dead ones. */
enum GaleraMode {
    CLAIM_FIRST,
    CLAIM_FIRST_PLANNED,
    SINGLE_TRANSACTION,
    SINGLE_TRANSACTION_PLANNED,
    RECORD_LAST;

    private static final Duration GRACE = Duration.ofMillis(150);
    private static final int KINDS = 16;

    /** What came of one call. */
    record Answer(String call, Kind kind, String text) {

        /** Whether every later answer has to be the same. */
        boolean isLast() {
            return kind == Kind.RESULT || kind == Kind.FAILURE;
        }
    }

    /** What an answer says. */
    enum Kind {
        RESULT,
        FAILURE,
        /** The work threw, and the key can be used again. */
        RELEASED,
        /** Ask again. */
        UNKNOWN
    }

    /** The work refuses, always or at times. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final boolean releases;

        Refused(boolean releases) {
            super("refused");
            this.releases = releases;
        }
    }

    Operation<Handle, String> operation(JdbiIdempotencyStore store) {
        Operation.Builder<Handle, String> builder = Idempotency.on(store)
                .operation(name(), ResultCodec.string())
                .settleWithin(Duration.ofSeconds(10))
                .waitAtMost(Duration.ofSeconds(1))
                .releaseOn(thrown -> thrown instanceof Refused refused && refused.releases);
        return switch (this) {
            case CLAIM_FIRST -> builder.takeOverAbandonedAfter(GRACE).build();
            case CLAIM_FIRST_PLANNED -> builder.failAbandonedAfter(GRACE).build();
            case SINGLE_TRANSACTION, SINGLE_TRANSACTION_PLANNED ->
                builder.singleTransaction().build();
            case RECORD_LAST -> builder.recordLast().build();
        };
    }

    private boolean plans() {
        return this == CLAIM_FIRST_PLANNED || this == SINGLE_TRANSACTION_PLANNED;
    }

    /** One call. Its work leaves a row with the name of the call and its result. */
    Answer ask(Operation<Handle, String> operation, String key, int number) {
        String call = UUID.randomUUID().toString();
        Attempt attempt = Attempt.in("user:1").key(key).request("request");
        try {
            Outcome<String> outcome = plans()
                    ? operation.executePlanned(
                            attempt,
                            () -> UUID.randomUUID().toString(),
                            (handle, result) -> work(handle, key, number, call, result))
                    : operation.execute(attempt, handle -> {
                        String result = UUID.randomUUID().toString();
                        work(handle, key, number, call, result);
                        return result;
                    });
            return outcome.fold(
                    completed -> new Answer(call, Kind.RESULT, outcome.orElseThrow()),
                    inProgress -> new Answer(call, Kind.UNKNOWN, "in progress"),
                    rejected -> new Answer(call, Kind.FAILURE, ""),
                    keyReused -> new Answer(call, Kind.FAILURE, "key reused"));
        } catch (Refused refused) {
            return new Answer(call, refused.releases ? Kind.RELEASED : Kind.FAILURE, "");
        } catch (IdempotencyException unknown) {
            return new Answer(call, Kind.UNKNOWN, String.valueOf(unknown.getMessage()));
        } catch (RuntimeException failed) {
            // What the last run of the work met. It was recorded as a failure, except where the record comes last.
            return new Answer(call, this == RECORD_LAST ? Kind.RELEASED : Kind.FAILURE, "");
        }
    }

    private static void work(Handle handle, String key, int number, String call, String result) {
        handle.execute(
                "INSERT INTO effect (id, key_value, caller, result) VALUES (?, ?, ?, ?)",
                UUID.randomUUID().toString(),
                key,
                call,
                result);
        int kind = number % KINDS;
        if (kind == 1) {
            // Longer than the grace.
            handle.execute("DO SLEEP(0.3)");
        } else if (kind == 3) {
            throw new Refused(false);
        } else if (kind == 5 && call.charAt(0) < '8') {
            throw new Refused(true);
        }
    }
}
