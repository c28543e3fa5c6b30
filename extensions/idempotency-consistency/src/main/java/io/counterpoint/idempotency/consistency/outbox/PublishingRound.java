package io.counterpoint.idempotency.consistency.outbox;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.internal.DatabaseProduct;
import io.counterpoint.idempotency.consistency.outbox.EventClaim.Claimed;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Listener;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import io.counterpoint.idempotency.internal.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * One claim and the processing of its batch. The bookkeeping of each event is independent of the others: an exception
 * of one of them, or a failure to store it, affects neither the mark nor the attempts of another. Single-use and
 * confined to one thread.
 */
final class PublishingRound {

    private static final String NEVER_ENDED =
            "No attempt ended within its claim: each time its publisher died or ran out"
                    + " of memory, or the consumer took longer than claimFor.";

    private static final int LONGEST_ERROR = 1000;

    private final Transactions transactions;
    private final Outbox outbox;
    private final String topic;
    private final EventConsumer consumer;
    private final Limits limits;
    private final Listener listener;
    private final BooleanSupplier closing;
    private final UUID claim = UUID.randomUUID();
    /**
     * Whether the next event's attempt has already been counted, in the transaction of the claim or of the previous
     * mark.
     */
    private boolean begun;

    private List<Claimed> batch = List.of();

    private boolean interrupted;

    PublishingRound(
            Transactions transactions,
            Outbox outbox,
            String topic,
            EventConsumer consumer,
            Limits limits,
            Listener listener,
            BooleanSupplier closing) {
        this.transactions = transactions;
        this.outbox = outbox;
        this.topic = topic;
        this.consumer = consumer;
        this.limits = limits;
        this.listener = listener;
        this.closing = closing;
    }

    /**
     * The limits of a round.
     *
     * @param batch the maximum number of events per claim
     * @param attempts the maximum number of attempts per event
     * @param claimFor how long a claim lasts
     * @param retry the pauses after failures
     */
    record Limits(int batch, int attempts, Duration claimFor, Backoff retry) {}

    /**
     * How an attempt ended, as a change to the event's row.
     *
     * @param column a time column to set to the current time if the event is not due any more; null if it is due again
     * @param seconds the time until it is due again
     */
    private record Ending(
            Round round,
            @Nullable String column,
            @Nullable String error,
            @Nullable Duration seconds) {

        static final Ending PUBLISHED = new Ending(new Round(1, 0, 0, Duration.ZERO), "published_at", null, null);

        static Ending parked(String error) {
            return new Ending(new Round(0, 0, 1, Duration.ZERO), "parked_at", error, null);
        }

        static Ending later(String error, Duration pause) {
            return new Ending(new Round(0, 1, 0, Duration.ZERO), null, error, pause);
        }
    }

