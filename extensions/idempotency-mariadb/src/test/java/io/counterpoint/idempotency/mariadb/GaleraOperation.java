package io.counterpoint.idempotency.mariadb;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.mariadb.GaleraAnswer.Kind;
import io.counterpoint.idempotency.mariadb.GaleraEffects.Effect;
import io.counterpoint.idempotency.mariadb.GaleraWork.Interrupted;
import io.counterpoint.idempotency.mariadb.GaleraWork.Refused;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.UUID;
import org.jdbi.v3.core.Handle;

/** The operation of a mode over one store. */
final class GaleraOperation {

    private static final Duration SETTLE_WITHIN = Duration.ofSeconds(10);
    private static final Duration TO_WAIT = Duration.ofSeconds(1);
    private static final Duration TO_WAIT_FOR_ANOTHER_SYSTEM = Duration.ofMillis(200);

    private final GaleraMode mode;
    private final GaleraEffects effects;
    private final Call call;

    GaleraOperation(GaleraMode mode, IdempotencyStore<Handle> store, GaleraEffects effects) {
        this.mode = mode;
        this.effects = effects;
        this.call = mode.isExternal() ? external(store) : inDatabase(store);
    }

    private interface Call {
        Outcome<String> answer(Attempt attempt, String key, String name, GaleraWork work);
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
        if (mode != GaleraMode.RECORD_LAST) {
            builder.releaseOn(GaleraOperation::releases);
        }
        Operation<Handle, String> operation = switch (mode) {
            case CLAIM_FIRST ->
                builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, GaleraMode.GRACE)
                        .build();
            case CLAIM_FIRST_PLANNED ->
                builder.whenAbandoned(Operation.Abandoned.FAIL, GaleraMode.GRACE)
                        .build();
            case RECORD_LAST -> builder.protocol(Operation.Protocol.RECORD_LAST).build();
            default -> builder.protocol(Operation.Protocol.SINGLE_TRANSACTION).build();
        };
        if (mode.plans()) {
            return (attempt, key, name, work) ->
                    operation.executePlanned(attempt, () -> UUID.randomUUID().toString(), (handle, plan) -> {
                        effects.add(handle, new Effect(key, name, plan));
                        work.afterTheEffect(handle, effects.countRun(key));
                    });
        }
        return (attempt, key, name, work) -> operation.execute(attempt, handle -> {
            String result = UUID.randomUUID().toString();
            effects.add(handle, new Effect(key, name, result));
            work.afterTheEffect(handle, effects.countRun(key));
            return result;
        });
    }

    private Call external(IdempotencyStore<Handle> store) {
        ExternalOperation<String> operation = Idempotency.on(store)
                .external(
                        mode.name(),
                        ResultCodec.string(),
                        attempt -> effects.findOutside(attempt.key().value()))
                .settleWithin(SETTLE_WITHIN)
                .waitAtMost(TO_WAIT_FOR_ANOTHER_SYSTEM)
                .releaseOn(GaleraOperation::releases)
                .noEffectWhen(Refused.class::isInstance)
                .build();
        if (mode.plans()) {
            return (attempt, key, name, work) -> operation.executePlanned(
                    attempt,
                    () -> UUID.randomUUID().toString(),
                    (unused, plan) -> addOutside(new Effect(key, name, plan), work));
        }
        return (attempt, key, name, work) -> operation.execute(attempt, unused -> {
            String result = UUID.randomUUID().toString();
            addOutside(new Effect(key, name, result), work);
            return result;
        });
    }

    private void addOutside(Effect effect, GaleraWork work) {
        work.beforeTheEffectOutside();
        effects.addOutside(effect);
        work.afterTheEffectOutside();
    }

    /** One call. Its work leaves a row with the name of the call and its result. */
    GaleraAnswer ask(String key, int number) {
        String name = UUID.randomUUID().toString();
        Attempt attempt = Attempt.in("user:1").key(key).request("request");
        try {
            Outcome<String> outcome = call.answer(attempt, key, name, new GaleraWork(number, name));
            return outcome.fold(
                    completed -> new GaleraAnswer(name, Kind.RESULT, completed.result()),
                    inProgress -> new GaleraAnswer(name, Kind.IN_PROGRESS, ""),
                    rejected -> new GaleraAnswer(name, Kind.FAILURE, ""),
                    keyReused -> new GaleraAnswer(name, Kind.FAILURE, "key reused"));
        } catch (Refused refused) {
            return new GaleraAnswer(
                    name, refused.releases() && mode != GaleraMode.RECORD_LAST ? Kind.RELEASED : Kind.FAILURE, "");
        } catch (IdempotencyException unknown) {
            return new GaleraAnswer(name, Kind.UNKNOWN, String.valueOf(unknown.getMessage()));
        } catch (RuntimeException failed) {
            // What the last run of the work met. It was recorded as a failure, except where the record comes last.
            return new GaleraAnswer(name, mode == GaleraMode.RECORD_LAST ? Kind.RELEASED : Kind.FAILURE, "");
        }
    }
}
