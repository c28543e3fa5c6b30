package io.counterpoint.idempotency.client;

import io.counterpoint.idempotency.Fingerprint;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Makes calls: one key, as many tries as necessary, one result. */
record Calls(CallSettings settings) {

    /** Makes a call with a new key. */
    <R> CallResult<R> withNewKey(Exchange<R> exchange) {
        return run(settings.keys.get(), settings.clock.instant(), false, exchange)
                .result();
    }

    /** Makes a call that continues with a key whose earlier tries had unknown outcomes. */
    <R> CallResult<R> goOn(CallKey key, Exchange<R> exchange) {
        return run(key, settings.clock.instant(), true, exchange).result();
    }

    /** Makes a call whose key is stored before its first try. */
    <R> CallResult<R> stored(ClientKeys keys, String callId, Fingerprint request, Exchange<R> exchange) {
        ClientKeys.Begun begun = keys.begin(callId, request, settings.keys, settings.clock.instant());
        Verdict.End<R> end = run(begun.key(), begun.since(), begun.before(), exchange);
        if (end.result().isDefinite()) {
            // If that fails, or the body is never read, the call stays unfinished and its next send gets the same
            // response.
            var unused = end.bodyRead().thenRun(() -> keys.markDone(callId, begun.key(), settings.clock.instant()));
        }
        return end.result();
    }

    private <R> Verdict.End<R> run(CallKey key, Instant since, boolean before, Exchange<R> exchange) {
        Instant end = settings.clock.instant().plus(settings.timeLimit);
        Duration lifetime = settings.keyLifetime;
        boolean inDoubt = before;
        for (int tries = 1; ; tries++) {
            if (settings.clock.instant().isAfter(since.plus(lifetime))) {
                return new Verdict.End<>(new CallResult.KeyExpired<>(key, null));
            }
            Verdict<R> verdict = attempt(key, inDoubt, exchange);
            if (verdict instanceof Verdict.End<R> over) {
                return over;
            }
            Verdict.Again<R> again = (Verdict.Again<R>) verdict;
            lifetime = shorter(lifetime, again.keyLifetime());
            inDoubt |= again.open() != Verdict.Open.NOT_STARTED;
            Duration pause = pause(tries, again);
            if (tries == settings.tries || Thread.currentThread().isInterrupted() || !fits(pause, end)) {
                return new Verdict.End<>(again.givenUp(key, inDoubt));
            }
            try {
                settings.sleeper.sleep(pause);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                return new Verdict.End<>(again.givenUp(key, inDoubt));
            }
        }
    }

    private <R> Verdict<R> attempt(CallKey key, boolean inDoubt, Exchange<R> exchange) {
        try {
            Reply<R> reply = exchange.send(key);
            Verdict<R> verdict = Verdict.of(reply, key, inDoubt, settings.carriedOutBy);
            return verdict instanceof Verdict.End<R> end ? new Verdict.End<>(end.result(), reply.bodyRead()) : verdict;
        } catch (Redirects.PerhapsFollowedException | RuntimeException ending) {
            // Thrown on, as from a pool that was shut down between two tries, it would lose the key.
            return new Verdict.End<>(new CallResult.Unknown<>(key, null, null, ending));
        } catch (IOException lost) {
            return Verdict.lost(lost, exchange.isNeverSent(lost));
        } catch (InterruptedException interrupted) {
            // An exception would lose the key; a result contains it.
            Thread.currentThread().interrupt();
            return Verdict.lost(interrupted, false);
        }
    }

    /** The service may remember keys for a shorter time than the settings specify. */
    private static Duration shorter(Duration own, Optional<Duration> told) {
        return told.filter(it -> it.compareTo(own) < 0).orElse(own);
    }

    /** Never shorter than the service requests. */
    private Duration pause(int tries, Verdict.Again<?> again) {
        Duration own = settings.backoff.pause(tries);
        Duration asked = again.retryAfter()
                .map(value -> RetryAfter.parse(value, settings.clock.instant()))
                .orElse(Duration.ZERO);
        return asked.compareTo(own) > 0 ? asked : own;
    }

    private boolean fits(Duration pause, Instant end) {
        return pause.compareTo(Duration.between(settings.clock.instant(), end)) <= 0;
    }
}
