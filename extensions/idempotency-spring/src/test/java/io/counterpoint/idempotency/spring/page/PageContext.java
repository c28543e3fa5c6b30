package io.counterpoint.idempotency.spring.page;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.spring.SpringIdempotencyStore;
import jakarta.persistence.EntityManagerFactory;
import java.util.UUID;
import javax.sql.DataSource;

/** What the page's snippets take for granted: each is compiled in a subclass of this. */
public abstract class PageContext {

    protected DataSource dataSource;
    protected EntityManagerFactory entityManagerFactory;
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
