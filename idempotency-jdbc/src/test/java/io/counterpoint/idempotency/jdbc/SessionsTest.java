package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.FaultyDriver.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.session.JdbcTransaction;
import io.counterpoint.idempotency.jdbc.session.LentConnection;
import io.counterpoint.idempotency.jdbc.session.PlainConnections;
import io.counterpoint.idempotency.jdbc.session.StoreOptions;
import io.counterpoint.idempotency.jdbc.session.TransactionEnd;
import io.counterpoint.idempotency.jdbc.spi.ClaimOptions;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.spi.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Where sessions are opened, where they are refused, and which reads share a session. */
class SessionsTest extends FaultySessions {

    private final AtomicBoolean inside = new AtomicBoolean();

    private static Strike noConnection() {
        return before(new SQLException("injected", "08001"));
    }

    // ---- claims --------------------------------------------------------------------------------------------------

    @Test
    void callerInsideAForeignTransactionIsRefusedBeforeItWaitsForItsTurn() {
        on(Kind.H2);
        JdbiIdempotencyStore store =
                store().toBuilder().rejectCallsWhile(inside::get).build();
        try (Session<Handle> holder = store.openForClaim(TestDatabase.KEY, WAIT)) {
            assertThat(holder.probablyClaimed()).isFalse();
            inside.set(true);
            assertTimeoutPreemptively(
                    Duration.ofSeconds(60),
                    () -> assertThatThrownBy(() -> store.openForClaim(TestDatabase.KEY, DAY))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("does not belong to this library"));
        }
    }

    @Test
    void callerWithoutAConnectionGivesItsTurnBack() {
        on(Kind.H2).at("getConnection", noConnection());
        assertThatThrownBy(() -> store().openForClaim(TestDatabase.KEY, WAIT)).isInstanceOf(StoreException.class);
        try (Session<Handle> next = store().openForClaim(TestDatabase.KEY, Duration.ZERO)) {
            assertThat(next.probablyClaimed()).isFalse();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, ASYNCHRONOUS, true",
        "true, DURABLE, false",
        "false, ASYNCHRONOUS, false",
        "false, DURABLE, false"
    })
    void claimMayBeLostWhereBothTheStoreAndTheProtocolAllowIt(boolean relaxed, Durability durability, boolean lost) {
        LentConnection<Connection> lent =
                new PlainConnections(database(Kind.H2).pool()).borrow(new H2Dialect(RecordTable.DEFAULT));
        try {
            for (boolean autoCommit : new boolean[] {true, false}) {
                StoreOptions options = new StoreOptions(OptionalInt.empty(), relaxed, false, false, false, () -> false);
                assertThat(new JdbcTransaction(
                                        lent,
                                        autoCommit ? null : new TransactionEnd(lent),
                                        options,
                                        Optional.empty(),
                                        false)
                                .terms(DAY, WAIT, durability))
                        .isEqualTo(new ClaimOptions(DAY, WAIT, autoCommit, autoCommit && lost));
            }
        } finally {
            lent.close(true);
        }
    }

    // ---- reads ---------------------------------------------------------------------------------------------------

    @Test
    void readerInsideAForeignTransactionIsRefusedBeforeItsGroupIsAsked() {
        on(Kind.H2);
        AtomicInteger asked = new AtomicInteger();
        IdempotencyStore<Handle> store = new CoalescingStore<>(
                store().toBuilder().rejectCallsWhile(inside::get).build(), 0, asked::incrementAndGet);
        inside.set(true);
        assertThatThrownBy(() -> store.read(TestDatabase.KEY)).isInstanceOf(IllegalStateException.class);
        assertThat(asked).hasValue(0);
        inside.set(false);
        assertThat(store.read(TestDatabase.KEY)).isEmpty();
        assertThat(asked).hasValue(1);
    }

    @Test
    void databaseWithoutABarrierRefusesDurableReplays() {
        Pending record = claimed(Kind.H2);
        on(Kind.H2);
        JdbiIdempotencyStore store = store().toBuilder().durableReplays(true).build();
        for (ThrowingCallable refused :
                List.<ThrowingCallable>of(store::checkTable, () -> store.awaitDurable(record.key()))) {
            assertThatThrownBy(refused)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("durableReplays(true)")
                    .hasMessageContaining("H2Dialect");
        }
    }

    private CoalescingStore<Handle> coalescing(int few) {
        return new CoalescingStore<>(store(), few, () -> "group");
    }

    @ParameterizedTest
    @EnumSource
    void recordIsFoundHoweverItIsRead(Kind kind) {
        Pending record = claimed(kind);
        on(kind);
        assertThat(store().read(record.key()).map(IdempotencyRecord::token)).contains(record.token());
        assertThat(coalescing(0).read(record.key()).map(IdempotencyRecord::token))
                .contains(record.token());
    }

    @Test
    void readThatFailsTogetherIsRepeatedAlone() {
        FaultyDriver driver = on(Kind.H2);
        driver.at("getConnection", noConnection());
        assertThat(coalescing(0).read(TestDatabase.KEY)).isEmpty();
        driver.at("getConnection", noConnection());
        assertThatThrownBy(() -> store().read(TestDatabase.KEY)).isInstanceOf(StoreException.class);
    }

    @Test
    void groupOfReadsIsThereWhileItsCallersRead() {
        FaultyDriver driver = on(Kind.H2);
        CoalescingStore<Handle> store = coalescing(0);
        AtomicInteger groups = new AtomicInteger();
        driver.at("executeQuery", doing -> {
            groups.set(store.groups());
            return doing.run();
        });
        assertThat(store.read(TestDatabase.KEY)).isEmpty();
        assertThat(groups).hasValue(1);
        assertThat(store.groups()).isZero();
    }

    @Test
    void groupOfReadsIsGoneWhenItsLastCallerHasFailed() {
        FaultyDriver driver = on(Kind.H2);
        CoalescingStore<Handle> store = coalescing(1);
        driver.at("getConnection", noConnection());
        assertThatThrownBy(() -> store.read(TestDatabase.KEY)).isInstanceOf(StoreException.class);
        assertThat(store.groups()).isZero();
    }

    /** A claim's session is closed by its transaction, and again by who opened it. */
    @Test
    void sessionThatIsClosedTwiceGivesItsTurnBackOnce() {
        JdbiIdempotencyStore store = database(Kind.H2).store();
        Session<Handle> first = store.openForClaim(TestDatabase.KEY, Duration.ZERO);
        Session<Handle> without = store.openForClaim(TestDatabase.KEY, Duration.ZERO);
        first.close();
        first.close();

        try (Session<Handle> next = store.openForClaim(TestDatabase.KEY, Duration.ZERO)) {
            assertThat(next.hasTurn()).isTrue();
            without.close();
            try (Session<Handle> another = store.openForClaim(TestDatabase.KEY, Duration.ZERO)) {
                assertThat(another.hasTurn()).isFalse();
            }
        }
    }
}
