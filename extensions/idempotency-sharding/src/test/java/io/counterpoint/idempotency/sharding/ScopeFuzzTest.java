package io.counterpoint.idempotency.sharding;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scopes and answers about them, made from a seed: {@code -Dfuzz.seed=7} makes others. Scopes move between calls. */
class ScopeFuzzTest {

    private static final long SEED = Long.getLong("fuzz.seed", 20260103L);
    private static final int CALLS = 1_500;
    private static final List<String> SCOPES =
            List.of("user:1", "user:2", "moved:user:1", "USER:1", "';--", "Ω/é", "\ud83e\udee0", "x".repeat(255), "%");
    private static final List<String> REFUSED =
            List.of("", " ", "user: 1", "user:1\n", "\0", "\ud83e", "\u200b", "x".repeat(256));

    private final Random random = new Random(SEED);
    private final Map<String, String> homes = new HashMap<>();
    private int call;

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** Where it is, or any answer that is none. */
    private @Nullable ScopeLocation location(String scope) {
        return switch (random.nextInt(12)) {
            case 0 -> ScopeLocation.moving();
            case 1 -> ScopeLocation.unknown();
            case 2 -> ScopeLocation.on(oneOf(List.of("", "north", "EAST", "east ", "\0")));
            case 3 -> null;
            case 4 -> throw new IllegalStateException("The directory is down.");
            default -> ScopeLocation.on(homes.computeIfAbsent(scope, it -> oneOf(List.of("east", "west"))));
        };
    }

    private static Shard shard() {
        return Shard.on("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1")
                .prepared();
    }

    @Test
    void eachKeyOfAScopeHasOneEffectOrARefusal() {
        try (Shard east = shard();
                Shard west = shard()) {
            Map<String, Shard> shards = Map.of("east", east, "west", west);
            Operation<Handle, String> pay = Idempotency.on(ShardedIdempotencyStore.<Handle>byScope(
                            Shards.of(Map.of("east", east.store(), "west", west.store())), this::location))
                    .operation("pay", ResultCodec.string())
                    .build();
            Map<String, String> answers = new HashMap<>();
            for (call = 0; call < CALLS; call++) {
                if (random.nextInt(20) == 0) {
                    move(oneOf(SCOPES), shards);
                }
                pay(pay, oneOf(random.nextInt(10) == 0 ? REFUSED : SCOPES), "k" + random.nextInt(20), answers);
            }
            assertThat(answers).hasSizeGreaterThan(SCOPES.size());
            List<String> found = new ArrayList<>(east.effects());
            found.addAll(west.effects());
            assertThat(found).as(where()).containsExactlyInAnyOrderElementsOf(answers.keySet());
        }
    }

    private void pay(Operation<Handle, String> pay, String scope, String key, Map<String, String> answers) {
        String id = scope.hashCode() + "/" + key;
        String answer = id + " of call " + call;
        try {
            Outcome<String> outcome =
                    pay.execute(Attempt.inScope(scope).key(key).request("r"), handle -> {
                        handle.execute("INSERT INTO effect (id) VALUES (?)", id);
                        return answer;
                    });
            assertThat(SCOPES).as(where()).contains(scope);
            assertThat(outcome.isReplay()).as(where()).isEqualTo(answers.containsKey(id));
            assertThat(outcome.orElseThrow()).as(where()).isEqualTo(answers.computeIfAbsent(id, it -> answer));
        } catch (NotStartedException | UnknownScopeException refused) {
            assertThat(SCOPES).as(where()).contains(scope);
        } catch (InvalidKeyException refused) {
            assertThat(REFUSED).as(where()).contains(scope);
        }
    }

    /** The records of a scope go to the other shard, and then its location does. */
    private void move(String scope, Map<String, Shard> shards) {
        String home = homes.get(scope);
        if (home == null) {
            return;
        }
        String other = home.equals("east") ? "west" : "east";
        shards.get(home).jdbi().useTransaction(from -> {
            List<Map<String, Object>> rows = from.createQuery("SELECT * FROM idempotency_record WHERE scope = ?")
                    .bind(0, scope)
                    .mapToMap()
                    .list();
            shards.get(other)
                    .jdbi()
                    .useTransaction(to -> rows.forEach(row -> to.execute(
                            "INSERT INTO idempotency_record (" + String.join(", ", row.keySet()) + ") VALUES (?"
                                    + ", ?".repeat(row.size() - 1) + ")",
                            row.values().toArray())));
            from.execute("DELETE FROM idempotency_record WHERE scope = ?", scope);
        });
        homes.put(scope, other);
    }

    private String where() {
        return "seed " + SEED + ", call " + call;
    }
}
