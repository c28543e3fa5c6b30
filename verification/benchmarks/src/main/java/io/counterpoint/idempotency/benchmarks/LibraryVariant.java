package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.sql.Connection;
import java.util.UUID;
import java.util.function.Function;

/** Calls of this library on one store. Each operation has its own name, so no two variants share a key. */
final class LibraryVariant {

    static final String SCOPE = "user:1";

    static final ResultCodec<UUID> CODEC = ResultCodec.text(UUID::toString, UUID::fromString);

    private final Idempotency<Connection> idempotency;

    /** The work gets the bare connection, as in all other variants. */
    LibraryVariant(IdempotencyStore<Connection> store) {
        this.idempotency = Idempotency.on(store);
    }

    static Attempt attempt(String key) {
        return Attempt.inScope(SCOPE).key(key).request(Domain.GROUP_NAME);
    }

    Operation.Builder<Connection, UUID> operation(String name) {
        return idempotency.operation(name, CODEC);
    }

    /** Calls an operation whose result is known before the work. */
    Action planned(String name, Operation.Protocol protocol) {
        PlannedOperation<Connection, UUID> operation =
                operation(name).protocol(protocol).planned().build();
        return key -> answer(operation.execute(attempt(key), Domain::newGroupId, Domain::createGroup));
    }

    Action unplanned(String name, Operation.Protocol protocol) {
        return unplanned(operation(name).protocol(protocol).build(), LibraryVariant::attempt);
    }

    /** Uses the default protocol. */
    Action unplanned(String name) {
        return unplanned(operation(name).build(), LibraryVariant::attempt);
    }

    /** An external effect that costs nothing, with or without a follow-up. */
    Action external(String name, boolean followsUp) {
        ExternalOperation.Builder<Connection, UUID> builder =
                idempotency.external(name, CODEC, unresolved -> Lookup.notYet());
        if (followsUp) {
            builder.then((connection, key, id) -> Domain.createGroup(connection, id));
        }
        ExternalOperation<UUID> operation = builder.build();
        return key -> answer(operation.execute(attempt(key), unused -> Domain.newGroupId()));
    }

    /** For keys that contain more than the key itself. */
    static Action unplanned(Operation<Connection, UUID> operation, Function<String, Attempt> attempts) {
        return key -> answer(operation.execute(attempts.apply(key), connection -> {
            UUID id = Domain.newGroupId();
            Domain.createGroup(connection, id);
            return id;
        }));
    }

    static Answer answer(Outcome<UUID> outcome) {
        return outcome.fold(
                completed -> completed.isReplay() ? Answer.REPLAYED : Answer.EXECUTED,
                inProgress -> Answer.IN_PROGRESS,
                rejected -> {
                    throw new IllegalStateException("rejected: " + rejected);
                },
                keyReused -> {
                    throw new IllegalStateException("reused: " + keyReused);
                });
    }
}
