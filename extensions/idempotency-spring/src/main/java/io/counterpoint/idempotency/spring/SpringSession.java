package io.counterpoint.idempotency.spring;

import io.counterpoint.idempotency.spi.ForwardingStore.ForwardingSession;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import java.sql.Connection;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A session whose transactions Spring joins where somebody asks for the handle. */
final class SpringSession extends ForwardingSession<Connection> {

    private final Function<? super Connection, JoinedTransaction> join;
    private @Nullable SpringScope latest;

    SpringSession(Session<Connection> session, Function<? super Connection, JoinedTransaction> join) {
        super(session);
        this.join = join;
    }

    @Override
    public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<Connection>, ? extends T> body) {
        boolean[] refused = new boolean[1];
        try {
            T answer = super.inTransaction((steps, scope) -> {
                SpringScope joined = new SpringScope(scope, join);
                latest = joined;
                JoinedSteps joinedSteps = new JoinedSteps(steps, joined);
                T made = body.apply(joinedSteps, joined);
                joined.bodyReturned();
                refused[0] = joinedSteps.isRefused();
                return made;
            });
            endUnlessAnnounced(refused[0] ? WorkScope.End.ROLLED_BACK : WorkScope.End.COMMITTED);
            return answer;
        } catch (RuntimeException | Error thrown) {
            boolean inDoubt = super.commitMayBeSent() || (latest != null && latest.hasBodyReturned());
            endUnlessAnnounced(inDoubt ? WorkScope.End.UNKNOWN : WorkScope.End.ROLLED_BACK);
            throw thrown;
        }
    }

    /** A caller that has asked for the handle only does not tell of the end. */
    private void endUnlessAnnounced(WorkScope.End end) {
        if (latest != null && !latest.isAnnounced()) {
            latest.afterEnd(end);
        }
    }

    /** Nothing may stay bound to this thread, whatever the caller forgot. */
    @Override
    public void close() {
        try {
            if (latest != null) {
                latest.abandon();
            }
        } finally {
            super.close();
        }
    }
}
