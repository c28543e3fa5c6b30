package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.LastStep.Success;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Steps on many records that differ from the steps on a single one. */
final class WrongBatches {

    private WrongBatches() {}

    static RecordSteps claimsAlwaysLead(RecordSteps steps) {
        return new AlwaysLeading(steps);
    }

    static RecordSteps claimsAlwaysLeadAndMarksAreNotCounted(RecordSteps steps) {
        return new AlwaysLeading(steps) {
            @Override
            public LastStep.Result commitWith(LastStep step) {
                return markAndBelieve(real, step);
            }
        };
    }

    /** The remaining records are committed with the work for all. */
    static LastStep.Result leavesRecordsOut(RecordSteps real, LastStep.InsertAll all) {
        List<IdempotencyRecord> absent = all.records().stream()
                .filter(record -> real.read(record.key()).isEmpty())
                .toList();
        return real.commitWith(
                absent.isEmpty()
                        ? new LastStep.RequireNotEnded(all.records().get(0).key())
                        : new LastStep.InsertAll(absent, all.retention(), all.lockWait()));
    }

    private static class AlwaysLeading extends ForwardingSteps {

        AlwaysLeading(RecordSteps steps) {
            super(steps);
        }

        @Override
        public Map<IdempotencyKey, IdempotencyRecord> claimAll(
                List<? extends IdempotencyRecord> records, Duration retention, Duration lockWait) {
            Map<IdempotencyKey, IdempotencyRecord> unused = real.claimAll(records, retention, lockWait);
            return Map.of();
        }
    }

    static LastStep.Result markAndBelieve(RecordSteps real, LastStep step) {
        return real.commitWith(step.fold(
                one -> one,
                all -> {
                    for (Success success : all.successes()) {
                        boolean unused = real.succeed(success.key(), success.token(), Optional.of(success.result()));
                    }
                    return new LastStep.RequireNotEnded(all.successes().get(0).key());
                },
                none -> none,
                insert -> insert,
                all -> all));
    }
}
