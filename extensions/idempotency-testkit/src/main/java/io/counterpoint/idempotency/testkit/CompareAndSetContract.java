package io.counterpoint.idempotency.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.RecordSteps;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** The four changes of a record: each applies only to a pending record, and only under its token. */
abstract class CompareAndSetContract<C> extends ContractTest<C> {

    private static final Failure DECLINED = new Failure("declined", "The card was declined.");

    CompareAndSetContract(Fixture<C> fixture) {
        super(fixture);
    }

    /** The changes, so that what holds for each is tested in one place. */
    private enum Change {
        SUCCEED {
            @Override
            boolean in(RecordSteps transaction, IdempotencyKey key, UUID token) {
                return transaction.succeed(key, token, Optional.of(bytes("done")));
            }
        },
        FAIL {
            @Override
            boolean in(RecordSteps transaction, IdempotencyKey key, UUID token) {
                return transaction.fail(key, token, DECLINED);
            }
        },
        RELEASE {
            @Override
            boolean in(RecordSteps transaction, IdempotencyKey key, UUID token) {
                return transaction.release(key, token);
            }
        },
        REPLACE_TOKEN {
            @Override
            boolean in(RecordSteps transaction, IdempotencyKey key, UUID token) {
                return transaction.replaceToken(key, token, UUID.randomUUID());
            }
        },
        CHANGE_PROTOCOL {
            @Override
            boolean in(RecordSteps transaction, IdempotencyKey key, UUID token) {
                return transaction.changeProtocol(
                        key, token, UUID.randomUUID(), Protocol.FOLLOW_UP_OWED, Optional.of(bytes("done")));
            }
        };

        abstract boolean in(RecordSteps transaction, IdempotencyKey key, UUID token);
    }

    private boolean change(Change change, IdempotencyKey key, UUID token) {
        return changes(transaction -> change.in(transaction, key, token));
    }

    @Test
    void succeedStoresTheResultAndKeepsTheRest() {
        Pending record = plant(pending("k"));

        boolean changed = autoCommit(
                transaction -> transaction.succeed(record.key(), record.token(), Optional.of(bytes("done"))));

        assertThat(changed).isTrue();
        assertThat(read(record.key()))
                .contains(new Succeeded(
                        record.key(),
                        record.protocol(),
                        record.token(),
                        record.fingerprint(),
                        Optional.of(bytes("done"))));
    }

    @Test
    void succeedWithoutResultLeavesThePlanAsTheResult() {
        Pending planned = plant(pending("planned", Optional.of(bytes("plan"))));
        Pending unplanned = plant(pending("unplanned"));

        for (Pending record : List.of(planned, unplanned)) {
            assertThat(changes(transaction -> transaction.succeed(record.key(), record.token(), Optional.empty())))
                    .isTrue();
        }

        assertThat(resultOf(planned.key())).contains(bytes("plan"));
        assertThat(resultOf(unplanned.key())).isEmpty();
    }

    @Test
    void succeedWithAResultReplacesThePlan() {
        Pending record = plant(pending("k", Optional.of(bytes("plan"))));

        autoCommit(transaction -> transaction.succeed(record.key(), record.token(), Optional.of(bytes("done"))));

        assertThat(resultOf(record.key())).contains(bytes("done"));
    }

    private Optional<Payload> resultOf(IdempotencyKey key) {
        return ((Succeeded) found(key)).result();
    }

    @Test
    void failStoresTheFailureAndKeepsTheRest() {
        Pending record = plant(pending("k", Optional.of(bytes("plan"))));

        boolean changed = changes(transaction -> transaction.fail(record.key(), record.token(), DECLINED));

        assertThat(changed).isTrue();
        assertThat(read(record.key()))
                .contains(new Failed(record.key(), record.protocol(), record.token(), record.fingerprint(), DECLINED));
    }

    @Test
    void releaseRemovesTheRecord() {
        Pending record = plant(pending("k"));

        assertThat(change(Change.RELEASE, record.key(), record.token())).isTrue();

        assertThat(read(record.key())).isEmpty();
    }

    @Test
    void replaceTokenChangesTheTokenOnly() {
        Pending record = plant(pending("k", Optional.of(bytes("plan"))));
        UUID fresh = UUID.randomUUID();

        boolean changed = changes(transaction -> transaction.replaceToken(record.key(), record.token(), fresh));

        assertThat(changed).isTrue();
        assertThat(ageless(found(record.key())))
                .isEqualTo(new Pending(
                        record.key(), record.protocol(), fresh, record.fingerprint(), record.plan(), Duration.ZERO));
    }

