package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.IdempotencyStartException.apply;

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
 * The properties that start with {@code idempotency}.
 *
 * @param enabled Whether the library is configured at all.
 * @param mode How annotated methods behave: protect, or count, which counts duplicates and protects nothing.
 * @param protect Operations of annotated methods that are protected although the mode is count.
 * @param table Name of the table, with or without a schema.
 * @param checkTable Whether the table is checked at startup, so that the application does not start with an unfit one.
 * @param createTable Whether a missing table is created at startup: for demonstrations and tests.
 * @param isolation Isolation level of domain transactions: read_committed, repeatable_read or serializable. Default:
 * that of the connection.
 * @param durableClaims Whether PostgreSQL commits claims durably: for extensions of it that keep several logs, such as Citus.
 *     No other database treats claims differently.
 * @param durableReplays Whether replays wait for a commit of their own, so that no failover can revoke them.
 * @param turnAcrossProcesses Whether only one process at a time works on a key of a RECORD_LAST operation. PostgreSQL
 * only.
 * @param coalescedReads Whether concurrent reads share statements. All threads must use the same database.
 * @param retention How long records are kept, unless the operation sets it.
 * @param maxWaiting Maximum number of callers of an operation that wait for leaders at once, unless the operation sets
 * it.
 * @param waitAtMost How long followers wait for a running leader, unless the operation sets it.
 * @param settleWithin How long a call tries to resolve a commit whose reply was lost, unless the operation sets it.
 * @param maxRetries How often a transaction runs again after it was rolled back, unless the operation sets it.
 * @param maxResultSize Maximum size of an encoded result, unless the operation sets it.
 * @param anonymous Whether unauthenticated callers share the scope "anonymous". Otherwise they are rejected.
 * @param purge The purge of expired records.
 * @param http The filter for the header Idempotency-Key.
 * @param health The health of the table.
 * @param metrics The gauges of the table.
 * @param endpoint The endpoint for operators.
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

    /** Applies the defaults for operations that don't override them. */
    void applyTo(OperationDefaults defaults) {
        apply("retention", retention, () -> defaults.retention(retention));
        apply("max-waiting", maxWaiting, () -> defaults.maxWaiting(maxWaiting));
        apply("settle-within", settleWithin, () -> defaults.settleWithin(settleWithin));
        apply("max-retries", maxRetries, () -> defaults.maxRetries(maxRetries));
        long bytes = Math.max(-1, Math.min(maxResultSize.toBytes(), Integer.MAX_VALUE));
        apply("max-result-size", maxResultSize, () -> defaults.maxResultBytes((int) bytes));
        Duration wait = waitAtMost;
        if (wait != null) {
            apply("wait-at-most", wait, () -> defaults.waitAtMost(wait));
        }
    }

    /** How annotated methods behave. */
    public enum Mode {
        /** Their effect happens at most once per key. */
        PROTECT,
        /** Each call runs as it would without the library, and duplicates are counted. Nothing is protected. */
        COUNT
    }

    /** What the filter does with a path. */
    public enum KeyPolicy {
        /** A request without a key is rejected. */
        REQUIRED,
        /** A request without a key runs unprotected. */
        OPTIONAL,
        /** Requests pass untouched. */
        OFF
    }

    /** What happens to a request with a key whose handler succeeds without using its attempt. */
    public enum UnusedKey {
        /** Nothing. */
        IGNORE,
        /** A warning in the log, once for each route. */
        WARN,
        /** The request fails with 500. What the handler did is not undone. */
        FAIL
    }

    /**
     * The purge of expired records. All nodes may run it at once.
     *
     * @param enabled Whether the purge runs.
     * @param interval Pause between two purges.
     * @param batch Maximum number of records that one statement of the purge deletes.
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
     * @param off Paths whose requests pass through unchanged.
     * @param elsewhere The policy of all other paths: required, optional or off.
     * @param strictKeys Whether keys must be in double quotes, as the draft defines them.
     * @param keyLifetime How long after its first use a key may be sent again, as stated in each response. At most the
     * retention of any operation behind the filter. By default, responses do not state it.
     * @param maxRequestBody Maximum size of a request body.
     * @param documentation Page that explains keys to clients, linked from every problem. Default: this project's page.
     * @param retryAfter Pause after which clients are asked to retry.
     * @param unusedKey What happens to a request whose key no operation has used: warn, fail or ignore.
     * @param order Order among the filters; the default is behind Spring Security.
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
     * @param maxClockSkew Maximum difference between the clocks of application and database. The difference is always
     * shown, but is a fault only if this is set.
     */
    public record Health(@Nullable Duration maxClockSkew) {}

    /**
     * The gauges of the table, if the application has a meter registry.
     *
     * @param pending Whether pending records are counted. One node is enough, because each count reads the whole table.
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
