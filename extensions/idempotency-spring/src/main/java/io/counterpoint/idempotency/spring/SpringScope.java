package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.ForwardingStore.ForwardingScope;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The moments of a transaction, told to Spring. Who asks for the handle first joins Spring to it. */
final class SpringScope extends ForwardingScope<Connection> {

    private final Function<? super Connection, JoinedTransaction> join;
    private @Nullable JoinedTransaction joined;
    private boolean announced;
    private boolean bodyReturned;
    private boolean prepared;

    SpringScope(WorkScope<Connection> scope, Function<? super Connection, JoinedTransaction> join) {
        super(scope);
        this.join = join;
    }

    @Override
    public Connection handle() {
        Connection connection = super.handle();
        if (joined == null) {
            JoinedTransaction transaction = join.apply(connection);
            joined = transaction;
            transaction.begin();
        }
        return connection;
    }

    /** Whether the caller has told of the work, and will tell of the end. */
    boolean isAnnounced() {
        return announced;
    }

    @Override
    public void beforeWork() {
        announced = true;
        super.beforeWork();
        handle();
    }

    @Override
    public void beforeEncoding() {
        super.beforeEncoding();
        if (joined != null) {
            joined.flush();
        }
    }

    @Override
    public void beforeMark() {
        super.beforeMark();
        prepare();
    }

    private void prepare() {
        prepared = true;
        if (joined != null) {
            joined.beforeCommit();
        }
    }

    /** Before the commit, with a last step or without one. */
    void prepareOnce() {
        if (!prepared) {
            prepare();
        }
    }

    /** A body without a last step is about to be committed too. */
    void bodyReturned() {
        prepareOnce();
        bodyReturned = true;
    }

    boolean hasBodyReturned() {
        return bodyReturned;
    }

    @Override
    public void afterEnd(End end) {
        try {
            end(end);
        } finally {
            super.afterEnd(end);
        }
    }

    private void end(End end) {
        JoinedTransaction transaction = joined;
        joined = null;
        if (transaction != null) {
            transaction.ended(end);
        }
    }

    /** Ends what nobody has ended. */
    void abandon() {
        try {
            end(End.UNKNOWN);
        } catch (RuntimeException | Error thrown) {
            JoinedTransaction.log("at the end of a transaction whose end was not told", thrown);
        }
    }
}
