package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.MisuseException;
import io.counterpoint.idempotency.explorer.Configuration.Abandoned;
import io.counterpoint.idempotency.explorer.Configuration.Way;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The ways to set operations up, alone and beside each other. */
final class Scenarios {

    private static final Configuration FAIL = Configuration.claimFirst(Abandoned.FAIL);
    private static final Configuration TAKE_OVER = Configuration.claimFirst(Abandoned.TAKE_OVER);
    private static final Configuration LEAVE = Configuration.claimFirst(Abandoned.LEAVE);
    private static final Configuration SINGLE = Configuration.singleTransaction();
    private static final Configuration LAST = Configuration.recordLast(Abandoned.FAIL);
    private static final Configuration TURNS = LAST.takingTurns();
    private static final Configuration EXTERNAL = Configuration.external();

    private static final Configuration THEN = EXTERNAL.followingUp();

    private Scenarios() {}

    /** Beside a standby that is promoted: one call after the other of one process, and two callers at once. */
    static Stream<Scenario> replicated() {
        Bounds oneAfterTheOther = new Bounds(1, 2, 2, 1, 1, 0, 0);
        Bounds twoAtOnce = new Bounds(2, 1, 2, 1, 1, 0, 0);
        return Stream.of(
                        Scenario.of("CLAIM_FIRST, fail", oneAfterTheOther, FAIL),
                        Scenario.of("CLAIM_FIRST, fail, retry", oneAfterTheOther, FAIL.retrying()),
                        Scenario.of("CLAIM_FIRST, fail, two", twoAtOnce, FAIL),
                        Scenario.of("CLAIM_FIRST, take over, plan", twoAtOnce, TAKE_OVER.withPlan()),
                        Scenario.of("CLAIM_FIRST, release", oneAfterTheOther, FAIL.releasing()),
                        Scenario.of("CLAIM_FIRST, lookup, two", twoAtOnce, LEAVE.lookingUp()),
                        Scenario.of("SINGLE_TRANSACTION", oneAfterTheOther, SINGLE),
                        Scenario.of("SINGLE_TRANSACTION, plan, two", twoAtOnce, SINGLE.withPlan()),
                        Scenario.of(
                                "SINGLE_TRANSACTION, retry, release",
                                oneAfterTheOther,
                                SINGLE.retrying().releasing()),
                        Scenario.of("RECORD_LAST", oneAfterTheOther, LAST),
                        Scenario.of("RECORD_LAST, two", twoAtOnce, LAST),
                        Scenario.of("RECORD_LAST, turns, two", twoAtOnce, TURNS),
                        Scenario.of("RECORD_LAST, retry", oneAfterTheOther, LAST.retrying()),
                        Scenario.of("EXTERNAL", oneAfterTheOther, EXTERNAL),
                        Scenario.of("EXTERNAL, two", twoAtOnce, EXTERNAL),
                        Scenario.of("EXTERNAL, release", oneAfterTheOther, EXTERNAL.releasing()),
                        Scenario.of("EXTERNAL_THEN", oneAfterTheOther, THEN),
                        Scenario.of("EXTERNAL_THEN, two", twoAtOnce, THEN))
                .map(Scenario::withStandby);
    }

    /**
     * Whatever a store, a pool or work may throw, in place of any answer: while a commit is in doubt, and before. Misuse
     * is found where a connection is refused.
     */
    static Stream<Scenario> throwing() {
        Bounds bounds = new Bounds(2, 1, 2, 0, 1, 0, 0);
        Map<String, UnaryOperator<Configuration>> ways = Map.of(
                "misuse",
                one -> one.refusing(() -> new MisuseException("a transaction has begun")),
                "pool",
                one -> one.refusing(() -> new IllegalStateException("no target data source")),
                "every step and checked",
                one -> one.losing(() -> new IllegalStateException("no target data source"))
                        .throwing(Exception::new),
                "errors",
                one -> one.losing(() -> new AssertionError("of the driver")).throwing(AssertionError::new),
                "interrupts",
                one -> one.losing(Injected::interrupted)
                        .throwing(failed -> new InterruptedException().initCause(failed)));
        return ways.entrySet().stream()
                .flatMap(way -> Stream.of(
                                FAIL.retrying(), SINGLE, SINGLE.withPlan(), LAST, EXTERNAL, EXTERNAL.releasing())
                        .map(one -> Scenario.of(
                                one.protocol() + (one.planned() ? ", plan" : "") + (one.releases() ? ", release" : "")
                                        + ", " + way.getKey(),
                                bounds,
                                way.getValue().apply(one))));
    }

    /** A key whose record is resolved and purged while its leader works, and then is another request's. */
    static Stream<Scenario> reused() {
        Bounds oneOfEach = new Bounds(3, 1, 0, 0, 0, 0, 1);
        return Stream.of(
                Scenario.of("EXTERNAL, another request", oneOfEach, EXTERNAL, EXTERNAL, EXTERNAL.requesting("another")),
                Scenario.of(
                        "EXTERNAL, plan, another request",
                        oneOfEach,
                        EXTERNAL.withPlan(),
                        EXTERNAL.withPlan(),
                        EXTERNAL.withPlan().requesting("another")));
    }

