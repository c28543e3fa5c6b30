package io.counterpoint.idempotency.torture;

import java.time.Duration;

/** The configuration of the operation under torture. */
enum Mode {
    CLAIM_FIRST("claim first", Protocol.CLAIM_FIRST, false, Lookup.NONE, false, false, false),
    CLAIM_FIRST_PLANNED(
            "claim first, planned, durable claims", Protocol.CLAIM_FIRST, true, Lookup.BY_PLAN, false, true, false),
    TAKE_OVER("claim first, takeover, planned", Protocol.CLAIM_FIRST, true, Lookup.NONE, true, false, false),
    TAKE_OVER_DURABLE(
            "claim first, takeover, durable claims", Protocol.CLAIM_FIRST, false, Lookup.BY_KEY, true, true, false),
    SINGLE("single transaction", Protocol.SINGLE_TRANSACTION, false, Lookup.NONE, false, false, false),
    SINGLE_PLANNED("single transaction, planned", Protocol.SINGLE_TRANSACTION, true, Lookup.NONE, false, false, false),
    RECORD_LAST("record last", Protocol.RECORD_LAST, false, Lookup.NONE, false, false, false),
    RECORD_LAST_TURNS(
            "record last, turns that lie, of some processes",
            Protocol.RECORD_LAST,
            false,
            Lookup.NONE,
            false,
            false,
            false),
    RECORD_LAST_PLANNED("record last, planned", Protocol.RECORD_LAST, true, Lookup.NONE, false, false, false),
    BATCH("batches in one transaction", Protocol.BATCH, false, Lookup.NONE, false, false, false),
    BATCH_RECORD_LAST("batches, record last", Protocol.BATCH_RECORD_LAST, false, Lookup.NONE, false, false, false),
    BATCH_EACH_ITS_OWN("batches, each its own", Protocol.BATCH_EACH_ITS_OWN, false, Lookup.NONE, false, false, false),
    EXTERNAL("external", Protocol.EXTERNAL, false, Lookup.BY_KEY, false, false, false),
    EXTERNAL_PLANNED("external, planned", Protocol.EXTERNAL, true, Lookup.BY_PLAN, false, false, false),
    EXTERNAL_THEN("external, followed up", Protocol.EXTERNAL_THEN, false, Lookup.BY_KEY, false, false, false),
    SPRING_CLAIM_FIRST(
            "claim first, Spring's transactions", Protocol.CLAIM_FIRST, false, Lookup.NONE, false, false, false),
    SPRING_SINGLE("single transaction of Spring", Protocol.SINGLE_TRANSACTION, false, Lookup.NONE, false, false, false),
    FAILOVER_CLAIM_FIRST("claim first, failovers", Protocol.CLAIM_FIRST, false, Lookup.NONE, false, false, true),
    FAILOVER_SINGLE(
            "single transaction, failovers", Protocol.SINGLE_TRANSACTION, false, Lookup.NONE, false, false, true),
    FAILOVER_RECORD_LAST("record last, failovers", Protocol.RECORD_LAST, false, Lookup.NONE, false, false, true),
    FAILOVER_DURABLE_REPLAYS(
            "claim first, durable replays, failovers", Protocol.CLAIM_FIRST, false, Lookup.NONE, false, false, true),
    FAILOVER_EXTERNAL("external, failovers", Protocol.EXTERNAL, false, Lookup.BY_KEY, false, false, true);

    /** The limit for waiting for a connection. */
    static final Duration CONNECTION_WAIT = Duration.ofSeconds(1);

    /** The limit for a statement without a reply; pgjdbc counts in seconds. */
    static final Duration SILENCE = Duration.ofSeconds(2);

    /** The limit for the library's own lock waits. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    /** How long the library retries a step without a reply, from the first attempt on. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The limit for a request to the provider. */
    static final Duration PROVIDER_WAIT = Duration.ofMillis(500);

    /** The longest pause of the work. */
    static final Duration WORK = Duration.ofMillis(60);

    static final int RETRIES = 2;

    static final int MOST_OF_A_BATCH = 12;

    /** The time after which a batch begins nothing more. */
    static final Duration BATCH_TIME = Duration.ofSeconds(5);

    /** The age at which a leader counts as dead. */
    static final Duration GRACE = Duration.ofMillis(300);

    /** How long some callers of {@code CLAIM_FIRST} and {@code EXTERNAL} wait for a leader. */
    static final Duration WAIT = Duration.ofMillis(200);

    private final String text;
    private final Protocol protocol;
    private final boolean planned;
    private final Lookup lookUp;
    private final boolean takesOver;
    private final boolean durableClaims;
    private final boolean replicated;

    Mode(
            String text,
            Protocol protocol,
            boolean planned,
            Lookup lookUp,
            boolean takesOver,
            boolean durableClaims,
            boolean replicated) {
        this.text = text;
        this.protocol = protocol;
        this.planned = planned;
        this.lookUp = lookUp;
        this.takesOver = takesOver;
        this.durableClaims = durableClaims;
        this.replicated = replicated;
    }

    /** Whether a Spring transaction manager begins and ends the transactions. */
    boolean isOfSpring() {
        return this == SPRING_CLAIM_FIRST || this == SPRING_SINGLE;
    }