    @Test
    void changeProtocolChangesProtocolAndTokenAndThePlanIfThereIsOne() {
        for (Optional<Payload> plan : List.of(Optional.of(bytes("known")), Optional.<Payload>empty())) {
            for (Protocol protocol : Protocol.values()) {
                Pending record = plant(pending(protocol + "-" + plan.isPresent(), Optional.of(bytes("plan"))));
                UUID fresh = UUID.randomUUID();

                boolean changed = changes(
                        transaction -> transaction.changeProtocol(record.key(), record.token(), fresh, protocol, plan));

                assertThat(changed).isTrue();
                assertThat(ageless(found(record.key()))).isEqualTo(record.ledUnder(protocol, fresh, plan));
            }
        }
    }

    @Test
    void replacedTokenCountsForNothing() {
        Pending record = plant(pending("k"));
        UUID fresh = UUID.randomUUID();
        autoCommit(transaction -> transaction.replaceToken(record.key(), record.token(), fresh));

        for (Change change : Change.values()) {
            assertThat(change(change, record.key(), record.token()))
                    .as("%s", change)
                    .isFalse();
        }

        assertThat(found(record.key()).token()).isEqualTo(fresh);
        assertThat(change(Change.SUCCEED, record.key(), fresh)).isTrue();
    }

    @Test
    void wrongTokenChangesNothing() {
        Pending record = plant(pending("k"));

        for (Change change : Change.values()) {
            assertThat(change(change, record.key(), UUID.randomUUID()))
                    .as("%s", change)
                    .isFalse();
        }

        assertThat(ageless(found(record.key()))).isEqualTo(record);
    }

    @Test
    void absentRecordIsNotChanged() {
        for (Change change : Change.values()) {
            assertThat(change(change, key("k"), UUID.randomUUID()))
                    .as("%s", change)
                    .isFalse();
        }

        assertThat(read(key("k"))).isEmpty();
    }

    @Test
    void terminalRecordIsNotChangedByItsOwnTokenEither() {
        for (IdempotencyRecord record : List.of(plant(succeeded("s")), plant(failed("f")))) {
            for (Change change : Change.values()) {
                assertThat(change(change, record.key(), record.token()))
                        .as("%s", change)
                        .isFalse();
                assertThat(change(change, record.key(), UUID.randomUUID()))
                        .as("%s", change)
                        .isFalse();
            }
            assertThat(found(record.key())).isEqualTo(record);
        }
    }

    @Test
    void changeOfOneKeyLeavesTheOthers() {
        Pending first = plant(pending("k1"));
        Pending second = plant(pending("k2"));

        change(Change.FAIL, first.key(), first.token());
        change(Change.SUCCEED, second.key(), first.token());

        assertThat(ageless(found(second.key()))).isEqualTo(second);
    }

    @Test
    void changesInOneTransactionAreSeenByTheNextStepOfIt() {
        Pending record = pending("k");
        UUID fresh = UUID.randomUUID();

        List<Boolean> changed = inTransaction(transaction -> {
            claim(transaction, record);
            return List.of(
                    transaction.replaceToken(record.key(), record.token(), fresh),
                    transaction.succeed(record.key(), record.token(), Optional.empty()),
                    transaction.succeed(record.key(), fresh, Optional.of(bytes("done"))),
                    transaction.fail(record.key(), fresh, DECLINED));
        });

        assertThat(changed).containsExactly(true, false, true, false);
        assertThat(resultOf(record.key())).contains(bytes("done"));
    }

    @Test
    void changeThatWaitedForAnotherSeesWhatBecameOfTheRecord() {
        for (Change change : Change.values()) {
            Pending record = plant(pending(change.name()));
            List<Future<Boolean>> others = new ArrayList<>();
            inTransaction(transaction -> {
                transaction.succeed(record.key(), record.token(), Optional.of(bytes("done")));
                Future<Boolean> other = AnotherThread.begin(() -> change(change, record.key(), record.token()));
                others.add(other);
                assertThat(AnotherThread.waits(other)).isTrue();
                return true;
            });

            assertThat(AnotherThread.end(others.get(0))).as("%s", change).isFalse();
            assertThat(resultOf(record.key())).contains(bytes("done"));
        }
    }

    @Test
    void changeGivesUpWaitingForALock() {
        Pending record = plant(pending("k"));
        inTransaction(transaction -> {
            transaction.lock(record.key(), Duration.ZERO);

            Throwable thrown = AnotherThread.thrownBy(() -> change(Change.FAIL, record.key(), record.token()));

            assertThat(faultOf(thrown)).isEqualTo(Fault.LOCK_TIMEOUT);
            return true;
        });
        assertThat(ageless(found(record.key()))).isEqualTo(record);
    }

    @Test
    void oneOfManyChangesAtOnceHappens() {
        Pending record = plant(pending("k"));
        CountDownLatch all = new CountDownLatch(8);
        List<Future<Boolean>> changes = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Change change = Change.values()[i % Change.values().length];
            changes.add(AnotherThread.begin(() -> {
                all.countDown();
                AnotherThread.await(all);
                return change(change, record.key(), record.token());
            }));
        }

        assertThat(changes.stream().map(AnotherThread::end).toList()).containsOnlyOnce(true);
    }
}
