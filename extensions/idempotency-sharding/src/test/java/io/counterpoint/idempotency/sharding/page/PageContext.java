package io.counterpoint.idempotency.sharding.page;

import io.counterpoint.idempotency.sharding.ScopeLocation;
import javax.sql.DataSource;
import org.jspecify.annotations.NullUnmarked;

/** What the snippets of the page on sharding take for granted. */
@NullUnmarked
public class PageContext {

    public DataSource eastPool;
    public DataSource westPool;
    public Directory directory;

    /** Knows the shard of each scope. */
    public interface Directory {
        ScopeLocation locationOf(String scope);
    }
}
