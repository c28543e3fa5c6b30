package io.counterpoint.idempotency.jdbc;

import static io.counterpoint.idempotency.jdbc.FaultyDriver.after;
import static io.counterpoint.idempotency.jdbc.FaultyDriver.before;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.FaultyDriver.Strike;
import io.counterpoint.idempotency.jdbc.session.JdbcSession;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims on PostgreSQL that are sent together with their commit and the lock of the next transaction. */
class FailedClaimTest extends FaultySessions {

    private static final String CLAIM = "; COMMIT; BEGIN";
    private static final String READ_AND_END = "; ROLLBACK";
    private static final String READ = "executeQuery";

    private final Pending record = pending();
    private FaultyDriver driver;

    @BeforeEach
    void open() {
        driver = on(Kind.POSTGRESQL);
    }

    private static SQLException cancelled() {
        return new SQLException("injected", "57014");
    }

    /** The call is done; then a statement fails, which aborts the transaction that is open. */
    private Strike aborted(SQLException thrown) {
        return doing -> {
            doing.run();
            try (Statement statement = driver.physical().createStatement()) {
                assertThatThrownBy(() -> statement.execute("SELECT 1 / 0")).isInstanceOf(SQLException.class);
            }
            throw thrown;
        };
    }

    /** Another claim of the key. */
    private static Pending rival(Pending of) {
        return new Pending(
                of.key(), of.protocol(), UUID.randomUUID(), of.fingerprint(), Optional.empty(), Duration.ZERO);
    }

    private void assertLeads(JdbcSession<Handle> session) {
        boolean marked = session.inTransaction((steps, scope) -> {
            assertThat(steps.lock(record.key(), WAIT).map(IdempotencyRecord::token))
                    .contains(record.token());
            return steps.succeed(record.key(), record.token(), RESULT);
        });
        assertThat(marked).isTrue();
        assertThat(store().read(record.key())).contains(succeeded(record));
    }

    // ---- a lock that came with the claim -------------------------------------------------------------------------

    @Test
    void lockThatCameWithTheClaimIsNotAskedForAgain() {
        try (JdbcSession<Handle> session = session()) {
            assertThat(claim(session, record)).isEmpty();
            assertLeads(session);
        }
        assertThat(driver.calls("FOR UPDATE")).isOne();
    }

    @Test
    void lockThatCameWithTheClaimIsOnlyOfItsRecord() {
        Pending other = claimed(Kind.POSTGRESQL);
        IdempotencyKey absent = pending().key();
        try (JdbcSession<Handle> session = session()) {
            assertThat(claim(session, record)).isEmpty();
            boolean right = session.inTransaction((steps, scope) -> {
                assertThat(steps.lock(other.key(), WAIT).map(IdempotencyRecord::token))
                        .contains(other.token());
                assertThat(steps.lock(absent, WAIT)).isEmpty();
                return true;
            });
            assertThat(right).isTrue();
        }
    }

    @Test
    void lockThatCameWithTheClaimIsOfOneTransactionOnly() {
        try (JdbcSession<Handle> session = session()) {
            assertThat(claim(session, record)).isEmpty();
            assertLeads(session);
            boolean ended = session.inTransaction((steps, scope) -> steps.lock(record.key(), WAIT)
                    .filter(succeeded(record)::equals)
                    .isPresent());
            assertThat(ended).isTrue();
        }
    }

    // ---- one of the statements fails -----------------------------------------------------------------------------

    @Test
    void claimThatWasCommittedBeforeTheFailureLeads() throws SQLException {
        driver.at(CLAIM, aborted(cancelled()));
        try (JdbcSession<Handle> session = session()) {
            assertThat(claim(session, record)).isEmpty();
            assertThat(isInTransaction()).isFalse();
            assertLeads(session);
        }
        assertThat(isEnded()).isFalse();
    }

