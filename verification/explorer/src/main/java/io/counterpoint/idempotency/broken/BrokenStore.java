package io.counterpoint.idempotency.broken;

import static io.counterpoint.idempotency.broken.Decoration.classifying;
import static io.counterpoint.idempotency.broken.Decoration.ofSteps;
import static io.counterpoint.idempotency.broken.Decoration.transactions;
import static io.counterpoint.idempotency.broken.Records.isFailed;
import static io.counterpoint.idempotency.broken.Records.tokenOf;
import static io.counterpoint.idempotency.broken.WrongFollowUps.knowing;
import static io.counterpoint.idempotency.broken.WrongSteps.claiming;
import static io.counterpoint.idempotency.broken.WrongSteps.committing;
import static io.counterpoint.idempotency.broken.WrongSteps.failing;
import static io.counterpoint.idempotency.broken.WrongSteps.inserting;
import static io.counterpoint.idempotency.broken.WrongSteps.insertingAll;
import static io.counterpoint.idempotency.broken.WrongSteps.locking;
import static io.counterpoint.idempotency.broken.WrongSteps.reading;
import static io.counterpoint.idempotency.broken.WrongSteps.replacing;
import static io.counterpoint.idempotency.broken.WrongSteps.storing;
import static io.counterpoint.idempotency.broken.WrongSteps.succeeding;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/**
 * The catalogue of broken stores. Each has one bug and describes it. The contract of stores, the explorer and the
 * torture each choose the ones that they have to catch.
 */
public enum BrokenStore {
    // Tokens.
    TAKE_OVER_KEEPS_THE_OLD_TOKEN("a takeover keeps the old token", WrongTokens::keptAtTakeOver),
    TAKE_OVER_IGNORES_THE_TOKEN(
            "a takeover replaces any token",
            replacing((real, key, token, fresh) -> real.replaceToken(key, tokenOf(real, key, token), fresh))),
    TOKENS_ARE_COUNTED("a counter takes the place of a random token", WrongTokens::counted),
    STALE_LEADER_PASSES("a leader neither locks its record nor states its token", WrongTokens.NotCompared::new),
    HEARTBEAT_IS_NOT_WRITTEN(
            "a heartbeat leaves the record's age as it is",
            replacing((real, key, token, fresh) -> token.equals(fresh)
                    ? tokenOf(real, key, new UUID(0, 0)).equals(token)
                    : real.replaceToken(key, token, fresh))),

    // Failures.
    FAIL_IGNORES_THE_TOKEN(
            "a failure is written under any token",
            failing((real, key, token, failure) -> real.fail(key, tokenOf(real, key, token), failure))),
    FAIL_IS_ALWAYS_REPORTED(
            "a failure is reported although no record has changed", failing((real, key, token, failure) -> {
                boolean unused = real.fail(key, token, failure);
                return true;
            })),
    FAILED_BEFORE_DURABLE("a failure is reported and not written", failing((real, key, token, failure) -> true)),
    FAIL_REMOVES_THE_RECORD(
            "a failure removes the record", failing((real, key, token, failure) -> real.release(key, token))),
    FAILURE_IS_NOT_INSERTED(
            "a failure without a claim is not inserted",
            claiming(claim -> isFailed(claim.record()) ? Optional.empty() : claim.make())),
    FAILURE_LOSES_ITS_MESSAGE(
            "a failure loses its message",
            failing((real, key, token, failure) -> real.fail(key, token, new Failure(failure.code(), "")))),
    FAILED_ON_UNKNOWN_COMMIT("a commit without an answer is a failure", WrongFaults.UnknownCommitFails::new),
    PENDING_IS_FAILED("a follower fails what it finds pending", claiming(WrongClaims::failsWhatIsPending)),

    // Successes.
    SUCCEED_IGNORES_THE_TOKEN(
            "a success is written under any token",
            succeeding((real, key, token, result) -> real.succeed(key, tokenOf(real, key, token), result))),
    SUCCEED_FORGETS_THE_PLAN(
            "a success without a result erases the plan",
            succeeding((real, key, token, result) ->
                    real.succeed(key, token, result.or(() -> Optional.of(Payload.of(new byte[0])))))),
    EMPTY_PAYLOAD_IS_STORED_AS_NONE(
            "an empty result is stored as none",
            succeeding((real, key, token, result) ->
                    real.succeed(key, token, result.filter(payload -> payload.toBytes().length > 0)))),
    MARK_OUTSIDE("the success mark follows the commit", transactions(WrongTransactions::markAfterwards)),
    CONFIRMED_BY_A_READ("an answer in doubt is confirmed by a read", ofSteps(WrongReads::confirm)),
    WARNING_IGNORED("a commit with a warning is a success", transactions(WrongFaults::ignoreWarning)),

