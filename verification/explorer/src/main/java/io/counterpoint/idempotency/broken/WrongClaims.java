package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Claims of the wrong key, of the wrong record, or with the wrong answer. */
final class WrongClaims {

    /** The age at which a leader is taken for dead. */
    private static final Duration GRACE = Duration.ofMillis(300);

    private static final int LONGEST_KEY = 200;

    private WrongClaims() {}

    /** How a claim is made instead. */
    private interface Claim {
        Optional<IdempotencyRecord> make(
                RecordSteps real,
                IdempotencyRecord record,
                Duration retention,
                Duration lockWait,
                Durability durability);
    }

    private static RecordSteps claiming(RecordSteps steps, Claim instead) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                return instead.make(real, record, retention, lockWait, durability);
            }
        };
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    static RecordSteps overwritesPending(RecordSteps steps) {
        return claiming(steps, (real, record, retention, lockWait, durability) -> {
            Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
            return claim.isPresent() && real.release(record.key(), claim.get().token())
                    ? real.claim(record, retention, lockWait, durability)
                    : claim;
        });
    }

    static RecordSteps leadsAgainAfterAFailure(RecordSteps steps) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) ->
                        real.claim(record, retention, lockWait, durability).filter(found -> !Records.isFailed(found)));
    }

    static RecordSteps alwaysLeads(RecordSteps steps) {
        return claiming(steps, (real, record, retention, lockWait, durability) -> {
            Optional<IdempotencyRecord> unused = real.claim(record, retention, lockWait, durability);
            return Optional.empty();
        });
    }

    static RecordSteps takesOver(RecordSteps steps) {
        return claiming(steps, (real, record, retention, lockWait, durability) -> {
            Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
            return claim.isPresent()
                            && Records.isPendingForLongerThan(GRACE, claim.get())
                            && real.replaceToken(record.key(), claim.get().token(), record.token())
                    ? Optional.empty()
                    : claim;
        });
    }

    static RecordSteps failsWhatIsPending(RecordSteps steps) {
        return claiming(steps, (real, record, retention, lockWait, durability) -> {
            Optional<IdempotencyRecord> claim = real.claim(record, retention, lockWait, durability);
            if (claim.isPresent() && Records.isPending(claim.get())) {
                UUID token = claim.get().token();
                boolean unused = real.fail(record.key(), token, new Failure("absent", ""));
                return real.read(record.key()).or(() -> claim);
            }
            return claim;
        });
    }

    static RecordSteps insertsNoFailure(RecordSteps steps) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) -> Records.isFailed(record)
                        ? Optional.empty()
                        : real.claim(record, retention, lockWait, durability));
    }

    // ---- inserts with the commit ---------------------------------------------------------------------------------

    static RecordSteps leavesTheRecordOut(RecordSteps steps) {
        return inserting(
                steps,
                (real, insert) -> real.commitWith(
                        real.read(insert.record().key()).isEmpty()
                                ? insert
                                : new LastStep.RequireNotEnded(insert.record().key())));
    }

    /** The work is committed all the same. */
    static RecordSteps insertsIfAtOnce(RecordSteps steps) {
        return inserting(steps, (real, insert) -> {
            IdempotencyRecord record = insert.record();
            try {
                Optional<IdempotencyRecord> unused =
                        real.claim(record, insert.retention(), Duration.ofNanos(1), Durability.DURABLE);
            } catch (RuntimeException refused) {
                // Nobody hears of it.
            }
            return real.commitWith(new LastStep.RequireNotEnded(record.key()));
        });
    }

    /** The commit follows at the end of the body. */
    static RecordSteps insertsIntoAnyTransaction(RecordSteps steps) {
        return inserting(
                steps,
                (real, insert) -> real.claim(insert.record(), insert.retention(), insert.lockWait(), Durability.DURABLE)
                                .isEmpty()
                        ? LastStep.Result.DONE
                        : LastStep.Result.NOT_MINE);
    }

    /** What is claimed is inserted after the work. */
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

    private static RecordSteps inserting(
            RecordSteps steps, BiFunction<RecordSteps, LastStep.Insert, LastStep.Result> instead) {
        return new ForwardingSteps(steps) {
            @Override
            public LastStep.Result commitWith(LastStep step) {
                return step instanceof LastStep.Insert insert ? instead.apply(real, insert) : super.commitWith(step);
            }
        };
    }

    // ---- waits and durability ------------------------------------------------------------------------------------

    static RecordSteps checksAndThenClaims(RecordSteps steps) {
        return claiming(steps, (real, record, retention, lockWait, durability) -> {
            try {
                return real.claim(record, retention, Duration.ofNanos(1), durability);
            } catch (RuntimeException locked) {
                return Optional.empty();
            }
        });
    }

    static RecordSteps doesNotWait(RecordSteps steps) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) ->
                        real.claim(record, retention, Duration.ofNanos(1), durability));
    }

    static RecordSteps waitsBehindAMark(RecordSteps steps) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) -> real.lock(record.key(), lockWait)
                        .or(() -> real.claim(record, retention, lockWait, durability)));
    }

    static RecordSteps asynchronous(RecordSteps steps) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) ->
                        real.claim(record, retention, lockWait, Durability.ASYNCHRONOUS));
    }

    static RecordSteps forgetsTheRetention(RecordSteps steps) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) ->
                        real.claim(record, Duration.ofNanos(1), lockWait, durability));
    }

    // ---- what is stored ------------------------------------------------------------------------------------------

    private static RecordSteps storing(RecordSteps steps, UnaryOperator<Pending> change) {
        return claiming(
                steps,
                (real, record, retention, lockWait, durability) ->
                        real.claim(Records.changed(record, change), retention, lockWait, durability));
    }

    static RecordSteps forgetsThePlan(RecordSteps steps) {
        return storing(
                steps,
                pending -> new Pending(
                        pending.key(),
                        pending.protocol(),
                        pending.token(),
                        pending.fingerprint(),
                        Optional.empty(),
                        pending.age()));
    }

    static RecordSteps forgetsTheProtocol(RecordSteps steps) {
        return storing(steps, pending -> Records.withProtocol(pending, Protocol.CLAIM_FIRST));
    }

    static RecordSteps forgetsTheFingerprint(RecordSteps steps) {
        return storing(
                steps,
                pending -> new Pending(
                        pending.key(),
                        pending.protocol(),
                        pending.token(),
                        Fingerprint.ofParts(),
                        pending.plan(),
                        pending.age()));
    }

    // ---- keys ----------------------------------------------------------------------------------------------------

    static RecordSteps foldsKeys(RecordSteps steps) {
        return keyed(
                steps,
                key -> new IdempotencyKey(
                        key.scope(), key.operation(), key.value().toLowerCase(Locale.ROOT)));
    }

    static RecordSteps cutsKeys(RecordSteps steps) {
        return keyed(
                steps,
                key -> new IdempotencyKey(
                        key.scope(),
                        key.operation(),
                        key.value()
                                .substring(0, Math.min(LONGEST_KEY, key.value().length()))));
    }

    static RecordSteps forgetsTheScope(RecordSteps steps) {
        return keyed(steps, key -> new IdempotencyKey("all", key.operation(), key.value()));
    }

    /** Takes one key for another. */
    private static RecordSteps keyed(RecordSteps steps, UnaryOperator<IdempotencyKey> change) {
        RecordSteps storing = storing(
                steps,
                pending -> new Pending(
                        change.apply(pending.key()),
                        pending.protocol(),
                        pending.token(),
                        pending.fingerprint(),
                        pending.plan(),
                        pending.age()));
        return new ForwardingSteps(storing) {
            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return real.read(change.apply(key));
            }
        };
    }
}