    /** An external effect and its follow-up, by each who may find out, and beside one who knows of no follow-up. */
    private static Stream<Scenario> followingUp(int callers, int tries, int faults) {
        Bounds plain = new Bounds(callers, tries, faults, 1, 1, 0, 0);
        Bounds withPurge = new Bounds(callers, tries, faults, 0, 0, 0, 1);
        return Stream.of(
                Scenario.of("EXTERNAL_THEN", plain, THEN),
                Scenario.of("EXTERNAL_THEN, retry", plain, THEN.retrying()),
                Scenario.of("EXTERNAL_THEN, plan", plain, THEN.withPlan()),
                Scenario.of("EXTERNAL_THEN, release", plain, THEN.releasing()),
                Scenario.of("EXTERNAL_THEN, purge", withPurge, THEN),
                Scenario.of("EXTERNAL_THEN, asynchronous", plain, THEN.by(Way.EXECUTES_ASYNCHRONOUSLY), THEN),
                Scenario.of("EXTERNAL_THEN, settled", plain, THEN, THEN.by(Way.SETTLES), THEN),
                Scenario.of("EXTERNAL_THEN, resolved", plain, THEN, THEN.by(Way.RESOLVES), THEN),
                Scenario.of("EXTERNAL_THEN beside EXTERNAL", plain, THEN, EXTERNAL));
    }

    /** Work that ends its transaction by SQL text, once, and then returns or throws. Its process lives on. */
    static Stream<Scenario> endingTransactions() {
        Bounds calls = new Bounds(2, 2, 0, 0, 1, 0, 0);
        // Each process works once before it meets a record that is inserted last. And until it is recorded that a
        // follow-up
        // has ended its transaction, another caller may follow up.
        Bounds alone = new Bounds(1, 2, 0, 0, 1, 0, 0);
        return Stream.of(
                Scenario.of("CLAIM_FIRST, fail, ended", calls, FAIL.endingTransactions()),
                Scenario.of(
                        "CLAIM_FIRST, take over, plan, ended",
                        calls,
                        TAKE_OVER.withPlan().endingTransactions()),
                Scenario.of(
                        "CLAIM_FIRST, retry, release, ended",
                        calls,
                        FAIL.retrying().releasing().endingTransactions()),
                Scenario.of("SINGLE_TRANSACTION, ended", calls, SINGLE.endingTransactions()),
                Scenario.of(
                        "SINGLE_TRANSACTION, release, ended",
                        calls,
                        SINGLE.releasing().endingTransactions()),
                Scenario.of(
                        "SINGLE_TRANSACTION, plan, ended",
                        calls,
                        SINGLE.withPlan().endingTransactions()),
                Scenario.of("RECORD_LAST, ended", alone, LAST.endingTransactions()),
                Scenario.of("EXTERNAL_THEN, ended", alone, THEN.endingTransactions()));
    }

    /** On nodes that lock for themselves: few schedules of each hazard. All scenarios take minutes. */
    static Stream<Scenario> withLocalLocks() {
        Bounds alone = new Bounds(1, 1, 2, 0, 1, 0, 0);
        Bounds twoAtOnce = new Bounds(2, 1, 1, 0, 1, 0, 0);
        Bounds withGrace = new Bounds(2, 1, 0, 0, 0, 1, 0);
        return Stream.of(
                        Scenario.of("CLAIM_FIRST, fail, retry", alone, FAIL.retrying()),
                        Scenario.of("CLAIM_FIRST, fail, retry, two", withGrace, FAIL.retrying()),
                        Scenario.of("CLAIM_FIRST, release", alone, FAIL.releasing()),
                        Scenario.of("CLAIM_FIRST, take over, plan, two", withGrace, TAKE_OVER.withPlan()),
                        Scenario.of("SINGLE_TRANSACTION, release", alone, SINGLE.releasing()),
                        Scenario.of("SINGLE_TRANSACTION, two", twoAtOnce, SINGLE),
                        Scenario.of("SINGLE_TRANSACTION, plan, two", twoAtOnce, SINGLE.withPlan()),
                        Scenario.of("RECORD_LAST, retry", alone, LAST.retrying()),
                        Scenario.of("RECORD_LAST, two", twoAtOnce, LAST),
                        Scenario.of("EXTERNAL, release", alone, EXTERNAL.releasing()),
                        Scenario.of("EXTERNAL, two", twoAtOnce, EXTERNAL),
                        Scenario.of("EXTERNAL_THEN, two", twoAtOnce, THEN))
                .map(Scenario::withLocalLocks);
    }

