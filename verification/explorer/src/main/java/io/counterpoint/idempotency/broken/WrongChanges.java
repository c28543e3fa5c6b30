package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import java.util.Optional;
import java.util.UUID;

/** Compare-and-sets that do not compare, or set something else. */
final class WrongChanges {

    private static final UUID NONE = new UUID(0, 0);

    private WrongChanges() {}

    // ---- tokens --------------------------------------------------------------------------------------------------

    static RecordSteps takeOverOfAnyToken(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                return real.replaceToken(key, tokenOf(key, token), fresh);
            }
        };
    }

    static RecordSteps noHeartbeat(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean replaceToken(IdempotencyKey key, UUID token, UUID fresh) {
                return token.equals(fresh) ? tokenOf(key, NONE).equals(token) : real.replaceToken(key, token, fresh);
            }
        };
    }

    static RecordSteps releaseOfAnyToken(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean release(IdempotencyKey key, UUID token) {
                return real.release(key, tokenOf(key, token));
            }
        };
    }

    // ---- failures ------------------------------------------------------------------------------------------------

    static RecordSteps failureOfAnyToken(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                return real.fail(key, tokenOf(key, token), failure);
            }
        };
    }

    static RecordSteps failureIsAlwaysReported(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                boolean unused = real.fail(key, token, failure);
                return true;
            }
        };
    }

    static RecordSteps failureIsNotWritten(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                return true;
            }
        };
    }

    static RecordSteps failureRemovesTheRecord(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                return real.release(key, token);
            }
        };
    }

    static RecordSteps failureWithoutItsMessage(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                return real.fail(key, token, new Failure(failure.code(), ""));
            }
        };
    }

    // ---- successes -----------------------------------------------------------------------------------------------

    static RecordSteps successOfAnyToken(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                return real.succeed(key, tokenOf(key, token), result);
            }
        };
    }

    static RecordSteps successForgetsThePlan(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                return real.succeed(key, token, result.or(() -> Optional.of(Payload.of(new byte[0]))));
            }
        };
    }

    static RecordSteps successDropsAnEmptyResult(RecordSteps steps) {
        return new ForwardingSteps(steps) {
            @Override
            public boolean succeed(IdempotencyKey key, UUID token, Optional<Payload> result) {
                return real.succeed(key, token, result.filter(payload -> payload.toBytes().length > 0));
            }
        };
    }
}
