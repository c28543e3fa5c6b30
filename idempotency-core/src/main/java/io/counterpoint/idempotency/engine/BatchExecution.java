package io.counterpoint.idempotency.engine;

import io.counterpoint.idempotency.BatchEntry;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyException.NotStartedException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.InvalidBatchException;
import io.counterpoint.idempotency.InvalidBatchException.Reason;
import io.counterpoint.idempotency.engine.BatchLimits.Mode;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spi.Session;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A batch. It reads the records of all keys at once, and each key that has one is followed, as in any other call. Keys
 * without a record are executed one by one, or {@linkplain BatchGroups together}, in the order of the call. Of equal keys
 * the later ones come last, so that the record of the first answers them.
 */
public final class BatchExecution<C, R> {

    private final IdempotencyStore<C> store;
    private final BatchLimits limits;
    private final Waiting waiting;
    private final Instant start;
    private final List<BatchMember<C, R>> members = new ArrayList<>();
    private final Map<IdempotencyKey, BatchMember<C, R>> firsts = new LinkedHashMap<>();
    private final List<BatchMember<C, R>> repeated = new ArrayList<>();
    private final BatchGroups<C, R> groups;

    private BatchExecution(
            OperationSettings<C, R> settings, BatchLimits limits, List<BatchRequest> requests, BatchCode<C, R> code) {
        this.store = settings.environment().store();
        this.limits = limits;
        this.waiting = settings.waiting(new Interrupts());
        this.start = waiting.now();
        for (BatchRequest asked : requests) {
            BatchMember<C, R> member = new BatchMember<>(settings, asked, code, waiting);
            members.add(member);
            if (firsts.putIfAbsent(member.call.key, member) != null) {
                repeated.add(member);
            }
        }
        this.groups = new BatchGroups<>(settings, limits, code, waiting, this::executeAlone, this::isOver);
    }

    /**
     * Executes a batch.
     *
     * @param <C> the handle that domain code gets
     * @param <R> the type of the result
     * @param settings the operation
     * @param limits the mode and the limits
     * @param requests what is asked for
     * @param code the user's work
     * @return one entry for each request, in their order
     */
    public static <C, R> List<BatchEntry<R>> execute(
            OperationSettings<C, R> settings, BatchLimits limits, List<BatchRequest> requests, BatchCode<C, R> code) {
        if (settings.userCode().looksUpByPlan()) {
            throw new IllegalStateException(
                    settings.name() + ": this operation looks up by plan, and a batch has none; look up by key.");
        }
        if (requests.isEmpty()) {
            return List.of();
        }
        return Nesting.notNested(requests.get(0).request().key(), () -> {
            BatchExecution<C, R> batch;
            try {
                batch = new BatchExecution<>(settings.inBatch(limits.mode()), limits, requests, code);
                batch.requireOneDatabase();
            } catch (NotStartedException unreachable) {
                return notStarted(requests, unreachable);
            }
            return batch.run();
        });
    }

    /** The store did not say where the records of one of the keys are. */
    private static <R> List<BatchEntry<R>> notStarted(List<BatchRequest> requests, NotStartedException because) {
        return requests.stream()
                .map(asked -> asked.request().key())
                .<BatchEntry<R>>map(key -> new BatchEntry.Thrown<>(
                        key, new NotStartedException(IdempotencyException.Reason.SCOPE_UNAVAILABLE, key, because)))
                .toList();
    }

    private void requireOneDatabase() {
        if (!store.isOneDatabase(firsts.keySet())) {
            throw new InvalidBatchException(
                    Reason.SEVERAL_DATABASES,
                    "The keys of a batch are in one database, found scopes of several; make a batch for each.");
        }
    }

    private List<BatchEntry<R>> run() {
        if (limits.mode() == Mode.EACH_ITS_OWN) {
            executeEachAlone();
        } else {
            executeTogether();
        }
        return members.stream().map(BatchMember::entry).toList();
    }

    private void executeEachAlone() {
        Map<IdempotencyKey, IdempotencyRecord> known = readAll(firsts.values());
        for (BatchMember<C, R> member : members) {
            boolean isFirst = firsts.get(member.call.key) == member;
            executeAlone(
                    member,
                    Optional.ofNullable(known.get(member.call.key)).filter(r -> isFirst || Tokens.isTerminal(r)));
        }
    }

    private void executeTogether() {
        Map<IdempotencyKey, IdempotencyRecord> known = readAll(firsts.values());
        List<BatchMember<C, R>> group = new ArrayList<>();
        for (BatchMember<C, R> member : firsts.values()) {
            IdempotencyRecord record = known.get(member.call.key);
            if (record == null) {
                group.add(member);
            } else if (Tokens.isTerminal(record)) {
                executeAlone(member, Optional.of(record));
            } else {
                // It may be taken over. Its work then has its place in the order.
                groups.execute(group);
                group = new ArrayList<>();
                executeAlone(member, Optional.of(record));
            }
        }
        groups.execute(group);
        Map<IdempotencyKey, IdempotencyRecord> settled = readAll(repeated);
        for (BatchMember<C, R> member : repeated) {
            executeAlone(member, Optional.ofNullable(settled.get(member.call.key)));
        }
    }

    /** An answer from a record takes no time, and is given whatever the time. So is one to a commit without an answer. */
    private void executeAlone(BatchMember<C, R> member, Optional<IdempotencyRecord> known) {
        boolean begins = known.filter(Tokens::isTerminal).isEmpty() && !member.isLeftInDoubt();
        if (begins && isOver()) {
            member.fail(new NotStartedException(IdempotencyException.Reason.BATCH_OVER, member.call.key, null));
        } else {
            member.executeAlone(known);
        }
    }

    private boolean isOver() {
        return Duration.between(start, waiting.now()).compareTo(limits.time()) >= 0;
    }

    /** Reads before it claims. Where the store gives no answer, the claims decide. */
    private Map<IdempotencyKey, IdempotencyRecord> readAll(Collection<BatchMember<C, R>> wanted) {
        List<IdempotencyKey> keys =
                wanted.stream().map(member -> member.call.key).distinct().toList();
        if (keys.isEmpty()) {
            return Map.of();
        }
        return waiting.interrupts().keptFromStore(() -> {
            try (Session<C> session = store.open(keys.get(0))) {
                Map<IdempotencyKey, IdempotencyRecord> found = session.autoCommit(steps -> steps.readAll(keys));
                wanted.forEach(member -> member.call.probablyRecorded = false);
                return found;
            } catch (IllegalStateException misuse) {
                throw misuse;
            } catch (RuntimeException | Error unanswered) {
                return Map.of();
            }
        });
    }
}