    // Batches.
    BATCH_LEADS_WHERE_THERE_IS_A_RECORD("every claim of a batch leads", ofSteps(WrongBatches::claimsAlwaysLead)),
    BATCH_COUNTS_NO_MARKS("a batch commits although a mark changed nothing", committing(WrongBatches::markAndBelieve)),
    BATCH_LEADS_AND_COUNTS_NO_MARKS(
            "every claim of a batch leads, and no mark is counted",
            ofSteps(WrongBatches::claimsAlwaysLeadAndMarksAreNotCounted)),
    BATCH_INSERT_LEAVES_RECORDS_OUT(
            "an insert of many with the commit leaves out those that are there",
            insertingAll(WrongBatches::leavesRecordsOut)),

    // Releases.
    RELEASE_IGNORES_THE_TOKEN("a release removes the claim of any token", ofSteps(WrongTokens::releaseOfAnyToken)),
    RELEASE_IGNORES_THE_STATE("a release removes terminal records", WrongPurges::releaseTerminalRecords),

    // Claims.
    CLAIM_OVERWRITES_A_PENDING_RECORD("a claim overwrites a pending record", claiming(WrongClaims::overwritesPending)),
    CLAIM_LEADS_AGAIN_AFTER_A_FAILURE(
            "a claim leads again after a failure",
            claiming(claim -> claim.make().filter(found -> !isFailed(found)))),
    CLAIM_ALWAYS_LEADS("every claim leads", claiming(WrongClaims::alwaysLeads)),
    CLAIM_IS_CHECKED_AND_THEN_MADE(
            "a claim leads where another is not committed yet", claiming(WrongClaims::checksAndThenClaims)),
    CLAIM_DOES_NOT_WAIT(
            "a claim does not wait for another's commit",
            claiming(claim -> claim.within(Duration.ofNanos(1)).make())),
    CLAIM_WAITS_BEHIND_A_MARK(
            "a claim waits for a mark to commit",
            claiming(claim -> claim.real().lock(claim.key(), claim.lockWait()).or(claim::make))),
    CLAIM_FORGETS_THE_PLAN("a claim stores no plan", storing(WrongClaims::withoutPlan)),
    CLAIM_FORGETS_THE_PROTOCOL(
            "a claim stores CLAIM_FIRST always",
            storing(pending -> Records.withProtocol(pending, Protocol.CLAIM_FIRST))),
    CLAIM_FORGETS_THE_FINGERPRINT("a claim stores an empty fingerprint", storing(WrongClaims::withoutFingerprint)),
    CLAIM_ALONE_IS_ROLLED_BACK(
            "a step in a transaction of its own is rolled back", WrongTransactions::rollSingleStepsBack),
    CLAIM_IS_ASYNCHRONOUS(
            "the claim of an effect elsewhere commits asynchronously",
            claiming(claim -> claim.with(Durability.ASYNCHRONOUS).make())),
    EXTERNAL_TAKE_OVER("effects elsewhere are taken over", claiming(WrongClaims::takesOver)),
    ARBITER_USES_ITS_OWN_PROTOCOL(
            "an arbiter follows its own protocol instead of the record's",
            ofSteps(WrongReads::takeEveryRecordForClaimFirst)),

    // Follow-ups of external effects.
    FOLLOW_UP_IS_FORGOTTEN(
            "an operation without a follow-up heals an attempt that owes one",
            ofSteps(WrongFollowUps::forgetWhatIsOwed)),
    FOLLOW_UP_FAILS_THE_ATTEMPT("a follow-up that throws fails the attempt", knowing(WrongFollowUps::failInstead)),
    BROKEN_FOLLOW_UP_IS_FORGOTTEN(
            "a follow-up that ended its transaction runs again", knowing(WrongFollowUps::forgetThatItBroke)),
    FOLLOW_UP_WITHOUT_A_RECORD("a follow-up does not need its record", WrongFollowUps.OfNoRecord::new),

    // Inserts with the commit.
    INSERT_LEAVES_THE_RECORD_OUT(
            "an insert with the commit does nothing where there is a record",
            inserting(WrongClaims::leavesTheRecordOut)),
    REFUSED_INSERT_COMMITS_THE_WORK(
            "an insert with the commit does not wait, and is then left out", inserting(WrongClaims::insertsIfAtOnce)),
    INSERT_IGNORES_AN_ENDED_TRANSACTION(
            "an insert with the commit does not notice that its transaction has ended",
            inserting(WrongClaims::insertsIntoAnyTransaction)),
    CLAIM_IS_INSERTED_AFTER_THE_WORK("a claim is inserted after the work", ofSteps(WrongClaims::insertsLast)),
    READ_FINDS_NOTHING("a read finds no record", reading(WrongReads::findNothing)),

