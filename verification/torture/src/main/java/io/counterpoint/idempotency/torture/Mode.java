package io.counterpoint.idempotency.torture;

import java.time.Duration;

/** How the operation is set up that is tortured. */
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

    /** The bound of a wait for a connection. */
    static final Duration CONNECTION_WAIT = Duration.ofSeconds(1);

    /** The bound of a statement that is not answered; pgjdbc counts in seconds. */
    static final Duration SILENCE = Duration.ofSeconds(2);

    /** The bound of the library's own waits for a lock. */
    static final Duration LOCK_WAIT = Duration.ofSeconds(1);

    /** How long the library tries a step again that is not answered, from the first time on. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The bound of a request to the provider. */
    static final Duration PROVIDER_WAIT = Duration.ofMillis(500);

    /** The longest that the work pauses. */
    static final Duration WORK = Duration.ofMillis(60);

    static final int RETRIES = 2;

    static final int MOST_OF_A_BATCH = 12;

    /** After which time a batch begins nothing more. */
    static final Duration BATCH_TIME = Duration.ofSeconds(5);

    /** The age at which a leader is taken for dead. */
    static final Duration GRACE = Duration.ofMillis(300);

    /** What some callers of {@code CLAIM_FIRST} and {@code EXTERNAL} wait for a leader. */
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

    /** Whether a transaction manager of Spring begins and ends the transactions. */
    boolean isOfSpring() {
        return this == SPRING_CLAIM_FIRST || this == SPRING_SINGLE;
    }

    boolean isExternal() {
        return protocol == Protocol.EXTERNAL || hasFollowUp();
    }

    /** Whether the effect is a charge of the {@link Provider}, which is followed up in the database of the records. */
    boolean hasFollowUp() {
        return protocol == Protocol.EXTERNAL_THEN;
    }

    /** Whether effects are in a database of their own. */
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

    /** Whether processes, and not all of them, take {@linkplain LyingTurns turns} across processes. */
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

    /** Whether a follower's answer is as durable as a leader's, also where it has only read. */
    boolean hasDurableReplays() {
        return this == FAILOVER_DURABLE_REPLAYS;
    }

    /** Whether claims never commit asynchronously, where the protocol would let them. */
    boolean hasDurableClaims() {
        return durableClaims;
    }

    /**
     * Whether some keys are purged while they are asked for. Not where effects are looked up by key: the lookup would
     * find the effect of the key's last life. Not where the record is inserted last: a retention shorter than a call is
     * refused there. Not in batches: the keys of a batch have one retention.
     */
    boolean hasBriefKeys() {
        return lookUp != Lookup.BY_KEY && !recordsLast() && !hasBatches();
    }

    /**
     * The bound of a call, added up from the bounds of its parts. A run of the work gets a connection, waits for a
     * lock, pauses, and loses its connection at the first statement that is not answered. A commit in doubt, a claim
     * and a failure mark are tried again for the library's longest wait, and the last try may be silent as well.
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
            // After a commit in doubt it goes on as claim first does.
            case CLAIM_FIRST, RECORD_LAST ->
                stubborn.plus(run.plus(stubborn).plus(pause).multipliedBy(RETRIES + 1))
                        .plus(stubborn);
            case SINGLE_TRANSACTION ->
                stubborn.plus(run.plus(pause).multipliedBy(RETRIES + 1)).plus(stubborn);
            // The follow-up runs as the work of claim first does; lookups and the work wait for the provider.
            case EXTERNAL_THEN -> deadline(Protocol.CLAIM_FIRST).plus(PROVIDER_WAIT.multipliedBy(RETRIES + 2));
            case EXTERNAL -> stubborn.plus(run).plus(stubborn);
            // The last that a batch begins is a transaction of several attempts, or one attempt as if alone.
            case BATCH ->
                BATCH_TIME
                        .plus(stubborn)
                        .plus(WORK.multipliedBy(MOST_OF_A_BATCH))
                        .plus(deadline(Protocol.SINGLE_TRANSACTION));
            // A commit in doubt is resolved by each attempt of a transaction, one after the other.
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
