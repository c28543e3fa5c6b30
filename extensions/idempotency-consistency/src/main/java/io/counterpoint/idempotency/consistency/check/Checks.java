package io.counterpoint.idempotency.consistency.check;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.consistency.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Runs several checks, either all of them now or only those that are due. Immutable and thread-safe.
 *
 * <p>A slot is an idempotency key, {@code check/slot}: call {@link #runDue} from any scheduler, on every node, as often
 * as you like, and one node runs each check once per slot. The record contains the result and commits with the end of
 * the check, so {@link #found} returns it on every node. If a node dies while running a check, another takes over. A
 * check that could not run because the database was unreachable leaves its slot free for the next call; a check whose
 * query failed has used its slot and reports the failure in its result.
 */
public final class Checks {

    private static final String OPERATION = "consistency-check";

    private final List<Check> all;

    private Checks(List<Check> all) {
        Set<String> names = new HashSet<>();
        for (Check check : all) {
            if (!names.add(check.name())) {
                throw new IllegalArgumentException(
                        "Two checks are named " + check.name() + " and would share their slots.");
            }
        }
        this.all = List.copyOf(all);
    }

    /**
     * Groups several checks.
     *
     * @param checks the checks, with distinct names
     * @return the checks
     * @throws IllegalArgumentException if two have the same name
     */
    public static Checks of(Check... checks) {
        return new Checks(List.of(checks));
    }

    /**
     * Returns the checks.
     *
     * @return the checks
     */
    public List<Check> all() {
        return all;
    }

    /**
     * Runs all checks now, regardless of their slots.
     *
     * @param transactions runs the transactions
     * @return the results
     */
    public CheckReport run(Transactions transactions) {
        return new CheckReport(
                all.stream().map(check -> check.run(transactions)).toList());
    }

    /**
     * Runs the checks that have not yet run in their current slot.
     *
     * @param idempotency claims the slots, in the database that is checked
     * @param now the current time, which determines the slots
     * @return the results of the checks that this call ran; empty if others ran them all. If the database does not
     *     respond, the last result has this as its error, and the checks after it were not run. A check whose COMMIT
     *     reply was lost may be reported again. {@link #found} returns results that nobody has read
     */
    public CheckReport runDue(Idempotency<Handle> idempotency, Instant now) {
        return report(idempotency, now, outcome -> outcome instanceof Outcome.Executed);
    }

    /**
     * Returns the results of all checks in their current slots, no matter which node ran them, and runs those that have
     * not run yet. A finding commits with its slot, so it is not lost if a node dies before reporting it.
     *
     * @param idempotency claims the slots, in the database that is checked
     * @param now the current time, which determines the slots
     * @return the results, except those of checks that another node is currently running. An error is the last result,
     *     as in {@link #runDue}
     */
    public CheckReport found(Idempotency<Handle> idempotency, Instant now) {
        return report(idempotency, now, outcome -> true);
    }

    private CheckReport report(
            Idempotency<Handle> idempotency, Instant now, Predicate<? super Outcome<CheckResult>> reported) {
        List<CheckResult> results = new ArrayList<>();
        for (Check check : all) {
            AtomicReference<@Nullable CheckResult> ran = new AtomicReference<>();
            try {
                Outcome<CheckResult> outcome = runDue(idempotency, check, now, ran);
                if (reported.test(outcome)) {
                    outcome.asOptional().ifPresent(results::add);
                }
            } catch (RuntimeException thrown) {
                // This call has to report what the earlier checks have found.
                results.add(ended(check, ran.get(), thrown));
                break;
            }
        }
        return new CheckReport(results);
    }

    /** The result counts if its slot may have been taken. */
    private static CheckResult ended(Check check, @Nullable CheckResult found, RuntimeException thrown) {
        boolean mayBeTaken = thrown instanceof IdempotencyException known
                && known.reason().effect() != IdempotencyException.Effect.NONE;
        if (found != null && mayBeTaken) {
            return found;
        }
        return new CheckResult(
                check.name(),
                check.severity(),
                0,
                List.of(),
                Duration.ZERO,
                Optional.of("Not run, and its slot " + (mayBeTaken ? "may be taken: " : "is free: ") + thrown));
    }

    private static Outcome<CheckResult> runDue(
            Idempotency<Handle> idempotency, Check check, Instant now, AtomicReference<@Nullable CheckResult> result) {
        Duration longest = check.schedule().period().multipliedBy(2);
        Operation<Handle, CheckResult> once = idempotency
                .operation(OPERATION, new StoredResult())
                .whenAbandoned(Operation.Abandoned.TAKE_OVER, check.timeout().plusMinutes(1))
                .releaseOn(thrown -> true)
                .maxResultBytes(2 * StoredResult.MOST_BYTES)
                .retention(longest.compareTo(Duration.ofDays(1)) > 0 ? longest : Duration.ofDays(1))
                .build();
        Attempt slot = Attempt.inScope("check")
                .key(check.name() + "/" + check.schedule().slot(now))
                .withoutRequest();
        return once.execute(slot, handle -> {
            // A run that is rolled back is followed by another one, or does not count.
            CheckResult found = check.run(handle);
            result.set(found);
            return found;
        });
    }
}
