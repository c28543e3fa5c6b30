package io.counterpoint.idempotency.inbox;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LastStep.Success;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Steps that store a dead letter with each {@code Failed}, and remember the records whose fate the transaction has
 * seen.
 */
final class LetterSteps extends ForwardingRecordSteps {

    /** The code of a failure that was written together with its dead letter. Any other failure acknowledges nothing. */
    static final String WITH_LETTER = "dead-letter";

    private final BiConsumer<IdempotencyKey, Failure> letters;
    private final Set<IdempotencyKey> recorded = new HashSet<>();

    LetterSteps(RecordSteps steps, BiConsumer<IdempotencyKey, Failure> letters) {
        super(steps);
        this.letters = letters;
    }

    static boolean isWithLetter(Failure failure) {
        return failure.code().equals(WITH_LETTER);
    }

    /** Returns the keys whose fate is certain once the transaction is committed. */
    Set<IdempotencyKey> recorded() {
        return recorded;
    }

    private Optional<IdempotencyRecord> noted(Optional<IdempotencyRecord> found) {
        found.ifPresent(this::note);
        return found;
    }

    private Map<IdempotencyKey, IdempotencyRecord> noted(Map<IdempotencyKey, IdempotencyRecord> found) {
        found.values().forEach(this::note);
        return found;
    }

    private void note(IdempotencyRecord record) {
        if (record.<Boolean>fold(pending -> false, succeeded -> true, failed -> isWithLetter(failed.failure()))) {
            recorded.add(record.key());
        }
    }

    @Override
    public Optional<IdempotencyRecord> claim(
            IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
        Optional<IdempotencyRecord> found = noted(real.claim(record, retention, lockWait, durability));
        if (found.isEmpty()) {
            note(record);
            if (record instanceof Failed failed) {
                letters.accept(failed.key(), failed.failure());
            }
        }
        return found;
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> claimAll(
            List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
        Map<IdempotencyKey, IdempotencyRecord> found = noted(real.claimAll(records, retention, lockWait));
        records.stream().filter(record -> !found.containsKey(record.key())).forEach(this::note);
        return found;
    }

    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        return noted(real.read(key));
    }

    @Override
    public Map<IdempotencyKey, IdempotencyRecord> readAll(List<IdempotencyKey> keys) {
        return noted(real.readAll(keys));
    }

    @Override
    public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
        return noted(real.lock(key, lockWait));
    }

    @Override
    public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
        boolean succeeded = real.succeed(key, token, result);
        if (succeeded) {
            recorded.add(key);
        }
        return succeeded;
    }

    @Override
    public LastStep.Result commitWith(LastStep step) {
        LastStep.Result result = real.commitWith(step);
        if (result == LastStep.Result.DONE) {
            boolean unused = step.fold(
                    one -> recorded.add(one.key()),
                    all -> recorded.addAll(
                            all.successes().stream().map(Success::key).toList()),
                    none -> false,
                    insert -> {
                        note(insert.record());
                        return true;
                    },
                    all -> {
                        all.records().forEach(this::note);
                        return true;
                    });
        }
        return result;
    }

    @Override
    public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
        boolean failed = real.fail(key, token, failure);
        if (failed) {
            recorded.add(key);
            letters.accept(key, failure);
        }
        return failed;
    }
}
