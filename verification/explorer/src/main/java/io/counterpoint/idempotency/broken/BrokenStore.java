package io.counterpoint.idempotency.broken;

import static io.counterpoint.idempotency.broken.Decoration.ofSteps;

import io.counterpoint.idempotency.spi.IdempotencyStore;

/**
 * The catalogue of broken stores: each has one fault, and names it. The contract of stores, the explorer and the
 * torture each choose those that they have to catch.
 */
public enum BrokenStore {
    // Tokens.
    TAKE_OVER_KEEPS_THE_OLD_TOKEN("a takeover keeps the old token", WrongTokens::keptAtTakeOver),
    TAKE_OVER_IGNORES_THE_TOKEN("a takeover replaces any token", ofSteps(WrongChanges::takeOverOfAnyToken)),
    TOKENS_ARE_COUNTED("a counter takes the place of a random token", WrongTokens::counted),
    STALE_LEADER_PASSES("a leader neither locks its record nor states its token", WrongTokens.NotCompared::new),
    HEARTBEAT_IS_NOT_WRITTEN("a heartbeat leaves the record's age as it is", ofSteps(WrongChanges::noHeartbeat)),

    // Failures.
    FAIL_IGNORES_THE_TOKEN("a failure is written under any token", ofSteps(WrongChanges::failureOfAnyToken)),
    FAIL_IS_ALWAYS_REPORTED(
            "a failure is reported although no record has changed", ofSteps(WrongChanges::failureIsAlwaysReported)),
    FAILED_BEFORE_DURABLE("a failure is reported and not written", ofSteps(WrongChanges::failureIsNotWritten)),
    FAIL_REMOVES_THE_RECORD("a failure removes the record", ofSteps(WrongChanges::failureRemovesTheRecord)),
    FAILURE_IS_NOT_INSERTED("a failure without a claim is not inserted", ofSteps(WrongClaims::insertsNoFailure)),
    FAILURE_LOSES_ITS_MESSAGE("a failure loses its message", ofSteps(WrongChanges::failureWithoutItsMessage)),
    FAILED_ON_UNKNOWN_COMMIT("a commit without an answer is a failure", WrongFaults.UnknownCommitFails::new),
    PENDING_IS_FAILED("a follower fails what it finds pending", ofSteps(WrongClaims::failsWhatIsPending)),

    // Successes.
    SUCCEED_IGNORES_THE_TOKEN("a success is written under any token", ofSteps(WrongChanges::successOfAnyToken)),
    SUCCEED_FORGETS_THE_PLAN(
            "a success without a result erases the plan", ofSteps(WrongChanges::successForgetsThePlan)),
    EMPTY_PAYLOAD_IS_STORED_AS_NONE(
            "an empty result is stored as none", ofSteps(WrongChanges::successDropsAnEmptyResult)),
    MARK_OUTSIDE("the success mark follows the commit", WrongTransactions::markFollowsTheCommit),
    CONFIRMED_BY_A_READ("an answer in doubt is confirmed by a read", ofSteps(WrongReads::confirm)),
    WARNING_IGNORED("a commit with a warning is a success", WrongFaults::ignoresWarnings),

    // Batches.
    BATCH_LEADS_WHERE_THERE_IS_A_RECORD("every claim of a batch leads", ofSteps(WrongBatches::claimsAlwaysLead)),
    BATCH_COUNTS_NO_MARKS("a batch commits although a mark changed nothing", ofSteps(WrongBatches::marksAreNotCounted)),
    BATCH_LEADS_AND_COUNTS_NO_MARKS(
            "every claim of a batch leads, and no mark is counted",
            ofSteps(WrongBatches::claimsAlwaysLeadAndMarksAreNotCounted)),

    // Releases.
    RELEASE_IGNORES_THE_TOKEN("a release removes the claim of any token", ofSteps(WrongChanges::releaseOfAnyToken)),
    RELEASE_IGNORES_THE_STATE("a release removes terminal records", WrongPurges::releaseTerminalRecords),

    // Claims.
    CLAIM_OVERWRITES_A_PENDING_RECORD("a claim overwrites a pending record", ofSteps(WrongClaims::overwritesPending)),
    CLAIM_LEADS_AGAIN_AFTER_A_FAILURE(
            "a claim leads again after a failure", ofSteps(WrongClaims::leadsAgainAfterAFailure)),
    CLAIM_ALWAYS_LEADS("every claim leads", ofSteps(WrongClaims::alwaysLeads)),
    CLAIM_IS_CHECKED_AND_THEN_MADE(
            "a claim leads where another is not committed yet", ofSteps(WrongClaims::checksAndThenClaims)),
    CLAIM_DOES_NOT_WAIT("a claim does not wait for another's commit", ofSteps(WrongClaims::doesNotWait)),
    CLAIM_WAITS_BEHIND_A_MARK("a claim waits for a mark to commit", ofSteps(WrongClaims::waitsBehindAMark)),
    CLAIM_FORGETS_THE_PLAN("a claim stores no plan", ofSteps(WrongClaims::forgetsThePlan)),
    CLAIM_FORGETS_THE_PROTOCOL("a claim stores CLAIM_FIRST always", ofSteps(WrongClaims::forgetsTheProtocol)),
    CLAIM_FORGETS_THE_FINGERPRINT("a claim stores an empty fingerprint", ofSteps(WrongClaims::forgetsTheFingerprint)),
    CLAIM_ALONE_IS_ROLLED_BACK(
            "a step in a transaction of its own is rolled back", WrongTransactions::rollSingleStepsBack),
    CLAIM_IS_ASYNCHRONOUS(
            "the claim of an effect elsewhere commits asynchronously", ofSteps(WrongClaims::asynchronous)),
    EXTERNAL_TAKE_OVER("effects elsewhere are taken over", ofSteps(WrongClaims::takesOver)),
    ARBITER_USES_ITS_OWN_PROTOCOL(
            "an arbiter follows its own protocol instead of the record's",
            ofSteps(WrongReads::takeEveryRecordForClaimFirst)),

