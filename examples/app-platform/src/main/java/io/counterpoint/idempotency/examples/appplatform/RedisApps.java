package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.AppCache.App;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * The second level of the cache, in a server of the Redis protocol. It is a hint: what cannot be asked, or is not there, is
 * read from the database.
 *
 * <p>An entry says which version it has, or that everything older is out of date. It also says since when, by the server's
 * clock, it has heard of every invalidation. A refill counts from the moment before its read of the database. It is stored
 * only if the entry has been there from that moment on, and has nothing newer. So a server that has lost its data, or has
 * evicted an entry, refuses what was read before. Each step is one script, and so atomic.
 *
 * <p>An entry lives no longer than {@link AppCache#BOUND} after that moment, however late its refill arrives.
 */
final class RedisApps implements SharedApps {

    private static final String KEY = "app-platform:app:";
    private static final int FIELDS = 5;
    private static final String BOUND_MILLIS =
            Long.toString(AppCache.BOUND.lag().toMillis());

    /** Lua; the server's time in milliseconds. */
    private static final String NOW = """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            """;

    /** Answers the app and how long it lives, or the time from which a refill counts. Wants a version and the bound. */
    private static final String FIND = NOW + """
            local found = redis.call('HMGET', KEYS[1], 'version', 'workspace', 'name', 'status', 'database')
            local left = redis.call('PTTL', KEYS[1])
            if found[2] and tonumber(found[1]) >= tonumber(ARGV[1]) and left > 0 then
                found[6] = tostring(left)
                return found
            end
            if not found[1] then
                redis.call('HSET', KEYS[1], 'version', 0, 'since', now)
            end
            if not found[2] then
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
            end
            return {tostring(now)}
            """;

    /** Wants the time from which it counts, the bound, the version and the rest of the app. */
    private static final String STORE = NOW + """
            local there = redis.call('HMGET', KEYS[1], 'version', 'workspace', 'since')
            local age = now - tonumber(ARGV[1])
            if not there[1] or tonumber(there[3]) > tonumber(ARGV[1]) or age < 0 or age >= tonumber(ARGV[2]) then
                return 0
            end
            local newer = tonumber(ARGV[3]) - tonumber(there[1])
            if newer < 0 or (newer == 0 and there[2]) then
                return 0
            end
            redis.call('HSET', KEYS[1], 'version', ARGV[3],
                'workspace', ARGV[4], 'name', ARGV[5], 'status', ARGV[6], 'database', ARGV[7])
            redis.call('PEXPIRE', KEYS[1], ARGV[2] - age)
            return 1
            """;

    /** Wants a version, the bound, the channel and the message to all processes. */
    private static final String FORGET = NOW + """
            local version = redis.call('HGET', KEYS[1], 'version')
            if not version then
                redis.call('HSET', KEYS[1], 'since', now)
            end
            if not version or tonumber(version) < tonumber(ARGV[1]) then
                redis.call('HSET', KEYS[1], 'version', ARGV[1])
                redis.call('HDEL', KEYS[1], 'workspace', 'name', 'status', 'database')
                redis.call('PEXPIRE', KEYS[1], ARGV[2])
            end
            return redis.call('PUBLISH', ARGV[3], ARGV[4])
            """;

    private final RedisServer server;

    RedisApps(RedisServer server) {
        this.server = server;
    }

    RedisServer server() {
        return server;
    }

    @Override
    public Read read(UUID id, long atLeast, Function<UUID, Optional<App>> source) {
        Optional<Answer> answer = find(id, atLeast);
        Optional<Read> found = answer.flatMap(Answer::read);
        if (found.isPresent()) {
            return found.get();
        }
        Optional<App> read = source.apply(id);
        read.ifPresent(app -> answer.ifPresent(asked -> {
            boolean unused = store(app, asked.time());
        }));
        return new Read(read, AppCache.BOUND.lag());
    }

    /** What the server said: an app, or the time from which a refill counts. */
    private record Answer(Optional<Read> read, String time) {}

    /** Empty if the server could not be asked. */
    private Optional<Answer> find(UUID id, long atLeast) {
        return server.ask(redis -> {
            List<String> said = ((List<?>) redis.eval(FIND, keys(id), List.of(Long.toString(atLeast), BOUND_MILLIS)))
                    .stream().map(String::valueOf).toList();
            return said.size() <= FIELDS
                    ? new Answer(Optional.empty(), said.get(0))
                    : new Answer(Optional.of(app(id, said)), "");
        });
    }

    private static Read app(UUID id, List<String> said) {
        App app = new App(
                id, Long.parseLong(said.get(1)), said.get(2), said.get(3), said.get(4), Long.parseLong(said.get(0)));
        return new Read(Optional.of(app), Duration.ofMillis(Long.parseLong(said.get(FIELDS))));
    }

    /**
     * Stores an app that was read from the database, unless the entry knows better.
     *
     * @param from the server's time at a moment before the read
     * @return whether it is stored
     */
    boolean store(App app, String from) {
        return server.ask(redis -> redis.eval(
                        STORE,
                        keys(app.id()),
                        List.of(
                                from,
                                BOUND_MILLIS,
                                Long.toString(app.version()),
                                Long.toString(app.workspace()),
                                app.name(),
                                app.status(),
                                app.databaseStatus())))
                .filter(stored -> stored.equals(1L))
                .isPresent();
    }

    /** Forgets what is older than a version, and tells all processes that listen. Returns whether the server did. */
    boolean forget(UUID id, long version) {
        return server.tell(redis -> redis.eval(
                FORGET,
                keys(id),
                List.of(
                        Long.toString(version),
                        BOUND_MILLIS,
                        Invalidations.CHANNEL,
                        Invalidations.message(id, version))));
    }

    private static List<String> keys(UUID id) {
        return List.of(KEY + id);
    }
}
