package io.counterpoint.idempotency.jdbc.guide;

import com.zaxxer.hikari.SQLExceptionOverride;
import io.counterpoint.idempotency.Idempotency;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.NullUnmarked;

/** What the snippets of the section on high availability take for granted: each is compiled in a subclass of this. */
@NullUnmarked
public abstract class HighAvailabilityContext {

    protected String url;
    protected Idempotency<Handle> idempotency;

    /** A snippet of its own shows what it does. */
    public static final class ReadOnlyEviction implements SQLExceptionOverride {}
}