    @Test
    void claimThatWasNotCommittedBeforeTheFailureFails() throws SQLException {
        driver.at(CLAIM, before(cancelled()));
        assertClaimFails(Fault.CANCELLED, "could not claim the record");
        assertThat(store().read(record.key())).isEmpty();
    }

    @Test
    void failureIsThrownWhereAnotherHasClaimedTheKey() throws SQLException {
        Pending other = claimed(Kind.POSTGRESQL);
        driver.at(CLAIM, before(cancelled()));
        try (JdbcSession<Handle> session = session()) {
            assertThat(fault(thrownBy(() -> claim(session, rival(other))))).isEqualTo(Fault.CANCELLED);
            assertThat(isInTransaction()).isFalse();
        }
    }

    @Test
    void lostConnectionIsNotReadFrom() {
        driver.at(CLAIM, before(new SQLException("injected", "08006")));
        try (JdbcSession<Handle> session = session()) {
            assertThat(fault(thrownBy(() -> claim(session, record)))).isEqualTo(Fault.CONNECTION_LOST);
            assertThat(driver.calls(READ)).isZero();
        }
    }

    @Test
    void claimIsInDoubtWhereTheRecordCannotBeRead() throws SQLException {
        driver.at(CLAIM, after(cancelled())).at(READ, aborted(cancelled()));
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> claim(session, record));
            assertThat(thrown).hasMessage(record.key() + ": no reply whether the record was claimed");
            assertThat(fault(thrown)).isEqualTo(Fault.CONNECTION_LOST);
            assertThat(thrown.getCause()).hasMessageStartingWith(record.key() + ": could not read the record");
            assertThat(thrown.getCause().getSuppressed())
                    .singleElement()
                    .satisfies(claim ->
                            assertThat(claim).hasMessageStartingWith(record.key() + ": could not claim the record"));
            assertThat(isInTransaction()).isFalse();
        }
    }

    @Test
    void claimFailsWhereTheTableCannotBeRead() throws SQLException {
        driver.at(CLAIM, before(refusal())).at(READ, aborted(refusal()));
        assertClaimFails(Fault.STATEMENT_REFUSED, "could not claim the record");
    }

    // ---- the read of the record that was found -------------------------------------------------------------------

    @Test
    void recordThatWasFoundIsReadAndTheTransactionEnds() throws SQLException {
        Pending found = claimed(Kind.POSTGRESQL);
        try (JdbcSession<Handle> session = session()) {
            assertThat(claim(session, rival(found)).map(IdempotencyRecord::token))
                    .contains(found.token());
            assertThat(isInTransaction()).isFalse();
        }
    }

    @Test
    void failedReadOfTheRecordThatWasFoundIsRolledBack() throws SQLException {
        Pending found = claimed(Kind.POSTGRESQL);
        driver.at(READ_AND_END, before(cancelled()));
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> claim(session, rival(found)));
            assertThat(thrown).hasMessageStartingWith(found.key() + ": could not read the record");
            assertThat(fault(thrown)).isEqualTo(Fault.CANCELLED);
            assertThat(isInTransaction()).isFalse();
        }
    }

    private void assertClaimFails(Fault fault, String message) throws SQLException {
        try (JdbcSession<Handle> session = session()) {
            Throwable thrown = thrownBy(() -> claim(session, record));
            assertThat(thrown).hasMessageStartingWith(record.key() + ": " + message);
            assertThat(fault(thrown)).isEqualTo(fault);
            assertThat(isInTransaction()).isFalse();
        }
    }

    // ---- before the first of them --------------------------------------------------------------------------------

    @Test
    void driverThatCannotBeAskedFailsTheClaim() {
        driver.at("isWrapperFor", doing -> doing.run(), before(refusal()));
        ThrowingCallable claim = () -> {
            try (JdbcSession<Handle> session = session()) {
                claim(session, record);
            }
        };
        assertThatThrownBy(claim).hasMessageStartingWith("Could not identify the driver");
        assertThat(store().read(record.key())).isEmpty();
    }
}
