package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.jdbc.CoalescingStore;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** All ways to create a group that are compared, on one database. */
final class Variants implements AutoCloseable {

    static final String UNPROTECTED = "unprotected";
    static final String SINGLE_PLANNED = "SINGLE_TRANSACTION, plan";
    static final String SINGLE = "SINGLE_TRANSACTION";
    static final String BY_SESSION = ", bound of the session";
    static final String RECORD_LAST = "RECORD_LAST";
    static final String TURNS = ", turns";
    static final String CLAIM_FIRST_PLANNED = "CLAIM_FIRST, plan";
    static final String CLAIM_FIRST = "CLAIM_FIRST";
    static final String EXTERNAL = "EXTERNAL";
    static final String FOLLOW_UP = "EXTERNAL, follow-up";
    static final String COALESCED = "CLAIM_FIRST, coalesced reads";
    static final String SPRING = "Spring Integration JdbcMetadataStore";
    static final String SPRING_BEFORE = SPRING + ", before";
    static final String DBOS = "DBOS Transact";
    static final String SELECT = "primary-key SELECT";

    private static final String OURS =
            "one effect per key; retries learn the result or the failure; other requests under"
                    + " the key refused; lost commit answers resolved; writes of stale leaders refused; waits bounded";
    private static final String OURS_AFTER_THE_WORK =
            "one effect per key; retries learn the result or the failure; other requests under the key refused, after"
                    + " the work; lost commit answers resolved. Not: a bound on a duplicate's wait that is shorter than"
                    + " the work's own locks";
    private static final String NOTHING = "of two calls with one key one has an effect; nothing else: no comparison of"
            + " requests, no answer to a lost commit, no bound on waiting";

    private final JdbcIdempotencyStore store;
    private final HandWrittenSql byHand;
    private final LibraryVariant ours;
    private final BenchmarkDatabase database;
    private final SpringMetadataStore spring;
    private final UniqueColumn uniqueColumn;
    private @Nullable DbosWorkflows dbos;

    Variants(BenchmarkDatabase database) {
        this.database = database;
        this.store = JdbcIdempotencyStore.builder(database.pool())
                .table("public.idempotency_record")
                .build()
                .createTableIfMissing();
        this.byHand = new HandWrittenSql(database.pool());
        var unused = store.toBuilder().table(HandWrittenSql.TABLE).build().createTableIfMissing();
        this.ours = new LibraryVariant(store);
        this.spring = new SpringMetadataStore(database);
        this.uniqueColumn = new UniqueColumn(database);
    }

    Variant unprotected() {
        return new Variant(UNPROTECTED, "nothing", byHand.unprotected());
    }

    Variant singlePlanned() {
        return ours(SINGLE_PLANNED, ours.planned("single-planned", Protocol.SINGLE_TRANSACTION));
    }

    Variant single() {
        return ours(SINGLE, ours.unplanned("single", Protocol.SINGLE_TRANSACTION));
    }

    /** Rejected until the table has been checked, so the store creates it. */
    private Variant recordLast() {
        return new Variant(RECORD_LAST, OURS_AFTER_THE_WORK, ours.unplanned("last", Protocol.RECORD_LAST));
    }

    Variant claimFirstPlanned() {
        return ours(CLAIM_FIRST_PLANNED, ours.planned("first-planned", Protocol.CLAIM_FIRST));
    }

    Variant claimFirst() {
        return ours(CLAIM_FIRST, ours.unplanned("first"));
    }

    /** The effect is empty, so that only the records are measured. */
    private Variant external() {
        return new Variant(EXTERNAL, OURS, ours.external("external", false));
    }

    /** The group is the follow-up of an external effect. */
    private Variant followUp() {
        return new Variant(FOLLOW_UP, OURS, ours.external("follow-up", true));
    }

    /** Replays from the records of {@link #claimFirst()}. */
    Variant coalesced() {
        LibraryVariant coalescing = new LibraryVariant(CoalescingStore.of(store, () -> "one"));
        return new Variant(COALESCED, OURS, coalescing.unplanned("first"));
    }

    Variant spring() {
        return new Variant(
                SPRING,
                "one effect per key; retries learn a result known before the work. Not: comparison of requests, stored"
                        + " failures, an answer to a lost commit, a bound on a duplicate's wait, expiry",
                spring.createGroup());
    }

    /** Replays like the other variant, so only leading is compared. */
    private Variant springBefore() {
        return new Variant(
                SPRING_BEFORE,
                "at most one effect per key: a crash between the key and the effect loses the effect, and retries"
                        + " return a result that is not there",
                spring.createGroupAfterwards());
    }

    Variant dbos() {
        return new Variant(
                DBOS,
                "one effect per workflow identifier; unfinished workflows are run to their end after a crash, step by"
                        + " step, which this library does not do. Not: comparison of requests, expiry",
                key -> workflows().createGroup().call(key));
    }

    /** Started at their first call, because their background work would affect other variants. */
    private synchronized DbosWorkflows workflows() {
        if (dbos == null) {
            dbos = new DbosWorkflows(database);
        }
        return dbos;
    }

    private static Variant ours(String name, Variant.Action action) {
        return new Variant(name, byHand(name), OURS, action);
    }

    /** The name of the same statements written by hand. */
    static String byHand(String name) {
        return name + ", by hand";
    }

    /**
     * Creating a group with a new key: first the unprotected transaction, then this library, hand-written SQL and
     * peers.
     */
    List<Variant> leaders() {
        return List.of(
                unprotected(),
                singlePlanned(),
                single(),
                recordLast(),
                claimFirstPlanned(),
                claimFirst(),
                byHand(SINGLE_PLANNED, byHand.singleTransactionPlanned("single-planned")),
                byHand(SINGLE, byHand.singleTransaction("single")),
                byHand(CLAIM_FIRST_PLANNED, byHand.claimFirst("first-planned", true)),
                byHand(CLAIM_FIRST, byHand.claimFirst("first", false)),
                spring(),
                springBefore(),
                dbos());
    }

    private static Variant byHand(String name, Variant.Action action) {
        return new Variant(byHand(name), NOTHING, action);
    }

    /**
     * The options that users have: first no protection, then hand-written SQL, this library starting with the cheapest,
     * and peers.
     */
    List<Variant> choice() {
        return List.of(
                unprotected(),
                uniqueColumn.byHand(),
                recordLast(),
                singlePlanned(),
                single(),
                claimFirst(),
                spring(),
                dbos());
    }

    /** The variants whose server instructions are counted. */
    List<Variant> counted() {
        LibraryVariant bySession =
                new LibraryVariant(store.toBuilder().lockTimeoutOfSession(true).build());
        List<Variant> counted = new ArrayList<>(choice());
        counted.add(new Variant(
                SINGLE_PLANNED + BY_SESSION, OURS, bySession.planned("session-planned", Protocol.SINGLE_TRANSACTION)));
        counted.add(
                new Variant(SINGLE + BY_SESSION, OURS, bySession.unplanned("session", Protocol.SINGLE_TRANSACTION)));
        counted.add(new Variant(
                RECORD_LAST + TURNS,
                OURS_AFTER_THE_WORK,
                new LibraryVariant(store.toBuilder().turnAcrossProcesses(true).build())
                        .unplanned("turns", Protocol.RECORD_LAST)));
        counted.add(external());
        counted.add(followUp());
        return counted;
    }

    /** The minimum that replays a record of {@link #claimFirst()}. */
    Variant select() {
        return new Variant(SELECT, "reads one record", byHand.select("idempotency_record", "first"));
    }

    @Override
    public synchronized void close() {
        if (dbos != null) {
            dbos.close();
        }
    }
}
