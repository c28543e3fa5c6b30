package io.counterpoint.idempotency.testkit;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Effects in this process's memory that happen on commit. */
public final class MemoryDomain implements Domain<Transaction> {
    private final List<String> effects = new CopyOnWriteArrayList<>();

    @Override
    public void write(Transaction handle, String name) {
        handle.onCommit(() -> effects.add(name));
    }

    @Override
    public boolean isThere(Transaction handle, String name) {
        return effects.contains(name);
    }

    @Override
    public List<String> committed() {
        return List.copyOf(effects);
    }
}
