package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import java.lang.reflect.Field;
import java.util.List;
import java.util.UUID;

/** Makes a process mistake the tokens of others for those of its own calls that ended without a reply. */
public final class ForeignTokens {

    private ForeignTokens() {}

    /** Stores tokens in a process's memory, in place of what it remembers about that key. */
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
