package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import java.lang.reflect.Field;
import java.util.List;
import java.util.UUID;

/** Makes a process take the tokens of others for those of its own calls without an answer. */
public final class ForeignTokens {

    private ForeignTokens() {}

    /** Puts tokens into the memory of a process, in place of what it remembers of that key. */
    public static void remember(Idempotency<?> process, IdempotencyKey key, List<UUID> tokens) {
        try {
            Field field = Idempotency.class.getDeclaredField("environment");
            field.setAccessible(true);
            UnfinishedAttempts memory = ((Environment<?>) field.get(process)).unfinished();
            memory.forget(key);
            tokens.forEach(token -> memory.remember(key, new Tokens.Range(token, 1)));
        } catch (ReflectiveOperationException renamed) {
            throw new IllegalStateException(renamed);
        }
    }
}
