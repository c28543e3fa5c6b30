package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingRecordSteps;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.ForwardingSteps;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Database exceptions that are classified incorrectly. */
final class WrongFaults {

    private WrongFaults() {}

    static <C, T> T ignoreWarning(
            Session<C> session, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
        List<T> answers = new ArrayList<>();
        try {
            return session.inTransaction((steps, scope) -> {
                answers.add(body.apply(ignoringWarnings(steps), scope));
                return answers.get(0);
            });
        } catch (RuntimeException thrown) {
            if (!answers.isEmpty() && isWarning(thrown)) {
                return answers.get(0);
            }
            throw thrown;
        }
    }

    private static RecordSteps ignoringWarnings(RecordSteps steps) {
        return new ForwardingRecordSteps(steps) {
            @Override
            public LastStep.Result commitWith(LastStep step) {
                try {
                    return super.commitWith(step);
                } catch (RuntimeException thrown) {
                    if (isWarning(thrown)) {
                        return LastStep.Result.DONE;
                    }
                    throw thrown;
                }
            }
        };
    }

    private static boolean isWarning(Throwable thrown) {
        Throwable at = thrown;
        while (at != null && !(at instanceof SQLWarning)) {
            at = at.getCause();
        }
        return at != null;
    }

    /** A commit whose reply is lost counts as failed, and the row count of the failure's mark is ignored. */
    static final class UnknownCommitFails<C> extends InterceptingStore<C> {

        @SuppressWarnings("ThreadLocalUsage") // One for each store, so that no store sees what another has left.
        private final ThreadLocal<@Nullable Throwable> atCommit = new ThreadLocal<>();

        UnknownCommitFails(IdempotencyStore<C> store) {
            super(store);
        }

        @Override
        protected Session<C> decorate(Session<C> real) {
            return new InterceptingSession(real) {
                @Override
                public <T> T inTransaction(BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
                    boolean[] returned = {false};
                    try {
                        return super.<T>inTransaction((steps, scope) -> {
                            T answer = body.apply(steps, scope);
                            returned[0] = true;
                            return answer;
                        });
                    } catch (RuntimeException thrown) {
                        if (returned[0] || session.commitMayBeSent()) {
                            atCommit.set(thrown);
                        }
                        throw thrown;
                    }
                }
            };
        }

        @Override
        public Fault classify(Throwable thrown) {
            return thrown == atCommit.get() ? Fault.STATEMENT_REFUSED : super.classify(thrown);
        }

        @Override
        protected RecordSteps steps(RecordSteps steps, Session<C> session) {
            return new ForwardingSteps(steps) {
                @Override
                public boolean fail(IdempotencyKey key, UUID token, Failure failure) {
                    boolean changed = real.fail(key, token, failure);
                    boolean unknown = atCommit.get() != null;
                    atCommit.remove();
                    return changed || unknown;
                }
            };
        }
    }
}
