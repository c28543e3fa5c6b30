package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.internal.Rethrow;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Transactions: all or nothing, visible once committed, and exceptions rethrown as is. */
abstract class TransactionContract<C> extends ContractTest<C> {

    TransactionContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void recordAndEffectCommitTogether() {
        Pending record = plant(pending("k"));

        inTransaction((transaction, scope) -> {
            transaction.lock(record.key(), Duration.ZERO);
            domain.write(scope.handle(), "effect");
            return transaction.succeed(record.key(), record.token(), Optional.of(bytes("done")));
        });

        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).containsExactly("effect");
        assertThat(isThere("effect")).isTrue();
        assertThat(isThere("another")).isFalse();
    }

    @Test
    void domainOfTheContractShowsDuplicates() {
        for (int i = 0; i < 2; i++) {
            inTransaction((transaction, scope) -> {
                domain.write(scope.handle(), "effect");
                return true;
            });
        }

        assertThat(domain.committed()).containsExactly("effect", "effect");
    }

    @Test
    void bodyThatThrowsLeavesNothing() {
        Pending marked = plant(pending("marked"));
        Pending released = plant(pending("released"));
        Pending replaced = plant(pending("replaced"));

        Throwable thrown = catchThrowable(() -> inTransaction((transaction, scope) -> {
            claim(transaction, pending("claimed"));
            domain.write(scope.handle(), "effect");
            transaction.succeed(marked.key(), marked.token(), Optional.of(bytes("done")));
            transaction.release(released.key(), released.token());
            transaction.replaceToken(replaced.key(), replaced.token(), UUID.randomUUID());
            throw new IllegalArgumentException("domain");
        }));

        assertThat(thrown).isInstanceOf(IllegalArgumentException.class);
        assertThat(read(key("claimed"))).isEmpty();
        for (Pending record : List.of(marked, released, replaced)) {
            assertThat(ageless(found(record.key()))).isEqualTo(record);
        }
        assertThat(domain.committed()).isEmpty();
    }

    @Test
    void whatTheBodyThrowsIsTheSameObject() {
        for (Throwable thrown : List.of(
                new IllegalStateException("unchecked"),
                new AssertionError("error"),
                new IOException("checked"),
                new InterruptedException("checked as well"))) {
            assertThat(catchThrowable(() -> inTransaction((transaction, scope) -> {
                        domain.write(scope.handle(), "effect");
                        throw Rethrow.unchanged(thrown);
                    })))
                    .isSameAs(thrown);
            assertThat(catchThrowable(() -> autoCommit(transaction -> {
                        throw Rethrow.unchanged(thrown);
                    })))
                    .isSameAs(thrown);
        }
        assertThat(domain.committed()).isEmpty();
    }

    @Test
    void readSeesOnlyWhatIsCommitted() {
        Pending marked = plant(pending("marked"));
        Pending released = plant(pending("released"));
        Pending replaced = plant(pending("replaced"));

        inTransaction((transaction, scope) -> {
            claim(transaction, pending("claimed"));
            domain.write(scope.handle(), "effect");
            transaction.succeed(marked.key(), marked.token(), Optional.of(bytes("done")));
            transaction.release(released.key(), released.token());
            transaction.replaceToken(replaced.key(), replaced.token(), UUID.randomUUID());

            AnotherThread.run(() -> {
                assertThat(read(key("claimed"))).isEmpty();
                for (Pending record : List.of(marked, released, replaced)) {
                    assertThat(ageless(found(record.key()))).isEqualTo(record);
                }
                assertThat(domain.committed()).isEmpty();
                assertThat(isThere("effect")).isFalse();
            });
            return true;
        });
    }

    @Test
    void causesOfAFaultAreLookedAt() {
        Pending record = plant(pending("k"));
        inTransaction(transaction -> {
            transaction.lock(record.key(), Duration.ZERO);
            Throwable locked = AnotherThread.thrownBy(() -> locked(record.key(), Duration.ZERO));

            assertThat(store.classify(new IllegalStateException(new IOException(locked))))
                    .isEqualTo(Fault.LOCK_TIMEOUT);
            return true;
        });
        Exception endless = new IOException("one");
        endless.initCause(new IOException("two", endless));
        assertThat(store.classify(endless)).isEqualTo(Fault.UNRECOGNISED);
    }

    @Test
    void whatTheStoreDoesNotKnowProvesNothing() {
        for (Throwable thrown :
                List.of(new IllegalStateException("domain"), new IOException("remote"), new StackOverflowError())) {
            assertThat(store.classify(thrown)).isEqualTo(Fault.UNRECOGNISED);
        }
    }
}