    // Keys.
    KEYS_ARE_FOLDED("keys that differ in case are one key", WrongClaims.keys(WrongClaims::folded)),
    KEYS_ARE_CUT("keys that differ after 200 characters are one key", WrongClaims.keys(WrongClaims::cut)),
    SCOPE_IS_NOT_PART_OF_THE_KEY("keys of different scopes are one key", WrongClaims.keys(WrongClaims::withoutScope)),

    // Reads and locks.
    TERMINAL_RECORD_FORGETS_ITS_TOKEN("a success has no token", WrongReads.seeing(WrongReads::withoutToken)),
    AGE_IS_OF_ANOTHER_CLOCK("ages are an hour too great", WrongReads.seeing(WrongReads::ofAnotherClock)),
    READ_SEES_UNCOMMITTED_CLAIMS("a read sees claims that are not committed", WrongReads::seeUncommittedClaims),
    LOCK_DOES_NOT_LOCK("a lock reads only", locking((real, key, lockWait) -> real.read(key))),
    LOCK_ALWAYS_WAITS(
            "a lock without a wait waits",
            locking((real, key, lockWait) -> real.lock(key, lockWait.isZero() ? Duration.ofSeconds(1) : lockWait))),
    LOCK_DOES_NOT_WAIT(
            "a lock with a wait does not wait", locking((real, key, lockWait) -> real.lock(key, Duration.ZERO))),
    LOCK_READS_BEFORE_IT_WAITS(
            "a lock returns the record from before its wait", locking(WrongReads::readBeforeTheyLock)),

    // Purges.
    PURGE_TAKES_PENDING_RECORDS("the purge looks at ages only", WrongPurges.OfPending::new),
    PURGE_TAKES_WHAT_HAS_NOT_EXPIRED(
            "the purge takes records before their retention",
            claiming(claim -> claim.keptFor(Duration.ofNanos(1)).make())),
    PURGE_COUNTS_FROM_THE_CLAIM_ONLY("the retention is counted from the claim", WrongPurges::countFromTheClaim),
    PURGE_TAKES_MORE_THAN_ITS_BATCH("the purge ignores its batch", WrongPurges::takeEverything),
    PURGE_DOES_NOTHING("the purge does nothing", WrongPurges::takeNothing),

    // Transactions and sessions.
    COMMITS_AFTER_AN_EXCEPTION(
            "a transaction whose body throws is committed", transactions(WrongTransactions::throwAfterwards)),
    COMMITS_ANY_TRANSACTION(
            "a transaction that has ended passes for the one that is required",
            committing(WrongTransactions::requireNothing)),
    COMMITS_EVERY_STEP_BY_ITSELF("every step commits by itself", WrongTransactions::commitEveryStep),
    WRAPS_WHAT_WAS_THROWN("a transaction wraps what its body throws", transactions(WrongTransactions::wrapped)),
    OPENS_A_SESSION_INSIDE_A_TRANSACTION("a session opens inside a transaction", WrongTransactions::nest),
    CLOSES_ONLY_ONCE("a session cannot be closed twice", WrongTransactions::closeOnce),

    // Faults.
    LOOKS_AT_NO_CAUSES(
            "the causes of an exception are not looked at",
            classifying((store, thrown) -> thrown.getCause() == null ? store.classify(thrown) : Fault.UNRECOGNISED)),
    KNOWS_NO_FAULT("no fault is recognised", classifying((store, thrown) -> Fault.UNRECOGNISED)),
    TAKES_EVERYTHING_FOR_A_CONFLICT("every exception is a conflict", classifying((store, thrown) -> Fault.CONFLICT)),

    // Nodes with local locks.
    LOCKS_ARE_TAKEN_FOR_GLOBAL("locks of one node are taken for global", WrongOverNodes::takesLocksForGlobal),
    RELEASES_AFTER_A_DOUBT(
            "no failure keeps out a commit that was not answered", WrongOverNodes.ReleasesAfterADoubt::new),
    RELEASES_WITHOUT_A_WRITE("a release is not confirmed by a write", WrongOverNodes::releasesWithoutAWrite),
    ARBITER_BELIEVES_BEFORE_ITS_COMMIT(
            "an arbiter believes what it wrote although its commit was refused",
            WrongOverNodes::believesBeforeTheCommit);

    private final String description;

    @SuppressWarnings("ImmutableEnumChecker") // It has no state: each store that it makes has its own.
    private final Decoration decoration;

    BrokenStore(String description, Decoration decoration) {
        this.description = description;
        this.decoration = decoration;
    }

    /**
     * Breaks a store. The result shares no state with other broken stores.
     *
     * @param <C> the handle of the store
     * @param store a correct store
     * @return that store with this bug in front of it
     */
    public <C> IdempotencyStore<C> over(IdempotencyStore<C> store) {
        return decoration.over(store);
    }

    /** One sentence that describes the bug. */
    public String description() {
        return description;
    }

    @Override
    public String toString() {
        return description;
    }
}
