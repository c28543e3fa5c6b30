package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.broken.WrongSteps.Claim;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Claims of the wrong key or record, or with the wrong result. */
final class WrongClaims {

    /** The age at which a leader counts as dead. */
    private static final Duration GRACE = Duration.ofMillis(300);

    private static final int LONGEST_KEY = 200;

    private WrongClaims() {}

    // ---- answers -------------------------------------------------------------------------------------------------

    static Optional<IdempotencyRecord> overwritesPending(Claim claim) {
        Optional<IdempotencyRecord> found = claim.make();
        return found.isPresent()
                        && claim.real().release(claim.key(), found.get().token())
                ? claim.make()
                : found;
    }

    static Optional<IdempotencyRecord> alwaysLeads(Claim claim) {
        Optional<IdempotencyRecord> unused = claim.make();
        return Optional.empty();
    }

    static Optional<IdempotencyRecord> takesOver(Claim claim) {
        return claim.make()
                .filter(found -> !(Records.isPendingForLongerThan(GRACE, found)
                        && claim.real()
                                .replaceToken(
                                        claim.key(),
                                        found.token(),
                                        claim.record().token())));
    }

    static Optional<IdempotencyRecord> failsWhatIsPending(Claim claim) {
        Optional<IdempotencyRecord> found = claim.make();
        if (found.isPresent() && Records.isPending(found.get())) {
            boolean unused = claim.real().fail(claim.key(), found.get().token(), new Failure("absent", ""));
            return claim.real().read(claim.key()).or(() -> found);
        }
        return found;
    }

    static Optional<IdempotencyRecord> checksAndThenClaims(Claim claim) {
        try {
            return claim.within(Duration.ofNanos(1)).make();
        } catch (RuntimeException locked) {
            return Optional.empty();
        }
    }

    // ---- inserts with the commit ---------------------------------------------------------------------------------

    static LastStep.Result leavesTheRecordOut(RecordSteps real, LastStep.Insert insert) {
        IdempotencyKey key = insert.record().key();
        return real.commitWith(real.read(key).isEmpty() ? insert : new LastStep.RequireNotEnded(key));
    }

    /** The work is committed all the same. */
    static LastStep.Result insertsIfAtOnce(RecordSteps real, LastStep.Insert insert) {
        IdempotencyRecord record = insert.record();
        try {
            Optional<IdempotencyRecord> unused =
                    real.claim(record, insert.retention(), Duration.ofNanos(1), Durability.DURABLE);
        } catch (RuntimeException refused) {
            // The failure is swallowed.
        }
        return real.commitWith(new LastStep.RequireNotEnded(record.key()));
    }

    /** The commit follows at the end of the body. */
    static LastStep.Result insertsIntoAnyTransaction(RecordSteps real, LastStep.Insert insert) {
        return real.claim(insert.record(), insert.retention(), insert.lockWait(), Durability.DURABLE)
                        .isEmpty()
                ? LastStep.Result.DONE
                : LastStep.Result.NOT_MINE;
    }

    /** Claims are inserted after the work. */
    static RecordSteps insertsLast(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            private Supplier<Optional<IdempotencyRecord>> insert = Optional::empty;

            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                insert = () -> real.claim(record, retention, lockWait, durability);
                return Optional.empty();
            }

            @Override
            public LastStep.Result commitWith(LastStep step) {
                if (insert.get().isPresent()) {
                    throw new IllegalStateException("Another call has inserted the record.");
                }
                return super.commitWith(step);
            }
        };
    }

    // ---- what is stored ------------------------------------------------------------------------------------------

    static Pending withoutPlan(Pending one) {
        return new Pending(one.key(), one.protocol(), one.token(), one.fingerprint(), Optional.empty(), one.age());
    }

    static Pending withoutFingerprint(Pending one) {
        return new Pending(one.key(), one.protocol(), one.token(), Fingerprint.ofParts(), one.plan(), one.age());
    }

    // ---- keys ----------------------------------------------------------------------------------------------------

    static IdempotencyKey folded(IdempotencyKey key) {
        return IdempotencyKey.inScope(key.scope())
                .operation(key.operation())
                .value(key.value().toLowerCase(Locale.ROOT));
    }

    static IdempotencyKey cut(IdempotencyKey key) {
        int length = Math.min(LONGEST_KEY, key.value().length());
        return IdempotencyKey.inScope(key.scope())
                .operation(key.operation())
                .value(key.value().substring(0, length));
    }

    static IdempotencyKey withoutScope(IdempotencyKey key) {
        return IdempotencyKey.inScope("all").operation(key.operation()).value(key.value());
    }

    /** Confuses keys. */
    static Decoration keys(UnaryOperator<IdempotencyKey> change) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                return real.claim(Records.changed(record, this::changed), retention, lockWait, durability);
            }

            private Pending changed(Pending one) {
                return new Pending(
                        change.apply(one.key()), one.protocol(), one.token(), one.fingerprint(), one.plan(), one.age());
            }

            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return real.read(change.apply(key));
            }
        });
    }
}
