package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.OperationDefaults;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.unit.DataSize;

/**
 * The properties that begin with {@code idempotency}.
 *
 * @param enabled Whether anything is configured at all.
 * @param mode What annotated methods do: protect, or count, which counts duplicates and protects nothing.
 * @param protect Operations of annotated methods that are protected where the mode is count.
 * @param table Name of the table, with or without a schema.
 * @param checkTable Whether the table is checked at the start, and the application does not start with a wrong one.
 * @param createTable Whether the table is created at the start if it is missing: for demonstrations and tests.
 * @param isolation Isolation of domain transactions: read_committed, repeatable_read or serializable. By default that of
 *     the connection.
 * @param durableClaims Whether PostgreSQL commits claims durably: for extensions of it that keep several logs, such as Citus.
 *     No other database treats claims differently.
 * @param durableReplays Whether answers from records wait for a commit of their own, so that no failover takes them back.
 * @param turnAcrossProcesses Whether one process at a time works on a key of an operation that records last. PostgreSQL only.
 * @param coalescedReads Whether many concurrent reads share statements. All threads have to mean one database.
 * @param retention For how long records answer, of operations that do not say so.
 * @param maxWaiting Most callers of an operation that wait for leaders at once, of operations that do not say so.
 * @param waitAtMost For how long followers wait for a running leader, of operations that do not say so.
 * @param settleWithin For how long a call settles a commit that was not answered, of operations that do not say so.
 * @param maxRetries How often a transaction runs again after it was rolled back, of operations that do not say so.
 * @param maxResultSize Largest encoded result, of operations that do not say so.
 * @param anonymous Whether callers that are not authenticated share the scope "anonymous". They are refused otherwise.
 * @param purge The purge of expired records.
 * @param http The filter for the header Idempotency-Key.
 * @param health The health of the table.
 * @param metrics The gauges of the table.
 * @param endpoint What the endpoint for operators shows.
 */
@ConfigurationProperties("idempotency")
public record IdempotencyProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("protect") Mode mode,
        @DefaultValue Set<String> protect,
        @DefaultValue("idempotency_record") String table,
        @DefaultValue("true") boolean checkTable,
        @DefaultValue("false") boolean createTable,
        @Nullable Isolation isolation,
        @DefaultValue("false") boolean durableClaims,
        @DefaultValue("false") boolean durableReplays,
        @DefaultValue("false") boolean turnAcrossProcesses,
        @DefaultValue("false") boolean coalescedReads,
        @DefaultValue("1d") Duration retention,
        @DefaultValue("100") int maxWaiting,
        @Nullable Duration waitAtMost,
        @DefaultValue("5s") Duration settleWithin,
        @DefaultValue("3") int maxRetries,
        @DefaultValue("64KB") DataSize maxResultSize,
        @DefaultValue("false") boolean anonymous,
        @DefaultValue Purge purge,
        @DefaultValue Http http,
        @DefaultValue Health health,
        @DefaultValue Metrics metrics,
        @DefaultValue Endpoint endpoint) {

    /** What operations have that do not say otherwise. */
    void applyTo(OperationDefaults defaults) {
        defaults.retention(retention)
                .maxWaiting(maxWaiting)
                .settleWithin(settleWithin)
                .maxRetries(maxRetries)
                .maxResultBytes(Math.toIntExact(maxResultSize.toBytes()));
        if (waitAtMost != null) {
            defaults.waitAtMost(waitAtMost);
        }
    }

    /** What annotated methods do. */
    public enum Mode {
        /** Their effect happens at most once for each key. */
        PROTECT,
        /** Each call runs, as without the library, and duplicates are counted. Nothing is protected. */
        COUNT
    }

    /** What the filter does with a path. */
    public enum KeyPolicy {
        /** A request without a key is refused. */
        REQUIRED,
        /** A request without a key runs unprotected. */
        OPTIONAL,
        /** Requests pass untouched. */
        OFF
    }

    /** What becomes of a request with a key whose handler succeeds without asking for its attempt. */
    public enum UnusedKey {
        /** Nothing. */
        IGNORE,
        /** A warning in the log, once for each route. */
        WARN,
        /** The request fails with 500. What the handler did stays done. */
        FAIL
    }

    /**
     * The purge of expired records. All nodes may run it at once.
     *
     * @param enabled Whether the purge runs.
     * @param interval Pause between two purges.
     * @param batch Most records that one statement of the purge deletes.
     */
    public record Purge(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("1m") Duration interval,
            @DefaultValue("1000") int batch) {}

    /**
     * The filter for the header {@code Idempotency-Key}. The longest path that fits counts.
     *
     * @param enabled Whether the filter for the header Idempotency-Key is registered.
     * @param required Paths whose POST and PATCH requests need a key, such as /orders or /payments/*.
     * @param optional Paths whose requests may have a key.
     * @param off Paths whose requests pass untouched.
     * @param elsewhere What holds on all other paths: required, optional or off.
     * @param strictKeys Whether keys need their quotes, as the draft has them.
     * @param keyLifetime For how long after its first try a key may be sent again, as each answer says. No longer than the
     *     retention of any operation behind the filter. By default answers do not say it.
     * @param maxRequestBody Largest request body.
     * @param documentation Page that explains keys to clients, linked from every problem. By default this project's.
     * @param retryAfter Pause after which clients are asked to try again.
     * @param unusedKey What becomes of a request whose key no operation has used: warn, fail or ignore.
     * @param order Order among the filters; behind that of Spring Security.
     */
    public record Http(
            @DefaultValue("true") boolean enabled,
            @DefaultValue List<String> required,
            @DefaultValue List<String> optional,
            @DefaultValue List<String> off,
            @DefaultValue("optional") KeyPolicy elsewhere,
            @DefaultValue("false") boolean strictKeys,
            @Nullable Duration keyLifetime,
            @DefaultValue("8MB") DataSize maxRequestBody,
            @Nullable URI documentation,
            @DefaultValue("1s") Duration retryAfter,
            @DefaultValue("warn") UnusedKey unusedKey,
            @DefaultValue("-90") int order) {}

    /**
     * The health of the table.
     *
     * @param maxClockSkew Largest difference of the clocks of application and database. It is shown in any case, and is no
     *     fault unless this is set.
     */
    public record Health(@Nullable Duration maxClockSkew) {}

    /**
     * The gauges of the table, where the application has a registry of meters.
     *
     * @param pending Whether pending records are counted. One node is enough: each time reads the whole table.
     * @param pendingInterval Pause between two counts.
     */
    public record Metrics(
            @DefaultValue("true") boolean pending,
            @DefaultValue("5m") Duration pendingInterval) {}

    /**
     * The endpoint for operators.
     *
     * @param showKeys Whether the endpoint for operators shows scopes and keys, which can be personal data.
     */
    public record Endpoint(@DefaultValue("false") boolean showKeys) {}
}