    // Inserts with the commit.
    INSERT_LEAVES_THE_RECORD_OUT(
            "an insert with the commit does nothing where there is a record", ofSteps(WrongClaims::leavesTheRecordOut)),
    REFUSED_INSERT_COMMITS_THE_WORK(
            "an insert with the commit does not wait, and is then left out", ofSteps(WrongClaims::insertsIfAtOnce)),
    INSERT_IGNORES_AN_ENDED_TRANSACTION(
            "an insert with the commit does not notice that its transaction has ended",
            ofSteps(WrongClaims::insertsIntoAnyTransaction)),
    CLAIM_IS_INSERTED_AFTER_THE_WORK("a claim is inserted after the work", ofSteps(WrongClaims::insertsLast)),
    READ_FINDS_NOTHING("a read finds no record", ofSteps(WrongReads::findNothing)),

    // Keys.
    KEYS_ARE_FOLDED("keys that differ in case are one key", ofSteps(WrongClaims::foldsKeys)),
    KEYS_ARE_CUT("keys that differ after 200 characters are one key", ofSteps(WrongClaims::cutsKeys)),
    SCOPE_IS_NOT_PART_OF_THE_KEY("keys of different scopes are one key", ofSteps(WrongClaims::forgetsTheScope)),

    // Reads and locks.
    TERMINAL_RECORD_FORGETS_ITS_TOKEN("a success has no token", ofSteps(WrongReads::forgetTheToken)),
    AGE_IS_OF_ANOTHER_CLOCK("ages are an hour too great", ofSteps(WrongReads::useAnotherClock)),
    READ_SEES_UNCOMMITTED_CLAIMS("a read sees claims that are not committed", WrongReads::seeUncommittedClaims),
    LOCK_DOES_NOT_LOCK("a lock reads only", ofSteps(WrongReads::doNotLock)),
    LOCK_ALWAYS_WAITS("a lock without a wait waits", ofSteps(WrongReads::alwaysWaitForTheLock)),
    LOCK_DOES_NOT_WAIT("a lock with a wait does not wait", ofSteps(WrongReads::neverWaitForTheLock)),
    LOCK_READS_BEFORE_IT_WAITS(
            "a lock returns the record from before its wait", ofSteps(WrongReads::readBeforeTheyLock)),

    // Purges.
    PURGE_TAKES_PENDING_RECORDS("the purge looks at ages only", WrongPurges.OfPending::new),
    PURGE_TAKES_WHAT_HAS_NOT_EXPIRED(
            "the purge takes records before their retention", ofSteps(WrongClaims::forgetsTheRetention)),
    PURGE_COUNTS_FROM_THE_CLAIM_ONLY("the retention is counted from the claim", WrongPurges::countFromTheClaim),
    PURGE_TAKES_MORE_THAN_ITS_BATCH("the purge ignores its batch", WrongPurges::takeEverything),
    PURGE_DOES_NOTHING("the purge does nothing", WrongPurges::takeNothing),

    // Transactions and sessions.
    COMMITS_AFTER_AN_EXCEPTION(
            "a transaction whose body throws is committed", WrongTransactions::commitAfterAnException),
    COMMITS_ANY_TRANSACTION(
            "a transaction that has ended passes for the one that is required",
            ofSteps(WrongTransactions::requireNothing)),
    COMMITS_EVERY_STEP_BY_ITSELF("every step commits by itself", WrongTransactions::commitEveryStep),
    WRAPS_WHAT_WAS_THROWN("a transaction wraps what its body throws", WrongTransactions::wrapWhatWasThrown),
    OPENS_A_SESSION_INSIDE_A_TRANSACTION("a session opens inside a transaction", WrongTransactions::nest),
    CLOSES_ONLY_ONCE("a session cannot be closed twice", WrongTransactions::closeOnce),

    // Faults.
    LOOKS_AT_NO_CAUSES("the causes of an exception are not looked at", WrongFaults::looksAtNoCauses),
    KNOWS_NO_FAULT("no fault is recognised", WrongFaults::knowsNone),
    TAKES_EVERYTHING_FOR_A_CONFLICT("every exception is a conflict", WrongFaults::takesAllForConflicts),

    // Nodes that lock for themselves.
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
     * Breaks a store. The result has no state of another broken store.
     *
     * @param <C> the handle of the store
     * @param store a store that is right
     * @return that store with this wrong behaviour in front
     */
    public <C> IdempotencyStore<C> over(IdempotencyStore<C> store) {
        return decoration.over(store);
    }

    /** One sentence that says what is wrong. */
    public String description() {
        return description;
    }

    @Override
    public String toString() {
        return description;
    }
}
