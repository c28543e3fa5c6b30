package io.counterpoint.idempotency.jackson.page;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.math.BigDecimal;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import javax.crypto.SecretKey;
import org.jspecify.annotations.NullUnmarked;

/** What the page's snippets take for granted: each is compiled in a subclass of this. */
@NullUnmarked
public abstract class JsonPageContext {

    protected Idempotency<InMemoryIdempotencyStore.Transaction> idempotency;
    protected SecretKey secretKey;

    protected record Receipt(UUID id, BigDecimal total, Optional<String> note) {}

    protected interface Pay {
        List<Receipt> all();
    }
}
