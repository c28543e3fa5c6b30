package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.ExternalOperation.Unresolved;
import io.counterpoint.idempotency.IdempotencyKey;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The remote side of an external operation. It stores effects under the hash of their key, and can be unreachable. */
final class FakeRemote {

    private final List<Effect> effects = new CopyOnWriteArrayList<>();
    private final AtomicInteger lookUps = new AtomicInteger();
    private volatile @Nullable Exception outOfReach;

    private record Effect(String hash, String name) {}

    void add(IdempotencyKey key, String name) {
        effects.add(new Effect(key.hash(), name));
    }

    /** Undoes everything. */
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

    /** Makes lookups throw this, or succeed again if it is null. */
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