    /**
     * All of them, with so many callers, tries and faults. A server that loses its last claims is one of the faults; a
     * single transaction meets one more; where the purge runs there is one less.
     */
    static Stream<Scenario> within(int callers, int tries, int faults) {
        Bounds plain = new Bounds(callers, tries, faults, 1, 1, 0, 0);
        Bounds oneMore = new Bounds(callers, tries, faults + 1, 1, 1, 0, 0);
        Bounds withGrace = new Bounds(callers, tries, faults, 1, 1, 1, 0);
        Bounds withoutFailures = new Bounds(callers, tries, faults, 1, 0, 1, 0);
        Bounds withPurge = new Bounds(callers, tries, faults - 1, 0, 0, 0, 1);
        Bounds withPurgeAndFault = new Bounds(callers, tries, faults, 0, 0, 0, 1);
        Stream<Scenario> others = Stream.of(
                Scenario.of("CLAIM_FIRST, fail", withGrace, FAIL),
                Scenario.of("CLAIM_FIRST, fail, retry", withoutFailures, FAIL.retrying()),
                Scenario.of(
                        "CLAIM_FIRST, fail, plan, lookup",
                        withoutFailures,
                        FAIL.withPlan().lookingUp()),
                Scenario.of("CLAIM_FIRST, fail, release", plain, FAIL.releasing()),
                Scenario.of("CLAIM_FIRST, fail, wait", withoutFailures, FAIL.waiting()),
                Scenario.of("CLAIM_FIRST, take over", withGrace, TAKE_OVER),
                Scenario.of("CLAIM_FIRST, take over, seems claimed", withoutFailures, TAKE_OVER.seemingClaimed()),
                Scenario.of("CLAIM_FIRST, take over, plan", withoutFailures, TAKE_OVER.withPlan()),
                Scenario.of("CLAIM_FIRST, leave, lookup", plain, LEAVE.lookingUp()),
                Scenario.of("CLAIM_FIRST, fail, purge", withPurge, FAIL),
                Scenario.of("SINGLE_TRANSACTION", oneMore, SINGLE),
                Scenario.of("SINGLE_TRANSACTION, seems claimed", plain, SINGLE.seemingClaimed()),
                Scenario.of("SINGLE_TRANSACTION, plan", oneMore, SINGLE.withPlan()),
                Scenario.of(
                        "SINGLE_TRANSACTION, retry, release",
                        plain,
                        SINGLE.retrying().releasing()),
                Scenario.of(
                        "SINGLE_TRANSACTION, plan, retry, purge",
                        withPurge,
                        SINGLE.withPlan().retrying()),
                Scenario.of("SINGLE_TRANSACTION, in doubt and purged", withPurgeAndFault, SINGLE.retrying()),
                Scenario.of("RECORD_LAST", plain, LAST),
                Scenario.of("RECORD_LAST, plan, retry", plain, LAST.withPlan().retrying()),
                Scenario.of("RECORD_LAST, retry", plain, LAST.retrying()),
                Scenario.of("RECORD_LAST, seems claimed", plain, LAST.seemingClaimed()),
                Scenario.of("RECORD_LAST, late and purged", withPurgeAndFault, LAST.retrying()),
                Scenario.of("RECORD_LAST, take over", withGrace, Configuration.recordLast(Abandoned.TAKE_OVER)),
                Scenario.of("RECORD_LAST, turns", oneMore, TURNS),
                Scenario.of("RECORD_LAST, turns, retry", plain, TURNS.retrying()),
                Scenario.of("RECORD_LAST, turns, wait", plain, TURNS.waiting()),
                Scenario.of("RECORD_LAST, turns, late and purged", withPurgeAndFault, TURNS.retrying()),
                Scenario.of("RECORD_LAST, turns, beside RECORD_LAST", plain, TURNS, LAST),
                Scenario.of("RECORD_LAST beside SINGLE_TRANSACTION", plain, LAST, SINGLE),
                Scenario.of("RECORD_LAST beside CLAIM_FIRST, take over", withoutFailures, LAST, TAKE_OVER),
                Scenario.of("RECORD_LAST beside CLAIM_FIRST, release", plain, LAST, FAIL.releasing()),
                Scenario.of("EXTERNAL", plain, EXTERNAL),
                Scenario.of("EXTERNAL, plan, wait", plain, EXTERNAL.withPlan().waiting()),
                Scenario.of("EXTERNAL, seems claimed", plain, EXTERNAL.seemingClaimed()),
                Scenario.of("EXTERNAL, release", plain, EXTERNAL.releasing()),
                Scenario.of("EXTERNAL, purge", withPurge, EXTERNAL),
                Scenario.of("EXTERNAL beside CLAIM_FIRST, take over", withoutFailures, EXTERNAL, TAKE_OVER),
                Scenario.of("EXTERNAL beside CLAIM_FIRST, fail", withoutFailures, EXTERNAL, FAIL),
                Scenario.of("SINGLE_TRANSACTION beside CLAIM_FIRST, take over", withoutFailures, SINGLE, TAKE_OVER));
        return Stream.concat(others, followingUp(callers, tries, faults));
    }
}
