package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** External effects whose follow-up is forgotten, denied, repeated, or executed without its record. */
final class WrongFollowUps {

    private WrongFollowUps() {}

    /** Writes what has become known about an effect. */
    interface Known {

        boolean write(
                RecordSteps real,
                IdempotencyKey key,
                UUID token,
                UUID fresh,
                Protocol protocol,
                Optional<Payload> plan);
    }

    static Decoration knowing(Known instead) {
        return Decoration.ofSteps(steps -> new ForwardingSteps(steps) {
            @Override
            public boolean changeProtocol(
                    IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
                return instead.write(real, key, token, fresh, protocol, plan);
            }
        });
    }

    static boolean failInstead(
            RecordSteps real, IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
        return real.fail(key, token, new Failure("follow-up", ""));
    }

    static boolean forgetThatItBroke(
            RecordSteps real, IdempotencyKey key, UUID token, UUID fresh, Protocol protocol, Optional<Payload> plan) {
        return protocol == Protocol.FOLLOW_UP_BROKEN || real.changeProtocol(key, token, fresh, protocol, plan);
    }

    /** The caller's protocol, instead of the record's, determines whether a follow-up is owed. */
    static RecordSteps forgetWhatIsOwed(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public Optional<IdempotencyRecord> claim(
                    IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                Optional<IdempotencyRecord> found = real.claim(record, retention, lockWait, durability);
                return record.protocol() == Protocol.EXTERNAL
                        ? found.map(there ->
                                Records.changed(there, pending -> Records.withProtocol(pending, Protocol.EXTERNAL)))
                        : found;
            }
        };
    }

    /** A record that is gone is treated as if it still existed, and its mark inserts it again. */
    static final class OfNoRecord<C> extends InterceptingStore<C> {

        private @Nullable Pending last;

        OfNoRecord(IdempotencyStore<C> store) {
            super(store);
        }

        @Override
        protected RecordSteps steps(RecordSteps steps, Session<C> session) {
            return new ForwardingSteps(steps) {
                @Override
                public Optional<IdempotencyRecord> claim(
                        IdempotencyRecord record, Duration retention, Duration lockWait, Durability durability) {
                    last = record instanceof Pending pending ? pending : last;
                    return real.claim(record, retention, lockWait, durability);
                }

                @Override
                public Optional<IdempotencyRecord> lock(IdempotencyKey key, Duration lockWait) {
                    Optional<IdempotencyRecord> found = real.lock(key, lockWait);
                    return found.isPresent() ? found : Optional.ofNullable(last);
                }

                @Override
                public LastStep.Result commitWith(LastStep step) {
                    if (step instanceof LastStep.Succeed one && last != null) {
                        Optional<IdempotencyRecord> unused = real.claim(
                                last.succeeded(one.result()),
                                Duration.ofDays(1),
                                Duration.ofSeconds(1),
                                Durability.DURABLE);
                    }
                    return super.commitWith(step);
                }

                @Override
                public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                    return real.succeed(key, token, result)
                            || real.read(key)
                                    .filter(record -> record.token().equals(token))
                                    .isPresent();
                }
            };
        }
    }
}
