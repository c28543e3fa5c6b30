package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Failed;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testkit.ControllableClock;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** One key: what stands before the call under test, that call, and the one after it. */
final class Trial {

    private static final AtomicInteger KEYS = new AtomicInteger();
    private static final String BOOKED = "-booked";
    private static final Duration AT_ONCE = Duration.ofNanos(1);
    private static final Duration LONG = Duration.ofDays(1);

    final Setting setting;
    final String key;
    private final TestEnvironment stage;
    private final ProtocolVariant way;
    private final Scenario scenario;
    private final Idempotency<Domain> idempotency;
    private final boolean retryTakesOver;
    private final List<String> events = new ArrayList<>();
    private int runs;
    private boolean isRetry;

    Trial(Setting setting, boolean retryTakesOver) {
        this.setting = setting;
        this.stage = setting.stage();
        this.way = setting.way();
        this.scenario = setting.scenario();
        this.key = "key-" + KEYS.incrementAndGet();
        this.idempotency = idempotencyOver(stage.store(setting.made()));
        this.retryTakesOver = retryTakesOver;
    }

    private Idempotency<Domain> idempotencyOver(IdempotencyStore<Domain> store) {
        return Idempotency.builder(store)
                .clock(new ControllableClock())
                .listener(listener())
                .build();
    }

    private IdempotencyListener listener() {
        return event -> events.add(event.name());
    }

    /** What the listener of all calls heard. */
    List<String> events() {
        return events;
    }

    /** What the work throws where it is to. */
    static final class Oops extends Exception {
        Oops() {
            super("no funds", null, false, false);
        }
    }

    int runs() {
        return runs;
    }

    // ---- before --------------------------------------------------------------------------------------------------

    void prepare() throws Exception {
        switch (scenario) {
            case TAKES_OVER, FINDS_ABANDONED, RESOLVES_AS_FAILED -> plant(pending(key), LONG);
            case HEALS, RESOLVES_AS_SUCCEEDED -> {
                plant(pending(key), LONG);
                stage.tables.write(key, planted());
            }
            case REPLAYS -> execute(idempotencyOver(stage.healthyStore));
            case REPLAYS_ITS_OWN -> execute(idempotency);
            case PURGES -> {
                plant(failed(key + "-1"), AT_ONCE);
                plant(failed(key + "-2"), AT_ONCE);
                plant(pending(key + "-3"), AT_ONCE);
                plant(failed(key + "-4"), LONG);
            }
            default -> {}
        }
        runs = 0;
    }

    private String planted() {
        return key + " planted";
    }

    private void plant(IdempotencyRecord record, Duration retention) {
        try (Session<Domain> session = stage.healthyStore.open(keyOf(key))) {
            session.autoCommit(steps -> steps.claim(record, retention, Duration.ofSeconds(1), Durability.DURABLE));
        }
    }

    private Pending pending(String of) {
        Optional<Payload> plan =
                way.planned ? Optional.of(Payload.of(planted().getBytes(StandardCharsets.UTF_8))) : Optional.empty();
        return new Pending(
                keyOf(of), way.protocol, UUID.randomUUID(), Fingerprint.ofParts("request"), plan, Duration.ZERO);
    }

    private Failed failed(String of) {
        return new Failed(
                keyOf(of),
                way.protocol,
                UUID.randomUUID(),
                Fingerprint.ofParts("request"),
                new Failure("none", "planted"));
    }

    private static IdempotencyKey keyOf(String value) {
        return IdempotencyKey.inScope("user:1").operation("call").value(value);
    }

    // ---- the call under test, and the one after it ---------------------------------------------------------------

    Answer call() {
        return Answer.to(() -> switch (scenario) {
            case RESOLVES_AS_SUCCEEDED ->
                external(idempotency)
                        .build()
                        .resolveSucceeded(keyOf(key), planted())
                        .orElseThrow();
            case RESOLVES_AS_FAILED ->
                external(idempotency)
                        .build()
                        .resolveFailed(keyOf(key), new Failure("none", "An operator says so."))
                        .orElseThrow();
            case PURGES -> idempotency.purgeExpired(10);
            default -> execute(idempotency);
        });
    }

    /** Another call of the same key through the same pool, with the shortest grace. */
    Answer retry() {
        isRetry = true;
        return Answer.to(() -> scenario == Scenario.PURGES
                ? idempotency.purgeExpired(10)
                : execute(idempotencyOver(stage.store(setting.made()))));
    }

