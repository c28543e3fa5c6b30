package io.counterpoint.idempotency.spring.page;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.transaction.PlatformTransactionManager;

/** What the page's snippets take for granted: each is compiled in a subclass of this. */
public abstract class PageContext {

    protected PlatformTransactionManager transactionManager;
    protected DataSource dataSource;
    protected SpringIdempotencyStore store;
    protected Attempt attempt;
    protected Payments payments;
    protected Audit audit;
    protected String request;

    /** A service. */
    public interface Payments {
        UUID pay(String request);
    }

    /** Another. */
    public interface Audit {
        void record(String request);
    }
}
