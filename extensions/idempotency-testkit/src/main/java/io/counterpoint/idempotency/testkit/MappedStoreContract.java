package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LastStep;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A view of the store with a different handle: it behaves like the store. */
abstract class MappedStoreContract<C> extends ContractTest<C> {

    MappedStoreContract(Fixture<C> fixture) {
        super(fixture);
    }

    @Test
    void mappedStoreDoesAllOfItThroughAnotherHandle() {
        record View<C>(C handle) {}
        IdempotencyStore<View<C>> mapped = store.mapped(View::new);
        Pending record = pending("k");

        try (Session<View<C>> session = mapped.open(key("session"))) {
            Optional<IdempotencyRecord> claim = session.autoCommit(transaction -> claim(transaction, record));
            boolean marked = session.inTransaction((steps, scope) -> {
                boolean locked = steps.lock(record.key(), Duration.ZERO).isPresent();
                domain.write(scope.handle().handle(), "effect");
                boolean changed = locked && steps.succeed(record.key(), record.token(), Optional.empty());
                return changed && steps.commitWith(new LastStep.RequireNotEnded(record.key())) == LastStep.Result.DONE;
            });
            boolean confirmed = session.autoCommit(transaction -> transaction.confirm(record.key(), record.token()));
            boolean ofAnother = session.autoCommit(transaction -> transaction.confirm(record.key(), UUID.randomUUID()));
            assertThat(confirmed).isTrue();
            assertThat(ofAnother).isFalse();
            assertThat(session.afterCommitFailure()).isEmpty();
            assertThat(claim).isEmpty();
            assertThat(marked).isTrue();
        }

        assertThat(found(record.key())).isInstanceOf(Succeeded.class);
        assertThat(domain.committed()).containsExactly("effect");
        assertThat(mapped.purgeExpired(1)).isZero();
        assertThat(mapped.classify(new IllegalStateException("domain"))).isEqualTo(Fault.UNRECOGNISED);
        assertThat(mapped.lockScope()).isEqualTo(store.lockScope());
    }

    @Test
    void mappedStoreChangesWhatTheOtherOneWouldChange() {
        FaultyStore<C> counted = FaultyStore.around(store);
        IdempotencyStore<Optional<C>> mapped = counted.mapped(Optional::of);
        UUID fresh = UUID.randomUUID();
        for (boolean own : new boolean[] {true, false}) {
            Pending record = plant(pending("k-" + own));
            UUID token = own ? record.token() : UUID.randomUUID();
            try (Session<Optional<C>> session = mapped.open(key("session"))) {
                boolean replaced = session.autoCommit(steps -> steps.replaceToken(record.key(), token, fresh));
                assertThat(replaced).isEqualTo(own);
                UUID now = own ? fresh : token;
                boolean failed = session.autoCommit(steps -> steps.fail(record.key(), now, new Failure("code", "")));
                assertThat(failed).isEqualTo(own);
                Optional<IdempotencyRecord> read = session.autoCommit(steps -> steps.read(record.key()));
                assertThat(read.map(ContractTest::ageless)).contains(ageless(found(record.key())));
                Pending another = plant(pending("k2-" + own));
                UUID theirs = own ? another.token() : token;
                boolean released = session.autoCommit(steps -> steps.release(another.key(), theirs));
                assertThat(released).isEqualTo(own);
                boolean succeeded = session.autoCommit(steps -> steps.succeed(another.key(), theirs, Optional.empty()));
                assertThat(succeeded).isFalse();
            }
            assertThat(mapped.read(record.key()).map(ContractTest::ageless)).contains(ageless(found(record.key())));
        }
        assertThat(counted.openSessions()).isZero();
    }
}