    /** Whether a caller that has gone still holds the mutex of this key or waits for it. */
    boolean isMutexHeld() {
        try (Session<Domain> session = stage.store(setting.made()).openForClaim(keyOf(key), Duration.ZERO)) {
            return session.probablyClaimed();
        }
    }

    private Object execute(Idempotency<Domain> by) throws Exception {
        Attempt attempt = Attempt.inScope("user:1").key(key).request("request");
        if (way.isExternal()) {
            ExternalOperation.Builder<Domain, String> builder = external(by);
            return way.planned
                    ? builder.planned().build().execute(attempt, this::fresh, (unused, plan) -> work(null, plan))
                    : builder.build().execute(attempt, unused -> work(null, fresh()));
        }
        Operation.Builder<Domain, String> builder = inDatabase(by);
        if (scenario == Scenario.EXECUTES_IN_A_BATCH) {
            return executeWithNeighbour(builder.build(), attempt);
        }
        return way.planned
                ? planned(builder).execute(attempt, this::fresh, this::work)
                : builder.build().execute(attempt, domain -> work(domain, fresh()));
    }

    private Outcome<String> executeWithNeighbour(Operation<Domain, String> operation, Attempt attempt) {
        Attempt neighbour = Attempt.inScope("user:1").key(key + "-neighbour").request("request");
        return Batch.inOneTransaction(operation)
                .executeEach(
                        List.of(attempt, neighbour),
                        (domain, one) -> one.index() == 0 ? work(domain, fresh()) : "neighbour")
                .get(0)
                .orElseThrow();
    }

    /** What the follow-ups of external effects have written. */
    List<String> bookings() throws SQLException {
        return stage.tables.effectsOf(key + BOOKED);
    }

    private String fresh() {
        return UUID.randomUUID().toString();
    }

    private String work(Domain domain, String result) throws Oops, SQLException {
        runs++;
        boolean fails = scenario.workThrows() && !isRetry;
        if (domain == null) {
            if (fails) {
                throw new Oops();
            }
            stage.tables.write(key, result);
            return result;
        }
        if (scenario.callbackThrows() && !isRetry) {
            domain.atTheEnd(() -> {
                // Of another transaction, about which its database says the truth.
                throw new IllegalArgumentException("a callback of the work's", new SQLException("refused", "23505"));
            });
        }
        domain.write(key, result);
        if (fails) {
            throw new Oops();
        }
        return result;
    }

    private ExternalOperation.Builder<Domain, String> external(Idempotency<Domain> by) {
        ExternalOperation.Builder<Domain, String> builder = by.external(
                "call",
                ResultCodec.string(),
                unresolved -> Lookup.of(stage.tables.effectsOf(key).stream().findFirst()));
        if (way.followsUp()) {
            builder.then((domain, unused, result) -> domain.write(key + BOOKED, result));
        }
        return scenario.releases()
                ? builder.releaseWhenNoEffect(Oops.class::isInstance)
                : builder.noEffectWhen(Oops.class::isInstance);
    }

    private Operation.Builder<Domain, String> inDatabase(Idempotency<Domain> by) {
        Operation.Builder<Domain, String> builder = by.operation("call", ResultCodec.string());
        if (way.recordsLast()) {
            builder.protocol(Operation.Protocol.RECORD_LAST);
        } else if (way.isSingle()) {
            builder.protocol(Operation.Protocol.SINGLE_TRANSACTION);
        }
        if (scenario.releases()) {
            builder.releaseOn(thrown -> true);
        }
        if (scenario == Scenario.HEALS && !way.planned) {
            builder.lookUpByKey((domain, unused) -> domain.find(key));
        }
        if (way.recordsLast()) {
            return builder;
        }
        if (isRetry ? retryTakesOver : scenario == Scenario.TAKES_OVER) {
            builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, AT_ONCE);
        } else if (isRetry || scenario == Scenario.FINDS_ABANDONED) {
            builder.whenAbandoned(Operation.Abandoned.FAIL, AT_ONCE);
        }
        return builder;
    }

    private PlannedOperation<Domain, String> planned(Operation.Builder<Domain, String> inDatabase) {
        PlannedOperation.Builder<Domain, String> builder = inDatabase.planned();
        if (scenario == Scenario.HEALS) {
            builder.lookUpByPlan(
                    (domain, plan) -> domain.find(key).filter(plan::equals).isPresent());
        }
        return builder.build();
    }
}
