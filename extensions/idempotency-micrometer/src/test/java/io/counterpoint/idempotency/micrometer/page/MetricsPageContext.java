package io.counterpoint.idempotency.micrometer.page;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.ScheduledExecutorService;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.NullUnmarked;

/** What the page's snippets take for granted: each is compiled in a subclass of this. */
@NullUnmarked
public abstract class MetricsPageContext {

    protected InMemoryIdempotencyStore store;
    protected MeterRegistry registry;
    protected Attempt attempt;
    protected DataSource dataSource;
    protected ScheduledExecutorService scheduler;
    protected Logger log;
}
