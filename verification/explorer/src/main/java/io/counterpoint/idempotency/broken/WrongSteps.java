package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** Steps of which one kind is replaced. */
final class WrongSteps {

    private WrongSteps() {}

    // ---- claims and reads ----------------------------------------------------------------------------------------

    /** The arguments of a claim. */
    record Claim(
            RecordSteps real, IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {

        Optional<IdempotencyRecord> make() {
            return real.claim(record, retention, lockWait, durability);
        }

        IdempotencyKey key() {
            return record.key();
        }

        Claim of(IdempotencyRecord other) {
            return new Claim(real, other, retention, lockWait, durability);
        }

        Claim keptFor(Duration time) {
            return new Claim(real, record, time, lockWait, durability);
        }

        Claim within(Duration time) {
            return new Claim(real, record, retention, time, durability);
        }

        Claim with(Durability other) {
            return new Claim(real, record, retention, lockWait, other);
        }
    }

    static Decoration claiming(Function<Claim, Optional<IdempotencyRecord>> instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                return instead.apply(new Claim(real, record, retention, lockWait, durability));
            }
        });
    }

    /** Makes claims store something else. */
    static Decoration storing(UnaryOperator<Pending> change) {
        return claiming(
                claim -> claim.of(Records.changed(claim.record(), change)).make());
    }

    static Decoration reading(BiFunction<RecordSteps, IdempotencyKey, Optional<IdempotencyRecord>> instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> read(IdempotencyKey key) {
                return instead.apply(real, key);
            }
        });
    }

    /** Locks a record. */
    interface Lock {

        Optional<IdempotencyRecord> make(RecordSteps real, IdempotencyKey key, Duration lockWait);
    }

    static Decoration locking(Lock instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                return instead.make(real, key, lockWait);
            }
        });
    }

    // ---- compare-and-sets ----------------------------------------------------------------------------------------

    /**
     * Changes a record if it has the given token.
     *
     * @param <V> the type of the new value
     */
    interface Change<V> {

        boolean make(RecordSteps real, IdempotencyKey key, UUID token, V value);
    }

    static Decoration succeeding(Change<Optional<Payload>> instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                return instead.make(real, key, token, result);
            }
        });
    }

    static Decoration failing(Change<Failure> instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                return instead.make(real, key, token, failure);
            }
        });
    }

    /** The value is the new token. */
    static Decoration replacing(Change<UUID> instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                return instead.make(real, key, token, fresh);
            }
        });
    }

    // ---- commits -------------------------------------------------------------------------------------------------

    static Decoration committing(BiFunction<RecordSteps, LastStep, LastStep.Result> instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public LastStep.Result commitWith(LastStep step) {
                return instead.apply(real, step);
            }
        });
    }

    static Decoration inserting(BiFunction<RecordSteps, LastStep.Insert, LastStep.Result> instead) {
        return committing((real, step) -> step instanceof LastStep.Insert insert
                ? instead.apply(real, insert)
                : new ForwardingSteps(real).commitWith(step));
    }

    static Decoration insertingAll(BiFunction<RecordSteps, LastStep.InsertAll, LastStep.Result> instead) {
        return committing((real, step) -> step instanceof LastStep.InsertAll all
                ? instead.apply(real, all)
                : new ForwardingSteps(real).commitWith(step));
    }
}
