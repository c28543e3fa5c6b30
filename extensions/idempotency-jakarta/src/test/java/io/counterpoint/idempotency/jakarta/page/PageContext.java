package io.counterpoint.idempotency.jakarta.page;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ResultCodec;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.UUID;
import javax.sql.DataSource;

/** What the page's snippets take for granted: each is compiled in a subclass of this. */
public abstract class PageContext {

    protected TransactionManager transactionManager;
    protected TransactionSynchronizationRegistry registry;
    protected DataSource dataSource;
    protected Context entityManager;
    protected Attempt attempt;
    protected Orders orders;
    protected String request;
    protected ResultCodec<UUID> codec;

    /** An entity manager. */
    public interface Context {
        void flush();
    }

    /** A service. */
    public interface Orders {
        UUID place(String request);
    }
}
