package io.counterpoint.idempotency.upgrades;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * A process of one version: it calls for each key, in an order of its own, and prints each answer. It is compiled against
 * every version, so it uses what all versions have. Arguments: the name of the version, the URL, the seed, the number of
 * keys.
 */
public final class UpgradeWorker {

    private static final int TRIES_OF_EXTERNAL = 3;
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final Duration WAIT = Duration.ofMillis(500);

    private final String version;
    private final Jdbi jdbi;
    private final Operation<Handle, String> claimFirst;
    private final PlannedOperation<Handle, String> plannedClaimFirst;
    private final PlannedOperation<Handle, String> plannedSingleTransaction;
    private final ExternalOperation<String> external;

    private UpgradeWorker(String version, String url) {
        this.version = version;
        this.jdbi = Jdbi.create(url);
        Idempotency<Handle> idempotency =
                Idempotency.on(JdbiIdempotencyStore.on(Jdbi.create(url)).checkTable());
        Operation.Builder<Handle, String> builder = idempotency
                .operation("claim-first", ResultCodec.string())
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, GRACE)
                .waitAtMost(WAIT);
        claimFirst = builder.build();
        plannedClaimFirst = builder.planned().build();
        plannedSingleTransaction = idempotency
                .operation("single-transaction", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .waitAtMost(WAIT)
                .planned()
                .build();
        external = idempotency
                .external(
                        "external",
                        ResultCodec.string(),
                        unresolved -> Lookup.of(effect(unresolved.key().value())))
                .waitAtMost(WAIT)
                .build();
    }

    public static void main(String[] arguments) {
        UpgradeWorker worker = new UpgradeWorker(arguments[0], arguments[1]);
        List<Integer> keys = new ArrayList<>();
        for (int key = 0; key < Integer.parseInt(arguments[3]); key++) {
            keys.add(key);
        }
        Collections.shuffle(keys, new Random(Long.parseLong(arguments[2])));
        for (int key : keys) {
            worker.call(key);
        }
    }

    private void call(int key) {
        for (int tries = 1; ; tries++) {
            try {
                System.out.println("answer " + key + " " + answer(key));
                return;
            } catch (IdempotencyException later) {
                if (!later.isRetryable()) {
                    System.out.println("unexpected " + key + " " + later);
                    return;
                }
                if (key % 4 == 3 && tries == TRIES_OF_EXTERNAL) {
                    System.out.println("pending " + key);
                    return;
                }
            } catch (RuntimeException thrown) {
                System.out.println("unexpected " + key + " " + thrown);
                return;
            }
        }
    }

    private String answer(int key) {
        String name = "key-" + key;
        Attempt attempt = Attempt.inScope("user:" + key % 7).key(name).request("amount", key, true);
        String fresh = version + ":" + UUID.randomUUID();
        return switch (key % 4) {
            case 0 ->
                claimFirst
                        .execute(attempt, handle -> {
                            write(handle, name, fresh);
                            return fresh;
                        })
                        .orElseThrow();
            case 1 ->
                plannedClaimFirst
                        .execute(attempt, () -> fresh, (handle, plan) -> write(handle, name, plan))
                        .orElseThrow();
            case 2 ->
                plannedSingleTransaction
                        .execute(attempt, () -> fresh, (handle, plan) -> write(handle, name, plan))
                        .orElseThrow();
            default ->
                external.execute(attempt, unused -> {
                            jdbi.useHandle(handle -> write(handle, name, fresh));
                            return fresh;
                        })
                        .orElseThrow();
        };
    }

    private static void write(Handle handle, String key, String id) {
        handle.execute("INSERT INTO effect (key_value, id) VALUES (?, ?)", key, id);
    }

    private Optional<String> effect(String key) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT id FROM effect WHERE key_value = ?")
                .bind(0, key)
                .mapTo(String.class)
                .findFirst());
    }
}
