package io.counterpoint.idempotency.sharding;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The stores of several databases, by shard name. Immutable.
 *
 * <pre>{@code
 * Shards<JdbcIdempotencyStore> shards = Shards.of(Map.of("east", east, "west", west));
 * Map<String, RuntimeException> refused = shards.onEach(JdbcIdempotencyStore::checkTable);
 * }</pre>
 *
 * @param <S> the type of the stores
 */
public final class Shards<S> {

    private final Map<String, S> stores;

    private Shards(Map<String, S> stores) {
        this.stores = Collections.unmodifiableMap(stores);
    }

    /**
     * Creates shards from stores by name. A name is shown in messages and must not change while locations refer to it.
     *
     * @param <S> the type of the stores
     * @param stores the store of each shard
     * @return the shards
     * @throws IllegalArgumentException if the map is empty
     */
    public static <S> Shards<S> of(Map<String, ? extends S> stores) {
        if (stores.isEmpty()) {
            throw new IllegalArgumentException("At least one shard is needed, found none.");
        }
        return new Shards<>(new TreeMap<>(stores));
    }

    /**
     * Returns the names.
     *
     * @return the names, sorted
     */
    public Set<String> names() {
        return stores.keySet();
    }

    /**
     * Returns the store of a shard.
     *
     * @param name the name of the shard
     * @return its store; empty if no shard has this name
     */
    public Optional<S> find(String name) {
        return Optional.ofNullable(stores.get(name));
    }

    /**
     * Returns these shards with a different view of each store, such as one with durable claims.
     *
     * @param <T> the type of the views
     * @param view returns the view of a store
     * @return the shards
     */
    public <T> Shards<T> map(Function<? super S, ? extends T> view) {
        Map<String, T> views = new TreeMap<>();
        stores.forEach((name, store) -> views.put(name, view.apply(store)));
        return new Shards<>(views);
    }

    /**
     * Performs an action on every shard, one after the other. An exception does not stop it, but an {@link Error} does.
     *
     * @param action the action, such as {@code JdbcIdempotencyStore::checkTable}
     * @return what was thrown, by the name of the shard; empty if every shard succeeded
     */
    public Map<String, RuntimeException> onEach(Consumer<? super S> action) {
        Map<String, RuntimeException> failures = new LinkedHashMap<>();
        stores.forEach((name, store) -> {
            try {
                action.accept(store);
            } catch (RuntimeException thrown) {
                failures.put(name, thrown);
            }
        });
        return failures;
    }

    @Override
    public String toString() {
        return "Shards" + names();
    }
}
