package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.internal.Backoff;
import java.time.Clock;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** How calls are tried: how often, for how long, and with which pauses. Immutable. */
public final class CallSettings {

    final int tries;
    final Duration timeLimit;
    final Duration tryTimeout;
    final Duration keyLifetime;
    final Backoff backoff;
    final int maxBody;
    final Set<Integer> carriedOutBy;
    final Supplier<CallKey> keys;
    final Clock clock;
    final Sleeper sleeper;

    private CallSettings(Builder builder) {
        tries = builder.tries;
        timeLimit = builder.timeLimit;
        tryTimeout = builder.tryTimeout;
        keyLifetime = builder.keyLifetime;
        backoff = builder.backoff;
        maxBody = builder.maxBody;
        carriedOutBy = Set.copyOf(builder.carriedOutBy);
        keys = builder.keys;
        clock = builder.clock;
        sleeper = builder.sleeper;
    }

    /**
     * Returns the default settings.
     *
     * @return ten tries within two minutes
     */
    public static CallSettings defaults() {
        return builder().build();
    }

    /**
     * Returns a builder that starts with the default settings.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds settings. Not thread-safe. */
    public static final class Builder {

        private static final Set<Integer> RETRIED = Set.of(Status.TIMEOUT, Status.TOO_EARLY, Status.TOO_MANY_REQUESTS);
        /** A limit that keeps time computations within the range of any clock. */
        private static final Duration LONGEST = Duration.ofDays(36_500);

        private static final int DEFAULT_TRIES = 10;
        private static final int DEFAULT_BODY = 8 << 20;

        private int tries = DEFAULT_TRIES;
        private Duration timeLimit = Duration.ofMinutes(2);
        private Duration tryTimeout = Duration.ofSeconds(30);
        private Duration keyLifetime = Duration.ofHours(24);
        private Backoff backoff = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(10));
        private int maxBody = DEFAULT_BODY;
        private final Set<Integer> carriedOutBy = new TreeSet<>();
        private Supplier<CallKey> keys = CallKey::random;
        private Clock clock = Clock.systemUTC();
        private Sleeper sleeper = pause -> TimeUnit.NANOSECONDS.sleep(pause.toNanos());

        private Builder() {}

        /**
         * Sets the maximum number of tries.
         *
         * @param most at least 1; default 10
         * @return this
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder tries(int most) {
            if (most < 1) {
                throw new IllegalArgumentException("A call needs at least 1 try, found " + most + ".");
            }
            tries = most;
            return this;
        }

        /**
         * Sets how long a call may take before its last try. A pause that would end later is not begun, not even one
         * requested by the service with {@code Retry-After}.
         *
         * @param limit positive; default 2 minutes; capped at 100 years
         * @return this
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder timeLimit(Duration limit) {
            timeLimit = positive("The time limit", limit);
            return this;
        }

        /**
         * Sets how long a try waits for its complete response if the request has no timeout of its own. Only for {@code
         * java.net.http}: with Spring, timeouts are set on the request factory.
         *
         * @param timeout positive; default 30 seconds
         * @return this
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder tryTimeout(Duration timeout) {
            tryTimeout = positive("The timeout of a try", timeout);
            return this;
        }

        /**
         * Sets how long after its creation a key is sent. It must be shorter than the service remembers keys, because
         * the service would carry out a request with a forgotten key again. A shorter {@code Idempotency-Key-Lifetime}
         * in a response takes precedence.
         *
         * @param lifetime positive; default 24 hours
         * @return this
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder keyLifetime(Duration lifetime) {
            keyLifetime = positive("The lifetime of keys", lifetime);
            return this;
        }

        /**
         * Sets the pauses between tries, which are random and increase with every try.
         *
         * @param first the maximum pause after the first try; default 200 ms
         * @param longest the maximum pause after any try; default 10 s
         * @return this
         * @throws IllegalArgumentException if {@code first} is not positive or {@code longest} is shorter
         */
        public Builder backoff(Duration first, Duration longest) {
            backoff = new Backoff(first, longest);
            return this;
        }

        /**
         * Sets the maximum size of a request's body, which is kept in memory so that each try sends the same bytes.
         *
         * @param bytes not negative; default 8 MiB
         * @return this
         * @throws IllegalArgumentException if it is negative
         */
        public Builder maxBody(int bytes) {
            if (bytes < 0) {
                throw new IllegalArgumentException("The largest body must be at least 0 bytes, found " + bytes + ".");
            }
            maxBody = bytes;
            return this;
        }

        /**
         * Adds statuses with which the service reports that the request took effect, in addition to 200 to 299 and 303.
         *
         * @param statuses from 300 to 499, except for 408, 425 and 429, which are retried
         * @return this
         * @throws IllegalArgumentException if one is out of range
         */
        public Builder carriedOutBy(int... statuses) {
            for (int status : statuses) {
                if (status < Status.REDIRECTION || status >= Status.SERVER_ERROR || RETRIED.contains(status)) {
                    throw new IllegalArgumentException(
                            "Only a status from 300 to 499, other than 408, 425 and 429, can be declared; found "
                                    + status + ".");
                }
                carriedOutBy.add(status);
            }
            return this;
        }

        /**
         * Sets the source of keys.
         *
         * @param maker returns a new key on each call; default {@link CallKey#random}
         * @return this
         */
        public Builder keys(Supplier<CallKey> maker) {
            keys = maker;
            return this;
        }

        /**
         * Sets the clock.
         *
         * @param source the clock; default: the system clock
         * @return this
         */
        public Builder clock(Clock source) {
            clock = source;
            return this;
        }

        /**
         * Sets how to wait between tries.
         *
         * @param waiting waits; by default, the thread sleeps
         * @return this
         */
        public Builder sleeper(Sleeper waiting) {
            sleeper = waiting;
            return this;
        }

        /**
         * Returns the current settings.
         *
         * @return new settings
         */
        public CallSettings build() {
            return new CallSettings(this);
        }

        private static Duration positive(String what, Duration found) {
            if (found.isNegative() || found.isZero()) {
                throw new IllegalArgumentException(what + " must be positive, found " + found + ".");
            }
            return capped(found);
        }

        static Duration capped(Duration found) {
            return found.compareTo(LONGEST) < 0 ? found : LONGEST;
        }
    }
}