    boolean isExternal() {
        return protocol == Protocol.EXTERNAL || hasFollowUp();
    }

    /** Whether the effect is a charge of the {@link Provider}, with a follow-up in the records' database. */
    boolean hasFollowUp() {
        return protocol == Protocol.EXTERNAL_THEN;
    }

    /** Whether effects are in a separate database. */
    boolean hasEffectsElsewhere() {
        return protocol == Protocol.EXTERNAL;
    }

    boolean isPlanned() {
        return planned;
    }

    boolean takesOver() {
        return takesOver;
    }

    boolean isSingleTransaction() {
        return protocol == Protocol.SINGLE_TRANSACTION || protocol == Protocol.BATCH;
    }

    /** Whether most calls are batches. */
    boolean hasBatches() {
        return batchesInOneTransaction() || protocol == Protocol.BATCH_EACH_ITS_OWN;
    }

    boolean batchesInOneTransaction() {
        return protocol == Protocol.BATCH || protocol == Protocol.BATCH_RECORD_LAST;
    }

    boolean recordsLast() {
        return protocol == Protocol.RECORD_LAST || protocol == Protocol.BATCH_RECORD_LAST;
    }

    /** Whether some of the processes take {@linkplain LyingTurns turns} across processes. */
    boolean takesTurns() {
        return this == RECORD_LAST_TURNS;
    }

    boolean looksUpByKey() {
        return lookUp == Lookup.BY_KEY;
    }

    boolean looksUpByPlan() {
        return lookUp == Lookup.BY_PLAN;
    }

    /** Whether the records have a synchronous standby, which is promoted now and then. */
    boolean isReplicated() {
        return replicated;
    }

    /** Whether a follower's outcome is as durable as a leader's, even if the follower has only read it. */
    boolean hasDurableReplays() {
        return this == FAILOVER_DURABLE_REPLAYS;
    }

    /** Whether claims never commit asynchronously, even if the protocol would allow it. */
    boolean hasDurableClaims() {
        return durableClaims;
    }

    /**
     * Whether some keys are purged while they are in use. Not if effects are looked up by key, because the lookup would
     * find the effect of the key's previous life. Not if the record is inserted last, because a retention shorter than
     * a call is rejected there. Not in batches, because the keys of a batch share one retention.
     */
    boolean hasBriefKeys() {
        return lookUp != Lookup.BY_KEY && !recordsLast() && !hasBatches();
    }

    /**
     * The deadline of a call, which is the sum of the limits of its parts. A run of the work gets a connection, waits
     * for a lock, pauses, and loses its connection at the first statement without a reply. A commit in doubt, a claim
     * and a failure mark are retried for the library's longest wait, and the last attempt may remain without a reply,
     * too.
     */
    Duration deadline() {
        return deadline(protocol);
    }

    private static Duration deadline(Protocol protocol) {
        Duration attempt = CONNECTION_WAIT.plus(LOCK_WAIT).plus(SILENCE);
        Duration stubborn = PATIENCE.plus(attempt);
        Duration run = attempt.plus(WORK);
        Duration pause = Duration.ofSeconds(1);
        return switch (protocol) {
            // After a commit in doubt, it continues like claim first.
            case CLAIM_FIRST, RECORD_LAST ->
                stubborn.plus(run.plus(stubborn).plus(pause).multipliedBy(RETRIES + 1))
                        .plus(stubborn);
            case SINGLE_TRANSACTION ->
                stubborn.plus(run.plus(pause).multipliedBy(RETRIES + 1)).plus(stubborn);
            // The follow-up runs like the work of claim first; lookups and the work wait for the provider.
            case EXTERNAL_THEN -> deadline(Protocol.CLAIM_FIRST).plus(PROVIDER_WAIT.multipliedBy(RETRIES + 2));
            case EXTERNAL -> stubborn.plus(run).plus(stubborn);
            // The last thing that a batch begins is a transaction of several attempts, or a single attempt.
            case BATCH ->
                BATCH_TIME
                        .plus(stubborn)
                        .plus(WORK.multipliedBy(MOST_OF_A_BATCH))
                        .plus(deadline(Protocol.SINGLE_TRANSACTION));
            // Each attempt of a transaction resolves a commit in doubt, one after the other.
            case BATCH_RECORD_LAST ->
                BATCH_TIME
                        .plus(WORK.multipliedBy(MOST_OF_A_BATCH))
                        .plus(deadline(Protocol.RECORD_LAST).multipliedBy(MOST_OF_A_BATCH));
            case BATCH_EACH_ITS_OWN -> BATCH_TIME.plus(attempt).plus(deadline(Protocol.CLAIM_FIRST));
        };
    }

    /** As on a command line. */
    String option() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    @Override
    public String toString() {
        return text;
    }

    private enum Protocol {
        CLAIM_FIRST,
        SINGLE_TRANSACTION,
        RECORD_LAST,
        BATCH,
        BATCH_RECORD_LAST,
        BATCH_EACH_ITS_OWN,
        EXTERNAL,
        EXTERNAL_THEN
    }

    private enum Lookup {
        NONE,
        BY_PLAN,
        BY_KEY
    }
}