    Round run() {
        batch = claim();
        Round round = Round.NOTHING;
        try {
            for (int i = 0; i < batch.size(); i++) {
                if (!begun && (closing.getAsBoolean() || interrupted)) {
                    letGo(null);
                    break;
                }
                Claimed next = i + 1 < batch.size() ? batch.get(i + 1) : null;
                round = round.plus(publish(batch.get(i), next));
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return round;
    }

    private List<Claimed> claim() {
        EventClaim events = new EventClaim(outbox, topic, claim, limits.batch(), limits.claimFor());
        List<Claimed> first = List.of();
        while (events.goesOn() && !closing.getAsBoolean()) {
            first = transactions.inTransaction(READ_COMMITTED, handle -> {
                List<Claimed> claimed = events.take(handle);
                begun = !claimed.isEmpty() && begin(handle, claimed.get(0));
                return claimed;
            });
        }
        return first;
    }

    private Round publish(Claimed claimed, @Nullable Claimed next) {
        if (claimed.attempts() >= limits.attempts()) {
            return end(claimed, Ending.parked(NEVER_ENDED), next);
        }
        boolean mine = begun || transactions.inTransaction(READ_COMMITTED, handle -> begin(handle, claimed));
        begun = false;
        if (!mine) {
            // The claim has expired, and another publisher has the event.
            return new Round(0, 1, 0, Duration.ZERO);
        }
        int attempt = claimed.attempts() + 1;
        try {
            consumer.accept(claimed.event());
        } catch (Throwable thrown) {
            Round round = failed(claimed, attempt, thrown, next);
            listener.refused(claimed.event(), attempt, thrown);
            return round;
        }
        return end(claimed, Ending.PUBLISHED, next);
    }

    /**
     * A stack overflow has unwound its stack and counts as a failure of the event like any other. After any other error
     * of the virtual machine, such as running out of memory, nothing more is started: the attempt counts and the error
     * propagates.
     */
    private Round failed(Claimed claimed, int attempt, Throwable thrown, @Nullable Claimed next) {
        if (thrown instanceof VirtualMachineError error && !(thrown instanceof StackOverflowError)) {
            try {
                letGo(claimed);
            } catch (Throwable also) {
                error.addSuppressed(also);
            }
            listener.refused(claimed.event(), attempt, thrown);
            throw error;
        }
        // Bookkeeping requires a thread that is not interrupted.
        interrupted |= Thread.interrupted() || thrown instanceof InterruptedException;
        String error = Texts.error(thrown, LONGEST_ERROR);
        return end(
                claimed,
                attempt == limits.attempts()
                        ? Ending.parked(error)
                        : Ending.later(error, limits.retry().pause(attempt)),
                next);
    }

    /**
     * Marks an event and counts the next one's attempt in one transaction, because usually both succeed. If not, only
     * the mark is made; if that fails as well, this event is redelivered when its claim expires, and the others
     * continue.
     */
    private Round end(Claimed claimed, Ending ending, @Nullable Claimed next) {
        if (next != null && !interrupted && !closing.getAsBoolean()) {
            Claimed following = next;
            try {
                return transactions.inTransaction(READ_COMMITTED, handle -> {
                    Round round = mark(handle, claimed, ending);
                    begun = begin(handle, following);
                    return round;
                });
            } catch (RuntimeException notBoth) {
                begun = false;
                listener.failed(topic, notBoth);
            }
        }
        try {
            return transactions.inTransaction(READ_COMMITTED, handle -> mark(handle, claimed, ending));
        } catch (RuntimeException unmarked) {
            listener.failed(topic, unmarked);
            return new Round(0, 1, 0, Duration.ZERO);
        }
    }

    /** Counts an attempt (idempotently), unless another publisher has the event or its attempts are exhausted. */
    private boolean begin(Handle handle, Claimed claimed) {
        return claimed.attempts() < limits.attempts()
                && handle.createUpdate("UPDATE %s SET attempts = :attempts WHERE seq = :seq AND claim = :claim"
                                        .formatted(outbox.table()))
                                .bind("attempts", claimed.attempts() + 1)
                                .bind("seq", claimed.seq())
                                .bind("claim", DatabaseProduct.of(handle).bound(claim))
                                .execute()
                        == 1;
    }

    /** Another publisher may have had it since then; its mark stays. */
    private Round mark(Handle handle, Claimed claimed, Ending ending) {
        DatabaseProduct database = DatabaseProduct.of(handle);
        String times = ending.column() == null
                ? "due_at = " + database.secondsFromNow()
                : ending.column() + " = " + database.now() + ", due_at = NULL";
        var update = handle.createUpdate(
                        "UPDATE %s SET last_error = :error, %s, claim = NULL WHERE seq = :seq AND claim = :claim"
                                .formatted(outbox.table(), times))
                .bind("seq", claimed.seq())
                .bind("claim", database.bound(claim))
                .bind("error", ending.error());
        if (ending.seconds() != null) {
            update.bind("seconds", DatabaseProduct.seconds(ending.seconds()));
        }
        boolean marked = update.execute() == 1;
        if (ending.round().published() == 0) {
            return marked ? ending.round() : new Round(0, 1, 0, Duration.ZERO);
        }
        if (!marked) {
            return ending.round();
        }
        outbox.release(handle, claimed.event(), claimed.seq());
        return new Round(1, 0, 0, lag(handle, claimed));
    }

    private Duration lag(Handle handle, Claimed claimed) {
        return handle.createQuery("SELECT %s FROM %s WHERE seq = :seq"
                        .formatted(
                                DatabaseProduct.of(handle).secondsBetween("appended_at", "published_at"),
                                outbox.table()))
                .bind("seq", claimed.seq())
                .map((row, context) -> Outbox.notNegative(row.getBigDecimal(1)))
                .one();
    }

    /** Releases everything that this round has claimed but not begun; those attempts were never counted. */
    private void letGo(@Nullable Claimed butNot) {
        transactions.useTransaction(
                READ_COMMITTED,
                handle -> handle.createUpdate("""
                        UPDATE %s SET claim = NULL, due_at = %s WHERE claim = :claim AND seq <> :seq AND seq IN (<seqs>)
                        """.formatted(
                                outbox.table(), DatabaseProduct.of(handle).now()))
                        .bind("claim", DatabaseProduct.of(handle).bound(claim))
                        .bind("seq", butNot == null ? -1 : butNot.seq())
                        .bindList("seqs", batch.stream().map(Claimed::seq).toList())
                        .execute());
    }
}
