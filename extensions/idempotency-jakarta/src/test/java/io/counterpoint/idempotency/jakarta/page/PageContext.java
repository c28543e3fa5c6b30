package io.counterpoint.idempotency.jakarta.page;

import java.util.UUID;

/** What the page's snippets take for granted: each is compiled in a subclass of this. */
public abstract class PageContext {

    protected Orders orders;

    /** A repository. */
    public interface Orders {
        UUID insert(String item);
    }
}
