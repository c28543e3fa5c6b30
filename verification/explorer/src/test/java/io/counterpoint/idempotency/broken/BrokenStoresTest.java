package io.counterpoint.idempotency.broken;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.counterpoint.idempotency.jdbc.h2.H2Dialect;
import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.IdempotencyStoreContract;
import io.counterpoint.idempotency.testkit.MemoryDomain;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** The contract finds each broken store by the test that is there for it, and passes a sound store. */
class BrokenStoresTest {

    /** Of the contract that runs; null for a sound store. */
    private static @Nullable BrokenStore broken;

    /** One of each kind: what changes a record, claims, locks, commits, batches. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            TAKE_OVER_KEEPS_THE_OLD_TOKEN, replacedTokenCountsForNothing
            CLAIM_OVERWRITES_A_PENDING_RECORD, claimOfAKeyThatHasARecordFollowsAndChangesNothing
            LOCK_DOES_NOT_LOCK, lockIsHeldUntilTheTransactionEnds
            COMMITS_AFTER_AN_EXCEPTION, bodyThatThrowsLeavesNothing
            BATCH_COUNTS_NO_MARKS, markOfAnotherTokenCommitsNothing
            """)
    void storeThatBreaksAnImportantStepFailsTheTestThatIsThereForIt(BrokenStore broken, String test) {
        brokenStoreFailsTheTestThatIsThereForIt(broken, test);
    }

    @ParameterizedTest
    @Tag("thorough")
    @CsvSource(textBlock = """
            TAKE_OVER_IGNORES_THE_TOKEN, wrongTokenChangesNothing
            HEARTBEAT_IS_NOT_WRITTEN, ageGrowsFromTheClaimAndBeginsAgainWithTheToken
            FAIL_IGNORES_THE_TOKEN, wrongTokenChangesNothing
            FAIL_IS_ALWAYS_REPORTED, absentRecordIsNotChanged
            FAIL_REMOVES_THE_RECORD, failStoresTheFailureAndKeepsTheRest
            FAILURE_IS_NOT_INSERTED, claimOfAnAbsentKeyLeadsAndStoresTheRecordInEveryState
            FAILURE_LOSES_ITS_MESSAGE, failStoresTheFailureAndKeepsTheRest
            SUCCEED_IGNORES_THE_TOKEN, wrongTokenChangesNothing
            SUCCEED_FORGETS_THE_PLAN, succeedWithoutResultLeavesThePlanAsTheResult
            RELEASE_IGNORES_THE_TOKEN, wrongTokenChangesNothing
            RELEASE_IGNORES_THE_STATE, terminalRecordIsNotChangedByItsOwnTokenEither
            CLAIM_LEADS_AGAIN_AFTER_A_FAILURE, claimOfAKeyThatHasARecordFollowsAndChangesNothing
            CLAIM_IS_CHECKED_AND_THEN_MADE, claimWaitsForAnUncommittedInsertAndGivesUpAfterItsBound
            CLAIM_DOES_NOT_WAIT, claimLeadsWhenTheInsertItWaitedForIsRolledBack
            CLAIM_WAITS_BEHIND_A_MARK, claimDoesNotWaitForAnUncommittedMark
            CLAIM_FORGETS_THE_PLAN, claimOfAnAbsentKeyLeadsAndStoresTheRecordInEveryState
            CLAIM_FORGETS_THE_PROTOCOL, everyProtocolIsKept
            CLAIM_FORGETS_THE_FINGERPRINT, fingerprintsAreKept
            CLAIM_ALONE_IS_ROLLED_BACK, claimThatMayBeLostInACrashIsCommittedAllTheSame
            EMPTY_PAYLOAD_IS_STORED_AS_NONE, payloadsAreKeptToTheByte
            EMPTY_PAYLOAD_IS_STORED_AS_NONE, emptyResultTakesThePlaceOfAPlan
            TERMINAL_RECORD_FORGETS_ITS_TOKEN, succeedStoresTheResultAndKeepsTheRest
            AGE_IS_OF_ANOTHER_CLOCK, claimReturnsTheAgeOfAPendingRecord
            READ_SEES_UNCOMMITTED_CLAIMS, readSeesOnlyWhatIsCommitted
            LOCK_ALWAYS_WAITS, lockWithoutWaitFailsAtOnce
            LOCK_DOES_NOT_WAIT, lockThatWaitedReadsWhatWasCommittedMeanwhile
            LOCK_READS_BEFORE_IT_WAITS, lockThatWaitedReadsWhatWasCommittedMeanwhile
            BATCH_INSERT_LEAVES_RECORDS_OUT, insertsOfRecordsOfWhichOneIsThereAreRefusedWithAllThatCameBefore
            INSERT_LEAVES_THE_RECORD_OUT, insertOfARecordThatIsThereIsRefusedWithAllThatCameBefore
            REFUSED_INSERT_COMMITS_THE_WORK, insertWaitsForOneThatIsNotCommittedYet
            READ_FINDS_NOTHING, readSeesOnlyWhatIsCommitted
            KEYS_ARE_FOLDED, keysThatAreNearlyTheSameAreDifferent
            KEYS_ARE_CUT, keysOfTheGreatestLengthAreKept
            SCOPE_IS_NOT_PART_OF_THE_KEY, keysThatAreNearlyTheSameAreDifferent
            PURGE_TAKES_PENDING_RECORDS, purgeNeverTakesAPendingRecord
            PURGE_TAKES_WHAT_HAS_NOT_EXPIRED, purgeTakesTerminalRecordsPastTheirRetention
            PURGE_COUNTS_FROM_THE_CLAIM_ONLY, retentionIsCountedFromTheLastChangeAsWell
            PURGE_TAKES_MORE_THAN_ITS_BATCH, purgeKeepsToItsBatch
            PURGE_DOES_NOTHING, purgeTakesTerminalRecordsPastTheirRetention
            COMMITS_EVERY_STEP_BY_ITSELF, bodyThatThrowsLeavesNothing
            WRAPS_WHAT_WAS_THROWN, whatTheBodyThrowsIsTheSameObject
            OPENS_A_SESSION_INSIDE_A_TRANSACTION, sessionInsideATransactionOfTheSameThreadIsRefused
            LOOKS_AT_NO_CAUSES, causesOfAFaultAreLookedAt
            KNOWS_NO_FAULT, lockWithoutWaitFailsAtOnce
            TAKES_EVERYTHING_FOR_A_CONFLICT, whatTheStoreDoesNotKnowProvesNothing
            CLOSES_ONLY_ONCE, closingTwiceIsNoHarm
            BATCH_LEADS_WHERE_THERE_IS_A_RECORD, claimsOfKeysWithARecordReturnItAndChangeNothing
            BATCH_LEADS_AND_COUNTS_NO_MARKS, claimsOfKeysWithARecordReturnItAndChangeNothing
            """)
    void brokenStoreFailsTheTestThatIsThereForIt(BrokenStore broken, String test) {
        TestExecutionSummary summary = run(broken, test);

        assertThat(summary.getTestsFoundCount()).isEqualTo(1);
        assertThat(summary.getTestsFailedCount()).isEqualTo(1);
    }

    /** In memory no transaction ends but by its session: these two are broken over a database that ends one itself. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            INSERT_IGNORES_AN_ENDED_TRANSACTION, recordIsInsertedLastOnlyIntoTheTransactionThatWasBegun
            COMMITS_ANY_TRANSACTION, transactionThatHasEndedIsNotTheOneThatIsRequired
            """)
    void storeThatDoesNotNoticeTheEndOfATransactionFailsTheTestThatIsThereForIt(BrokenStore broken, String test) {
        assertThat(run(ContractOfABrokenDatabaseStore.class, null, test).getTestsSucceededCount())
                .isEqualTo(1);
        assertThat(run(ContractOfABrokenDatabaseStore.class, broken, test).getTestsFailedCount())
                .isEqualTo(1);
    }

    private static TestExecutionSummary run(BrokenStore broken, String test) {
        return run(ContractOfABrokenStore.class, broken, test);
    }

    private static TestExecutionSummary run(Class<?> contract, @Nullable BrokenStore store, String test) {
        broken = store;
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create()
                .execute(
                        LauncherDiscoveryRequestBuilder.request()
                                .selectors(selectClass(contract))
                                .filters(only(test))
                                .build(),
                        listener);
        return listener.getSummary();
    }

    private static PostDiscoveryFilter only(String name) {
        return test -> FilterResult.includedIf(test.getSource()
                .filter(source -> source instanceof MethodSource method
                        && method.getMethodName().equals(name))
                .isPresent());
    }

    /** Not a test of its own: run for one broken store after the other. */
    static class ContractOfABrokenStore extends IdempotencyStoreContract<Transaction> {

        @Override
        protected IdempotencyStore<Transaction> store() {
            return over(new InMemoryIdempotencyStore());
        }

        @Override
        protected Domain<Transaction> domain() {
            return new MemoryDomain();
        }
    }

    /** The same over H2, which rolls back the victim of a deadlock. */
    static class ContractOfABrokenDatabaseStore extends DialectContract {

        private static final JdbcConnectionPool POOL =
                JdbcConnectionPool.create("jdbc:h2:mem:broken;DB_CLOSE_DELAY=-1", "sa", "");

        @Override
        protected Dialect dialect() {
            return new H2Dialect(RecordTable.DEFAULT);
        }

        @Override
        protected DataSource dataSource() {
            return POOL;
        }

        @Override
        protected IdempotencyStore<Handle> store() {
            return over(super.store());
        }
    }

    private static <C> IdempotencyStore<C> over(IdempotencyStore<C> sound) {
        return broken == null ? sound : broken.over(sound);
    }
}
