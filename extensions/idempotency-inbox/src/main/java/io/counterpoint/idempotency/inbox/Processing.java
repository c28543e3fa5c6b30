package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.RejectedException;
import io.counterpoint.idempotency.inbox.DeadLetter.Reason;
import io.counterpoint.idempotency.inbox.InFlight.Entry;
import io.counterpoint.idempotency.inbox.Receipt.Fate;
import io.counterpoint.idempotency.spi.StoreException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Handles messages that have an identity, and determines solely from the engine's results which may be acknowledged.
 */
final class Processing<C, M> {

    private static final int MOST_MESSAGES = 1_000;

    private final Passing passing;
    private final BatchHandler<C, M> handler;
    private final boolean handlesOneByOne;
    private final LetterBox<C, M> letters;
    private final Operation<C, Done> operation;
    private final Batch<C, Done> batch;
    // An inbox lives as long as its application, and each call removes its own value.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<@Nullable InFlight<M>> present = new ThreadLocal<>();

    /**
     * Creates an instance.
     *
     * @param handlesOneByOne whether the handler gets one message at a time
     */
    Processing(
            InboxBuilder<C, M> options,
            DeadLetters<C> deadLetters,
            LetterBox<C, M> letters,
            Passing passing,
            BatchHandler<C, M> handler,
            boolean handlesOneByOne) {
        this.passing = passing;
        this.handler = handler;
        this.handlesOneByOne = handlesOneByOne;
        this.letters = letters;
        this.operation = Idempotency.on(new DeadLetterStore<>(options.store, deadLetters, new PresentMessages()))
                .operation(options.name)
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .retention(options.retention)
                .releaseOn(passing::test)
                .describeFailure(thrown -> new Failure(LetterSteps.WITH_LETTER, reason(thrown)))
                .build();
        this.batch = Batch.inOneTransaction(operation).maxAttempts(MOST_MESSAGES);
    }

    /** The handler's own exceptions are in the letter. A store's tells what it refused at the commit, without values. */
    private static String reason(Throwable thrown) {
        return thrown instanceof StoreException
                ? String.valueOf(thrown.getMessage())
                : Failure.of(thrown).code();
    }

    IdempotencyKey keyOf(Attempt attempt) {
        return operation.keyOf(attempt);
    }

    /** Returns a receipt for each message, in order. */
    List<Receipt<M>> process(InFlight<M> messages) {
        present.set(messages);
        try {
            List<Receipt<M>> receipts = new ArrayList<>();
            for (int from = 0; from < messages.entries().size(); from += MOST_MESSAGES) {
                int to = Math.min(from + MOST_MESSAGES, messages.entries().size());
                receipts.addAll(process(messages, messages.entries().subList(from, to)));
            }
            return receipts;
        } finally {
            present.remove();
        }
    }

    private List<Receipt<M>> process(InFlight<M> messages, List<Entry<M>> part) {
        List<Receipt<M>> receipts = new ArrayList<>();
        try {
            List<BatchResult<Done>> answers = execute(messages, part);
            for (int i = 0; i < part.size(); i++) {
                receipts.add(receipt(messages, part.get(i), answers.get(i)));
            }
        } catch (Throwable thrown) {
            // It is unknown what the records say about the others.
            Passing.keepInterrupt(thrown);
            part.subList(receipts.size(), part.size()).forEach(entry -> receipts.add(postponed(entry, thrown)));
        }
        return receipts;
    }

    private Receipt<M> receipt(InFlight<M> messages, Entry<M> entry, BatchResult<Done> answer) {
        return answer.fold(outcome -> answered(entry, outcome), thrown -> afterException(messages, entry, thrown));
    }

    private List<BatchResult<Done>> execute(InFlight<M> messages, List<Entry<M>> part) {
        List<Attempt> attempts = part.stream().map(entry -> entry.attempt).toList();
        return handlesOneByOne
                ? batch.executeEach(
                        attempts,
                        (handle, one) -> handle(messages, handle, entries(part, List.of(one)))
                                .get(0))
                : batch.executeAll(attempts, (handle, leading) -> handle(messages, handle, entries(part, leading)));
    }

    private static <M> List<Entry<M>> entries(List<Entry<M>> part, List<BatchItem> leading) {
        return leading.stream().map(one -> part.get(one.index())).toList();
    }

    private List<Done> handle(InFlight<M> messages, C handle, List<Entry<M>> entries) throws Exception {
        messages.begin(entries);
        try {
            handler.handle(handle, entries.stream().map(entry -> entry.message).toList());
            return Collections.nCopies(entries.size(), Done.DONE);
        } catch (Throwable thrown) {
            if (entries.size() == 1) {
                entries.get(0).threw(thrown);
            }
            throw thrown;
        }
    }

    private Receipt<M> answered(Entry<M> entry, Outcome<Done> outcome) {
        return outcome.fold(
                completed -> new Receipt<>(
                        entry.message, completed.isReplay() ? Fate.DUPLICATE : Fate.PROCESSED, Optional.empty()),
                inProgress -> postponed(entry, exceptionOf(outcome)),
                rejected -> LetterSteps.isWithLetter(rejected.failure())
                        ? letters.delivered(entry.message, Reason.POISON)
                        : postponed(entry, exceptionOf(outcome)),
                keyReused -> letters.giveUp(entry.message, Reason.IDENTITY_REUSED, "", Optional.of(entry.identity)));
    }

    private static Throwable exceptionOf(Outcome<?> outcome) {
        try {
            throw new IllegalStateException("No exception for " + outcome.orElseThrow());
        } catch (IdempotencyException expected) {
            return expected;
        }
    }

    /** The engine rethrew the handler's exception. Only its record shows whether the message has failed. */
    private Receipt<M> afterException(InFlight<M> messages, Entry<M> entry, Throwable thrown) {
        if (mayComeAgain(thrown)) {
            return postponed(entry, thrown);
        }
        BatchResult<Done> again = execute(messages, List.of(entry)).get(0);
        return again.fold(outcome -> answered(entry, outcome), second -> {
            Passing.keepInterrupt(second);
            return postponed(entry, thrown);
        });
    }

    private boolean mayComeAgain(Throwable thrown) {
        Passing.keepInterrupt(thrown);
        // A message that the store rejected at the commit has failed permanently, just like after an exception of the
        // handler.
        return (thrown instanceof IdempotencyException && !(thrown instanceof RejectedException))
                || passing.test(thrown);
    }

    private Receipt<M> postponed(Entry<M> entry, Throwable cause) {
        return new Receipt<>(entry.message, Fate.POSTPONED, Optional.of(cause));
    }

    private final class PresentMessages implements DeadLetterStore.Messages {
        private InFlight<M> messages() {
            InFlight<M> messages = present.get();
            if (messages == null) {
                throw new IllegalStateException("The operation of an inbox was called on another thread.");
            }
            return messages;
        }

        @Override
        public void beginTransaction() {
            messages().beginTransaction();
        }

        @Override
        public boolean mayFail(IdempotencyKey key) {
            return messages().isBegun(key);
        }

        @Override
        public DeadLetter letter(IdempotencyKey key, Failure failure) {
            Entry<M> entry = messages().of(key);
            return letters.letter(key, Reason.POISON, entry.error(failure), entry.message, Optional.of(entry.identity));
        }

        @Override
        public void record(IdempotencyKey key) {
            messages().record(key);
        }
    }
}
