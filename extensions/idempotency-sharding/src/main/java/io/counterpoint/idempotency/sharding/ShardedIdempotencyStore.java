package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NestedCallException;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.LockScope;
import io.counterpoint.idempotency.spi.Session;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A store that spans several databases. Each contains the records and domain data of some scopes, as determined by the
 * application. The shards may be databases of different products. Thread-safe.
 *
 * <pre>{@code
 * Shards<JdbcIdempotencyStore> shards = Shards.of(Map.of("east", east, "west", west));
 * Idempotency<Handle> idempotency =
 *         Idempotency.on(ShardedIdempotencyStore.byScope(shards, scope -> directory.locationOf(scope)));
 * }</pre>
 *
 * <p><b>At any moment, the function must return the same shard for a scope on every node.</b> Two different shards mean
 * two leaders for one key and two effects. The function is called once per call, on the thread of the call, before
 * anything else; the call stays on that shard. The page on sharding describes how to move a scope.
 *
 * <p>Promised: everything that the shards promise, for each key on the shard of its scope. A shard that is down affects
 * only the keys of its own scopes. Not promised: anything that spans two shards, such as one transaction for two
 * scopes.
 *
 * @param <C> the handle that domain code gets, the same type on every shard
 */
public final class ShardedIdempotencyStore<C> implements IdempotencyStore<C> {

    private static final System.Logger LOGGER = System.getLogger(ShardedIdempotencyStore.class.getName());

    private final Shards<? extends IdempotencyStore<C>> shards;
    private final Function<? super String, ? extends ScopeLocation> locations;
    private final BiConsumer<? super String, ? super RuntimeException> failures;
    private final Origins<IdempotencyStore<C>> origins = new Origins<>();
    private final AtomicInteger purges = new AtomicInteger();

    private ShardedIdempotencyStore(
            Shards<? extends IdempotencyStore<C>> shards,
            Function<? super String, ? extends ScopeLocation> locations,
            BiConsumer<? super String, ? super RuntimeException> failures) {
        this.shards = shards;
        this.locations = locations;
        this.failures = failures;
    }

    /**
     * Creates a store that looks up the location of each scope. An exception of the function ends the call as not
     * started.
     *
     * @param <C> the handle that domain code gets
     * @param shards the stores
     * @param locations returns the location of a scope; must be fast, because every call uses it
     * @return the store, which logs a warning if a purge cannot reach a shard
     */
    public static <C> ShardedIdempotencyStore<C> byScope(
            Shards<? extends IdempotencyStore<C>> shards, Function<? super String, ? extends ScopeLocation> locations) {
        return new ShardedIdempotencyStore<>(
                shards,
                locations,
                (shard, thrown) -> LOGGER.log(
                        Level.WARNING, "Expired records of shard " + shard + " could not be purged.", thrown));
    }

    /**
     * Returns this store with a different way to report shards that a purge could not reach.
     *
     * @param report receives the name of the shard and what it threw; must not throw
     * @return the store
     */
    public ShardedIdempotencyStore<C> reportingTo(BiConsumer<? super String, ? super RuntimeException> report) {
        return new ShardedIdempotencyStore<>(shards, locations, report);
    }

    // ---- where a key is --------------------------------------------------------------------------------------------

    /**
     * Returns the shard of the key's scope.
     *
     * @param key the key of the call
     * @return the store of the shard
     * @throws NotStartedException if the scope is being moved, or its location could not be determined
     * @throws UnknownScopeException if the scope has no shard, or one that is unknown here
     */
    @Override
    public IdempotencyStore<C> storeFor(IdempotencyKey key) {
        try {
            return shardOf(key);
        } catch (UnknownScopeException refused) {
            throw refused;
        } catch (ScopeMovingException moving) {
            throw new NotStartedException(
                    Reason.SCOPE_UNAVAILABLE, key, "its scope is being moved to another shard", moving);
        } catch (RuntimeException unanswered) {
            throw new NotStartedException(Reason.SCOPE_UNAVAILABLE, key, unanswered);
        }
    }

    /**
     * Returns whether the scopes of all these keys are on one shard.
     *
     * @throws NotStartedException as in {@link #storeFor}
     * @throws UnknownScopeException as in {@link #storeFor}
     */
    @Override
    public boolean isOneDatabase(Collection<IdempotencyKey> keys) {
        Set<IdempotencyStore<C>> found = Collections.newSetFromMap(new IdentityHashMap<>());
        keys.forEach(key -> found.add(storeFor(key)));
        return found.size() <= 1;
    }

    private IdempotencyStore<C> shardOf(IdempotencyKey key) {
        ScopeLocation location = locations.apply(key.scope());
        if (location instanceof ScopeLocation.On on) {
            Optional<? extends IdempotencyStore<C>> shard = shards.find(on.shard());
            if (shard.isEmpty()) {
                throw UnknownScopeException.of(key, on.shard(), shards.names());
            }
            return shard.get();
        }
        if (location instanceof ScopeLocation.Moving) {
            throw new ScopeMovingException(key);
        }
        throw UnknownScopeException.of(key);
    }

    // ---- sessions --------------------------------------------------------------------------------------------------

