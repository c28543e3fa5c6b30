package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.mariadb.StormAnswer.Kind;
import io.counterpoint.idempotency.mariadb.StormEffects.Effect;
import io.counterpoint.idempotency.mariadb.StormWork.Interrupted;
import io.counterpoint.idempotency.mariadb.StormWork.Refused;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** The operation of a mode over one store. */
final class StormOperation {

    private static final Duration SETTLE_WITHIN = Duration.ofSeconds(10);
    private static final Duration TO_WAIT = Duration.ofSeconds(1);
    private static final Duration TO_WAIT_FOR_ANOTHER_SYSTEM = Duration.ofMillis(200);

    private final StormMode mode;
    private final StormEffects effects;
    private final Call call;

    StormOperation(StormMode mode, IdempotencyStore<Handle> store, StormEffects effects) {
        this.mode = mode;
        this.effects = effects;
        this.call = mode.isExternal() ? external(store) : inDatabase(store);
    }

    private interface Call {
        Outcome<String> answer(Attempt attempt, String key, String name, StormWork work);
    }

    private static boolean releases(Throwable thrown) {
        return thrown instanceof Refused refused && refused.releases();
    }

    private Call inDatabase(IdempotencyStore<Handle> store) {
        Operation.Builder<Handle, String> builder = Idempotency.on(store)
                .operation(mode.name(), ResultCodec.string())
                .settleWithin(SETTLE_WITHIN)
                .waitAtMost(TO_WAIT)
                .retryOn(Interrupted.class::isInstance);
        if (mode != StormMode.RECORD_LAST) {
            builder.releaseOn(StormOperation::releases);
        }
        switch (mode) {
            case CLAIM_FIRST -> builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, StormMode.GRACE);
            case CLAIM_FIRST_PLANNED -> builder.whenAbandoned(Operation.Abandoned.FAIL, StormMode.GRACE);
            case RECORD_LAST -> builder.protocol(Operation.Protocol.RECORD_LAST);
            default -> builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        }
        if (mode.plans()) {
            PlannedOperation<Handle, String> planned = builder.planned().build();
            return (attempt, key, name, work) ->
                    planned.execute(attempt, () -> UUID.randomUUID().toString(), (handle, plan) -> {
                        effects.add(handle, new Effect(key, name, plan));
                        work.afterTheEffect(handle, effects.countRun(key));
                    });
        }
        Operation<Handle, String> operation = builder.build();
        return (attempt, key, name, work) -> operation.execute(attempt, handle -> {
            String result = UUID.randomUUID().toString();
            effects.add(handle, new Effect(key, name, result));
            work.afterTheEffect(handle, effects.countRun(key));
            return result;
        });
    }

    private Call external(IdempotencyStore<Handle> store) {
        ExternalOperation.Builder<Handle, String> builder = Idempotency.on(store)
                .external(
                        mode.name(),
                        ResultCodec.string(),
                        attempt -> Lookup.of(effects.findOutside(attempt.key().value())))
                .settleWithin(SETTLE_WITHIN)
                .waitAtMost(TO_WAIT_FOR_ANOTHER_SYSTEM)
                .releaseWhenNoEffect(StormOperation::releases)
                .noEffectWhen(Refused.class::isInstance);
        if (mode.plans()) {
            PlannedExternalOperation<String> planned = builder.planned().build();
            return (attempt, key, name, work) -> planned.execute(
                    attempt,
                    () -> UUID.randomUUID().toString(),
                    (unused, plan) -> addOutside(new Effect(key, name, plan), work));
        }
        ExternalOperation<String> operation = builder.build();
        return (attempt, key, name, work) -> operation.execute(attempt, unused -> {
            String result = UUID.randomUUID().toString();
            addOutside(new Effect(key, name, result), work);
            return result;
        });
    }

    private void addOutside(Effect effect, StormWork work) {
        work.beforeTheEffectOutside();
        effects.addOutside(effect);
        work.afterTheEffectOutside();
    }

    /** One call. Its work leaves a row with the name of the call and its result. */
    StormAnswer ask(String key, int number) {
        String name = UUID.randomUUID().toString();
        Attempt attempt = Attempt.inScope("user:1").key(key).request("request");
        try {
            Outcome<String> outcome = call.answer(attempt, key, name, new StormWork(number, name));
            return outcome.fold(
                    completed -> new StormAnswer(name, Kind.RESULT, completed.result()),
                    inProgress -> new StormAnswer(name, Kind.IN_PROGRESS, ""),
                    rejected -> new StormAnswer(name, Kind.FAILURE, ""),
                    keyReused -> new StormAnswer(name, Kind.FAILURE, "key reused"));
        } catch (Refused refused) {
            return new StormAnswer(
                    name, refused.releases() && mode != StormMode.RECORD_LAST ? Kind.RELEASED : Kind.FAILURE, "");
        } catch (IdempotencyException unknown) {
            return new StormAnswer(name, Kind.UNKNOWN, String.valueOf(unknown.getMessage()));
        } catch (RuntimeException failed) {
            // What the last run of the work met. It was recorded as a failure, except where the record comes last.
            return new StormAnswer(name, mode == StormMode.RECORD_LAST ? Kind.RELEASED : Kind.FAILURE, "");
        }
    }
}
