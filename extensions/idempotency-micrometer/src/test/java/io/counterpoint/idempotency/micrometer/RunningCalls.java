package io.counterpoint.idempotency.micrometer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyClock;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyEvent.Details;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Calls that meet every outcome, with a registry that is scraped. */
final class RunningCalls {

    static final String SCOPE = "user:s3cretscope";
    static final String KEY = "s3cretkey";

    final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    final ObservationRegistry observations = ObservationRegistry.create();
    final ObservedCalls observed = ObservedCalls.in(observations);
    final IdempotencyMetrics metrics = IdempotencyMetrics.in(registry);

    private final InMemoryIdempotencyStore store = new InMemoryIdempotencyStore();
    private volatile Runnable onPause = () -> {};
    private final Idempotency<Transaction> idempotency = Idempotency.builder(store)
            .listener(metrics)
            .observer(observed)
            .clock(new IdempotencyClock() {
                @Override
                public Instant now() {
                    return Instant.EPOCH;
                }

                @Override
                public void sleep(Duration pause) {
                    onPause.run();
                }
            })
            .build();
    private final Operation<Transaction, String> pay =
            idempotency.operation("pay", ResultCodec.string()).build();
    private final Operation<Transaction, String> patient = idempotency
            .operation("pay", ResultCodec.string())
            .waitAtMost(Duration.ofSeconds(30))
            .build();

    RunningCalls() {
        observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
    }

    void everyOutcome() throws Exception {
        call("1", "a", () -> "done");
        call("1", "a", () -> "never");
        call("1", "another", () -> "never");
        try {
            call("2", "a", () -> {
                throw new IllegalStateException("s3cretmessage");
            });
        } catch (IllegalStateException expected) {
            call("2", "a", () -> "never");
        }
        leaderAndFollowers();
        var key = IdempotencyKey.inScope(SCOPE).operation("pay").value(KEY);
        thrown(new NotStartedException(IdempotencyException.Reason.STORE_UNREACHABLE, key, null));
        thrown(new OutcomeUnknownException(IdempotencyException.Reason.COMMIT_UNANSWERED, key, null));
        Details details = new Details(key, 1, Duration.ZERO, Optional.of(new IllegalStateException("s3cretmessage")));
        List.of(
                        new IdempotencyEvent.Released(details),
                        new IdempotencyEvent.Retried(details),
                        new IdempotencyEvent.Healed(details),
                        new IdempotencyEvent.TakenOver(details),
                        new IdempotencyEvent.CommitUnknown(details),
                        new IdempotencyEvent.LookupFailed(details),
                        new IdempotencyEvent.Arbitrated(details, true),
                        new IdempotencyEvent.Arbitrated(details, false),
                        new IdempotencyEvent.AfterCommitFailed(details),
                        new IdempotencyEvent.WorkOutlived(details),
                        new IdempotencyEvent.WrongResults(details),
                        new IdempotencyEvent.NameShared(details, "here and there"),
                        new IdempotencyEvent.WaitRefused(details),
                        new IdempotencyEvent.Unresolved(details),
                        new IdempotencyEvent.FollowUpOwed(details),
                        new IdempotencyEvent.Failed(details, new Failure(Failure.ABANDONED, "s3cretmessage")))
                .forEach(metrics::onEvent);
    }

    /** One follower comes while the leader works, and goes. Another waits until it is done. */
    private void leaderAndFollowers() throws Exception {
        var working = new CountDownLatch(1);
        var mayEnd = new CountDownLatch(1);
        var leader = CompletableFuture.supplyAsync(() -> call("3", "a", () -> {
            working.countDown();
            mayEnd.await(30, TimeUnit.SECONDS);
            return "late";
        }));
        working.await(30, TimeUnit.SECONDS);
        call("3", "a", () -> "never");
        onPause = () -> {
            mayEnd.countDown();
            leader.join();
        };
        Outcome<String> unused = patient.execute(attempt("3", "a"), transaction -> "never");
        leader.join();
    }

    private void thrown(RuntimeException exception) {
        try {
            observed.observe("pay", () -> {
                throw exception;
            });
        } catch (NotStartedException | OutcomeUnknownException expected) {
            // It is counted.
        }
    }

    private Outcome<String> call(String key, String request, Work work) {
        return pay.execute(attempt(key, request), transaction -> {
            try {
                return work.run();
            } catch (InterruptedException thrown) {
                throw new IllegalStateException(thrown);
            }
        });
    }

    private static Attempt attempt(String key, String request) {
        return Attempt.inScope(SCOPE).key(KEY + key).request(request);
    }

    private interface Work {
        String run() throws InterruptedException;
    }
}