    /**
     * Opens a session on the shard of the key's scope.
     *
     * @throws ScopeMovingException if the scope is being moved
     * @throws UnknownScopeException if the scope has no shard, or one that is unknown here
     */
    @Override
    public Session<C> open(IdempotencyKey key) {
        IdempotencyStore<C> shard = shardOf(key);
        return session(shard, () -> shard.open(key));
    }

    /**
     * Opens a session for a claim on the shard of the key's scope.
     *
     * @throws ScopeMovingException if the scope is being moved
     * @throws UnknownScopeException if the scope has no shard, or one that is unknown here
     */
    @Override
    public Session<C> openForClaim(IdempotencyKey key, Duration maxWait) {
        IdempotencyStore<C> shard = shardOf(key);
        return session(shard, () -> shard.openForClaim(key, maxWait));
    }

    private Session<C> session(IdempotencyStore<C> shard, Supplier<Session<C>> open) {
        return new ShardSession<>(
                ShardSession.shown(thrown -> origins.note(thrown, shard), open), thrown -> origins.note(thrown, shard));
    }

    /**
     * Reads a record on the shard of the key's scope.
     *
     * @throws ScopeMovingException if the scope is being moved
     * @throws UnknownScopeException if the scope has no shard, or one that is unknown here
     */
    @Override
    public Optional<IdempotencyRecord> read(IdempotencyKey key) {
        IdempotencyStore<C> shard = shardOf(key);
        return ShardSession.shown(thrown -> origins.note(thrown, shard), () -> shard.read(key));
    }

    /** Waits on the shard of the key's scope. */
    @Override
    public void awaitDurable(IdempotencyKey key) {
        IdempotencyStore<C> shard = shardOf(key);
        boolean unused = ShardSession.shown(thrown -> origins.note(thrown, shard), () -> {
            shard.awaitDurable(key);
            return true;
        });
    }

    // ---- faults ----------------------------------------------------------------------------------------------------

    /**
     * Returns the classification by the shard that threw the exception. A scope that is being moved counts as an
     * unreachable store.
     *
     * @param thrown what a session of this store threw; its causes are inspected
     * @return the kind of fault; {@link Fault#UNRECOGNISED} if no shard threw it
     */
    @Override
    public Fault classify(Throwable thrown) {
        return thrown instanceof ScopeMovingException
                ? Fault.CONNECTION_LOST
                : origins.of(thrown).map(shard -> shard.classify(thrown)).orElse(Fault.UNRECOGNISED);
    }

    @Override
    public Optional<Failure> describe(Throwable thrown) {
        return origins.of(thrown).flatMap(shard -> shard.describe(thrown));
    }

    @Override
    public Optional<String> remedy(Throwable thrown) {
        return origins.of(thrown).flatMap(shard -> shard.remedy(thrown));
    }

    /** Returns whether every shard is known to keep every insert. */
    @Override
    public boolean keepsEveryInsert() {
        return shards.names().stream()
                .allMatch(name -> shards.find(name).orElseThrow().keepsEveryInsert());
    }

    /** Returns the narrowest scope of all shards. A call uses that of the shard of its key. */
    @Override
    public LockScope lockScope() {
        return shards.names().stream()
                .map(name -> shards.find(name).orElseThrow().lockScope())
                .max(Comparator.naturalOrder())
                .orElse(LockScope.GLOBAL);
    }

    // ---- all shards ------------------------------------------------------------------------------------------------

    /**
     * Checks every shard, even after an unfit one.
     *
     * @throws IllegalStateException if any shard is unfit; the message names each of them with the reason
     */
    @Override
    public ShardedIdempotencyStore<C> checkTable() {
        Map<String, RuntimeException> unfit = shards.onEach(shard -> {
            IdempotencyStore<C> unused = shard.checkTable();
        });
        if (!unfit.isEmpty()) {
            IllegalStateException refused =
                    new IllegalStateException("Some shards are not fit to store records: " + unfit);
            unfit.values().forEach(refused::addSuppressed);
            throw refused;
        }
        return this;
    }

    /**
     * Purges the shards one after the other, beginning with a different one each time, until the batch is full. A shard
     * that cannot be reached is reported, and the next one is purged.
     *
     * @param batch the maximum number of records to delete, across all shards
     * @return how many were deleted
     * @throws RuntimeException if no shard could be reached: the exception of one shard, with those of the others
     *     suppressed in it
     */
    @Override
    public int purgeExpired(int batch) {
        List<String> names = new ArrayList<>(shards.names());
        Collections.rotate(names, -Math.floorMod(purges.getAndIncrement(), names.size()));
        List<RuntimeException> failed = new ArrayList<>();
        int purged = 0;
        for (String name : names) {
            if (purged < batch) {
                try {
                    purged += shards.find(name).orElseThrow().purgeExpired(batch - purged);
                } catch (NestedCallException misuse) {
                    throw misuse;
                } catch (RuntimeException thrown) {
                    failures.accept(name, thrown);
                    failed.add(thrown);
                }
            }
        }
        if (failed.size() == names.size()) {
            RuntimeException first = failed.get(0);
            failed.stream().filter(other -> other != first).forEach(first::addSuppressed);
            throw first;
        }
        return purged;
    }

    @Override
    public String toString() {
        return "ShardedIdempotencyStore" + shards.names();
    }
}
