package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Puts one bug in front of a store of any kind. */
interface Decoration {

    <C> IdempotencyStore<C> over(IdempotencyStore<C> store);

    /** Replaces only the store's steps, by means of the steps that do the work. */
    static Decoration ofSteps(UnaryOperator<RecordSteps> wrong) {
        return new OfSteps(wrong);
    }

    /** Classifies exceptions differently. */
    static Decoration classifying(BiFunction<IdempotencyStore<?>, Throwable, Fault> instead) {
        return new OfFaults(instead);
    }

    /** Runs transactions with a body differently. */
    static Decoration transactions(InTransaction instead) {
        return new OfTransactions(instead);
    }

    /** Runs a transaction with a body. */
    interface InTransaction {

        <C, T> T run(Session<C> real, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body);
    }

    /**
     * See {@link #ofSteps}.
     *
     * @param wrong breaks the steps
     */
    record OfSteps(UnaryOperator<RecordSteps> wrong) implements Decoration {

        @Override
        public <C> IdempotencyStore<C> over(IdempotencyStore<C> store) {
            return new InterceptingStore<>(store) {
                @Override
                protected RecordSteps steps(RecordSteps real, Session<C> session) {
                    return wrong.apply(real);
                }
            };
        }
    }

    /**
     * See {@link #classifying}.
     *
     * @param instead gets the real store and the exception
     */
    record OfFaults(BiFunction<IdempotencyStore<?>, Throwable, Fault> instead) implements Decoration {

        @Override
        public <C> IdempotencyStore<C> over(IdempotencyStore<C> store) {
            return new InterceptingStore<>(store) {
                @Override
                public Fault classify(Throwable thrown) {
                    return instead.apply(store, thrown);
                }
            };
        }
    }

    /**
     * See {@link #transactions}.
     *
     * @param instead gets the real session
     */
    record OfTransactions(InTransaction instead) implements Decoration {

        @Override
        public <C> IdempotencyStore<C> over(IdempotencyStore<C> store) {
            return new InterceptingStore<>(store) {
                @Override
                protected Session<C> decorate(Session<C> real) {
                    return new InterceptingSession(real) {
                        @Override
                        public <T> T inTransaction(
                                BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body) {
                            return instead.run(session, body);
                        }
                    };
                }
            };
        }
    }
}
