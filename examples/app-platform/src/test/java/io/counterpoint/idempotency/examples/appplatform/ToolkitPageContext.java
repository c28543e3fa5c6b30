package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.consistency.KeyedMutex;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.invalidation.VersionedCache;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.transition.StatusTransitions;
import io.counterpoint.idempotency.consistency.transition.Transition;
import java.time.Clock;
import java.util.Optional;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.NullUnmarked;

/** The context of the snippets on the toolkit's pages: each snippet is compiled in a subclass of this. */
@NullUnmarked
public abstract class ToolkitPageContext {

    protected Jdbi jdbi;
    protected Handle handle;
    protected Idempotency<Handle> idempotency;
    protected Transactions transactions;
    protected KeyedMutex<String> mutex;
    protected Outbox outbox;
    protected Clock clock;
    protected String workspace;
    protected App app;
    protected Apps apps;
    protected VersionedCache<App> cache;
    protected DataSource dataSource;
    protected StatusTransitions<AppStatus> publication;
    protected Artifacts artifacts;
    protected Policies policies;

    protected abstract void log(RuntimeException failure);

    protected abstract int debit(Handle handle, String workspace, int amount);

    protected abstract int debit(Handle handle, String workspace);

    protected abstract void reindex(Handle handle, OutboxEvent event);

    protected abstract OutboxEvent eventOf(Transition<AppStatus> moved);

    /** An app. */
    public interface App {
        String id();

        String json();

        long version();
    }

    /** The apps of the database. */
    public interface Apps {
        Optional<App> find(String id);
    }

    /** The storage for artifacts. */
    public interface Artifacts {
        String store(Object app);
    }

    /** The policies of apps. */
    public interface Policies {
        void insert(Handle handle, Object app);
    }

    /** The states used on the pages. */
    public enum AppStatus {
        DRAFT,
        PUBLISHING,
        PUBLISHED,
        ARCHIVED
    }
}
