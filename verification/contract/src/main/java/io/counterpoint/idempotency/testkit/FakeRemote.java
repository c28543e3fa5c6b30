package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.ExternalOperation.Unresolved;
import io.counterpoint.idempotency.IdempotencyKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The other side of an external operation: keeps effects under the hash of their key, and can be out of reach. */
final class FakeRemote {

    private final List<Effect> effects = new CopyOnWriteArrayList<>();
    private final AtomicInteger lookUps = new AtomicInteger();
    private volatile @Nullable Exception outOfReach;

    private record Effect(String hash, String name) {}

    void add(IdempotencyKey key, String name) {
        effects.add(new Effect(key.hash(), name));
    }

    /** What was done is undone. */
    void takeBack() {
        effects.clear();
    }

    /** An honest lookup. */
    Optional<String> find(Unresolved<String> attempt) throws Exception {
        lookUps.incrementAndGet();
        Exception thrown = outOfReach;
        if (thrown != null) {
            throw thrown;
        }
        String hash = attempt.key().hash();
        return effects.stream()
                .filter(effect -> effect.hash().equals(hash))
                .map(Effect::name)
                .findFirst();
    }

    /** Lets lookups throw this; null for no longer. */
    void outOfReach(@Nullable Exception thrown) {
        outOfReach = thrown;
    }

    int lookUps() {
        return lookUps.get();
    }

    List<String> names() {
        return effects.stream().map(Effect::name).toList();
    }
}
