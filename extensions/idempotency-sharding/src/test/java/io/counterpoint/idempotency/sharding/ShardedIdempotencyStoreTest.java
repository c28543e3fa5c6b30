package io.counterpoint.idempotency.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.BatchItem;
import io.counterpoint.idempotency.BatchResult;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.InvalidBatchException;
import io.counterpoint.idempotency.InvalidBatchException.Reason;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.ForwardingStore;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShardedIdempotencyStoreTest {

    private static final IdempotencyKey KEY =
            IdempotencyKey.inScope("user:1").operation("pay").value("key");
    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("key").request("1 EUR");

    private final NoisyStore east = new NoisyStore();
    private final NoisyStore west = new NoisyStore();
    private final Shards<NoisyStore> shards = Shards.of(Map.of("east", east, "west", west));
    private final List<String> asked = new ArrayList<>();
    private ScopeLocation location = ScopeLocation.on("east");

    private ShardedIdempotencyStore<Transaction> store() {
        return store(scope -> location);
    }

    private ShardedIdempotencyStore<Transaction> store(Function<String, ScopeLocation> locations) {
        return ShardedIdempotencyStore.byScope(shards, scope -> {
            asked.add(scope);
            return locations.apply(scope);
        });
    }

    private static Operation<Transaction, String> operation(IdempotencyStore<Transaction> store) {
        return Idempotency.on(store).operation("pay", ResultCodec.string()).build();
    }

    /** A store that a test can take down. A test says how many records have expired. */
    private static final class NoisyStore extends ForwardingStore<Transaction> {
        private RuntimeException down;
        private int expired;
        private LockScope locks = LockScope.GLOBAL;
        private boolean losesInserts;
        private boolean lost;
        private int opened;
        private Duration waitForClaim = Duration.ZERO;

        NoisyStore() {
            super(new InMemoryIdempotencyStore());
        }

        @Override
        public int purgeExpired(int batch) {
            if (down != null) {
                throw down;
            }
            int purged = Math.min(batch, expired);
            expired -= purged;
            return purged;
        }

        @Override
        public Session<Transaction> open(IdempotencyKey key) {
            opened++;
            if (lost) {
                throw new Down();
            }
            return super.open(key);
        }

        @Override
        public Session<Transaction> openForClaim(IdempotencyKey key, Duration maxWait) {
            opened++;
            waitForClaim = maxWait;
            if (lost) {
                throw new Down();
            }
            return super.openForClaim(key, maxWait);
        }

        @Override
        public Fault classify(Throwable thrown) {
            return thrown instanceof Down ? Fault.CONNECTION_LOST : super.classify(thrown);
        }

        @Override
        public LockScope lockScope() {
            return locks;
        }

        @Override
        public boolean keepsEveryInsert() {
            return !losesInserts;
        }
    }

    private static final class Down extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    // ---- the location ----------------------------------------------------------------------------------------------

    /** It claims in one session, and marks in another. */
    private static ExternalOperation<String> external(IdempotencyStore<?> store) {
        return Idempotency.on(store)
                .external("pay", ResultCodec.string(), key -> Lookup.notYet())
                .build();
    }

    @Test
    void locationIsAskedOnceForACallOfSeveralSessions() {
        assertThat(external(store()).execute(ATTEMPT, key -> "paid").orElseThrow())
                .isEqualTo("paid");
        assertThat(asked).containsExactly("user:1");
        assertThat(external(store().mapped(Optional::of))
                        .execute(Attempt.inScope("user:2").key("key").request("1 EUR"), key -> "too")
                        .orElseThrow())
                .isEqualTo("too");
        assertThat(asked).containsExactly("user:1", "user:2");
    }

    @Test
    void callStaysOnItsShardWhileItsScopeIsSwitched() {
        Outcome<String> outcome = external(store()).execute(ATTEMPT, key -> {
            location = ScopeLocation.on("west");
            return "paid";
        });
        assertThat(outcome).isInstanceOf(Outcome.Executed.class);
        assertThat(east.read(KEY)).get().isInstanceOf(Succeeded.class);
        assertThat(west.read(KEY)).isEmpty();
    }

    @Test
    void scopeThatMovesIsNotStarted() {
        location = ScopeLocation.moving();
        assertThatThrownBy(() -> operation(store()).execute(ATTEMPT, handle -> {
                    throw new AssertionError("the work has begun");
                }))
                .isInstanceOf(NotStartedException.class)
                .hasCauseInstanceOf(ScopeMovingException.class)
                .hasMessageNotContaining("user:1");
        location = ScopeLocation.on("west");
        assertThat(operation(store()).execute(ATTEMPT, handle -> "paid").orElseThrow())
                .isEqualTo("paid");
        assertThat(west.read(KEY)).isPresent();
    }

    @Test
    void locksAreGlobalWhereThoseOfEveryShardAre() {
        assertThat(store().lockScope()).isEqualTo(LockScope.GLOBAL);
        west.locks = LockScope.PRIMARY;
        assertThat(store().lockScope()).isEqualTo(LockScope.PRIMARY);
        assertThat(store().storeFor(KEY).lockScope()).isEqualTo(LockScope.GLOBAL);
        location = ScopeLocation.on("west");
        assertThat(store().storeFor(KEY).lockScope()).isEqualTo(LockScope.PRIMARY);
        assertThat(store().mapped(Optional::of).storeFor(KEY).lockScope()).isEqualTo(LockScope.PRIMARY);
        east.locks = LockScope.NODE;
        assertThat(store().lockScope()).isEqualTo(LockScope.NODE);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void everyInsertIsKeptWhereEveryShardKeepsIts(boolean byEast) {
        assertThat(store().keepsEveryInsert()).isTrue();
        (byEast ? west : east).losesInserts = true;
        assertThat(store().keepsEveryInsert()).isFalse();
    }

    @Test
    void batchStaysOnOneShard() {
        Batch<Transaction, String> batch = Batch.inOneTransaction(operation(store(scope -> location)));
        List<Attempt> attempts =
                List.of(ATTEMPT, Attempt.inScope("user:2").key("key").request("1 EUR"));
        Batch<Transaction, String> apart = Batch.inOneTransaction(
                operation(store(scope -> ScopeLocation.on(scope.equals("user:1") ? "east" : "west"))));
        assertThatThrownBy(() -> {
                    List<BatchResult<String>> unused = apart.executeAll(attempts, ShardedIdempotencyStoreTest::never);
                })
                .isInstanceOfSatisfying(
                        InvalidBatchException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Reason.SEVERAL_DATABASES));

        location = ScopeLocation.moving();
        assertThat(batch.executeAll(attempts, ShardedIdempotencyStoreTest::never))
                .hasSize(2)
                .allSatisfy(answer -> assertThatThrownBy(answer::orElseThrow).isInstanceOf(NotStartedException.class));

        location = ScopeLocation.on("west");
        assertThat(batch.executeAll(attempts, (handle, leading) -> List.of("one", "two")))
                .allMatch(answer -> answer.asOptional().isPresent());
        assertThat(east.read(KEY)).isEmpty();
        assertThat(west.read(KEY)).isPresent();
    }

    private static List<String> never(Transaction handle, List<BatchItem> leading) {
        throw new AssertionError("the work has begun");
    }

    @Test
    void unknownScopeIsRefusedAsSuch() {
        location = ScopeLocation.unknown();
        assertThatThrownBy(() -> operation(store()).execute(ATTEMPT, handle -> "paid"))
                .isInstanceOf(UnknownScopeException.class)
                .hasMessageContaining("has no shard")
                .hasMessageNotContaining("user:1");
        assertThatThrownBy(() -> operation(store(scope -> null)).execute(ATTEMPT, handle -> "paid"))
                .isInstanceOf(UnknownScopeException.class);
    }

    @Test
    void locationOnAShardThatIsNoneOfTheseIsRefusedByName() {
        location = ScopeLocation.on("north");
        assertThatThrownBy(() -> operation(store()).execute(ATTEMPT, handle -> "paid"))
                .isInstanceOf(UnknownScopeException.class)
                .hasMessageContainingAll("north", "[east, west]");
    }

    @Test
    void locationThatCannotBeFoundOutIsNotStarted() {
        Down down = new Down();
        assertThatThrownBy(() -> operation(store(scope -> {
                            throw down;
                        }))
                        .execute(ATTEMPT, handle -> "paid"))
                .isInstanceOf(NotStartedException.class)
                .hasCause(down);
    }

    @Test
    void asynchronousCallOfAScopeThatMovesCompletesAsNotStarted() {
        location = ScopeLocation.moving();
        assertThat(external(store()).executeAsync(ATTEMPT, key -> CompletableFuture.completedFuture("paid")))
                .failsWithin(Duration.ofSeconds(10))
                .withThrowableThat()
                .withCauseInstanceOf(NotStartedException.class);
    }

    @Test
    void directCallsForAScopeThatMovesSayThatTheStoreCannotBeReached() {
        ShardedIdempotencyStore<Transaction> store = store();
        location = ScopeLocation.moving();
        assertThatThrownBy(() -> store.read(KEY))
                .isInstanceOf(ScopeMovingException.class)
                .satisfies(thrown -> assertThat(store.classify(thrown)).isEqualTo(Fault.CONNECTION_LOST));
        assertThatThrownBy(() -> store.open(KEY)).isInstanceOf(ScopeMovingException.class);
        assertThatThrownBy(() -> store.openForClaim(KEY, Duration.ZERO)).isInstanceOf(ScopeMovingException.class);
    }

    @Test
    void claimWaitsForItsSessionAsLongOnItsShard() {
        store().openForClaim(KEY, Duration.ofSeconds(7)).close();
        assertThat(east.waitForClaim).isEqualTo(Duration.ofSeconds(7));
    }

    // ---- faults ----------------------------------------------------------------------------------------------------

    @Test
    void faultIsClassifiedByTheShardThatThrewIt() {
        Origins<String> origins = new Origins<>();
        Exception first = new EqualException();
        Exception second = new EqualException();
        origins.note(first, "east");
        origins.note(second, "west");
        assertThat(origins.of(first)).contains("east");
        assertThat(origins.of(new IllegalStateException(second))).contains("west");
        assertThat(origins.of(new EqualException())).isEmpty();
        origins.note(first, "west");
        assertThat(origins.of(first)).as("a driver's only instance").contains("west");
        assertThat(store().classify(first)).isEqualTo(Fault.UNRECOGNISED);
        assertThat(store().describe(first)).isEmpty();
    }

    private static final class EqualException extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public int hashCode() {
            return 1;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof EqualException;
        }
    }

    // ---- all shards ------------------------------------------------------------------------------------------------

    @Test
    void purgeVisitsEveryShardAndKeepsToItsBatch() {
        east.expired = 3;
        west.expired = 4;
        ShardedIdempotencyStore<Transaction> store = store();
        assertThat(List.of(store.purgeExpired(5), store.purgeExpired(5), store.purgeExpired(5)))
                .containsExactly(5, 2, 0);
        assertThat(asked).isEmpty();
    }

    @Test
    void shardWithMuchToPurgeDoesNotKeepTheOthersFromIt() {
        east.expired = 1_000;
        west.expired = 1_000;
        ShardedIdempotencyStore<Transaction> store = store();
        int unused = store.purgeExpired(10) + store.purgeExpired(10);
        assertThat(List.of(east.expired, west.expired)).containsExactly(990, 990);
    }

    /** Its table is missing, or its pool is closed. */
    @Test
    void shardThatIsNotFitIsReportedAndStopsNoPurge() {
        east.down = new IllegalStateException("no table");
        west.expired = 7;
        List<String> reported = new ArrayList<>();
        ShardedIdempotencyStore<Transaction> store = store().reportingTo((shard, thrown) -> reported.add(shard));

        assertThat(List.of(store.purgeExpired(5), store.purgeExpired(5))).containsExactly(5, 2);
        assertThat(reported).containsOnly("east");
    }

    /** What it has thrown is known to itself alone. */
    @Test
    void batchOfAShardThatIsDownAsksForFewConnections() {
        east.lost = true;
        List<Attempt> attempts = IntStream.range(0, 100)
                .mapToObj(one -> Attempt.inScope("user:1").key("key-" + one).request("1 EUR"))
                .toList();

        List<BatchResult<String>> answers =
                Batch.inOneTransaction(operation(store())).executeEach(attempts, (transaction, one) -> "paid");

        assertThat(answers)
                .hasSize(100)
                .allSatisfy(answer -> assertThatThrownBy(answer::orElseThrow).isInstanceOf(NotStartedException.class));
        assertThat(east.opened).isLessThan(10);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shardThatIsDownIsReportedAndStopsNoPurge(boolean eastIsDown) {
        (eastIsDown ? east : west).down = new Down();
        (eastIsDown ? west : east).expired = 7;
        List<String> reported = new ArrayList<>();
        ShardedIdempotencyStore<Transaction> store = store().reportingTo((shard, thrown) ->
                reported.add(shard + " " + thrown.getClass().getSimpleName()));
        assertThat(List.of(store.purgeExpired(5), store.purgeExpired(5), store.purgeExpired(5)))
                .containsExactly(5, 2, 0);
        assertThat(reported).isNotEmpty().containsOnly((eastIsDown ? "east" : "west") + " Down");
    }

    @Test
    void purgeThatReachesNoShardFails() {
        east.down = new Down();
        west.down = new Down();
        assertThatThrownBy(() -> store().reportingTo((shard, thrown) -> {}).purgeExpired(5))
                .isSameAs(east.down)
                .hasSuppressedException(west.down);
    }

    @Test
    void purgeInsideATransactionIsMisuseAndNotAShardThatIsDown() {
        east.down = new NestedCallException("inside");
        assertThatThrownBy(() -> store().reportingTo((shard, thrown) -> {
                            throw new AssertionError("reported");
                        })
                        .purgeExpired(5))
                .isSameAs(east.down);
    }

    @Test
    void checkVisitsEveryShardAndSaysWhichFailed() {
        List<NoisyStore> visited = new ArrayList<>();
        assertThat(shards.onEach(store -> {
                    visited.add(store);
                    if (store == east) {
                        throw new Down();
                    }
                }))
                .containsOnlyKeys("east");
        assertThat(visited).containsExactly(east, west);
    }

    @Test
    void shardsAreNamedAndAtLeastOne() {
        assertThatThrownBy(() -> Shards.of(Map.of())).isInstanceOf(IllegalArgumentException.class);
        assertThat(shards).hasToString("Shards[east, west]");
        assertThat(store()).hasToString("ShardedIdempotencyStore[east, west]");
    }
}
