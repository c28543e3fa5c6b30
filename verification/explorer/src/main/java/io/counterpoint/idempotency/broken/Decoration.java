package io.counterpoint.idempotency.broken;

import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.RecordSteps;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.WorkScope;
import io.counterpoint.idempotency.testkit.faults.InterceptingStore;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Puts one wrong behaviour in front of a store, whatever its handle. */
interface Decoration {

    <C> IdempotencyStore<C> over(IdempotencyStore<C> store);

    /** The store's steps are wrong, and nothing else: they need to know no more than the steps that do the work. */
    static Decoration ofSteps(UnaryOperator<RecordSteps> wrong) {
        return new OfSteps(wrong);
    }

    /** Exceptions are taken for something else. */
    static Decoration classifying(BiFunction<IdempotencyStore<?>, Throwable, Fault> instead) {
        return new OfFaults(instead);
    }

    /** Transactions with a body are made in another way. */
    static Decoration transactions(InTransaction instead) {
        return new OfTransactions(instead);
    }

    /** How a transaction with a body is made instead. */
    interface InTransaction {

        <C, T> T run(Session<C> real, BiFunction<? super RecordSteps, ? super WorkScope<C>, ? extends T> body);
    }

    /**
     * See {@link #ofSteps}.
     *
     * @param wrong makes steps wrong
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
     * @param instead gets the real store and what was thrown
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
