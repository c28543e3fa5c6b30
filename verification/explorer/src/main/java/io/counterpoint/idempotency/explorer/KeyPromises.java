package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Succeeded;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What callers have learned about one key since it was last purged, compared with what exists. */
final class KeyPromises {

    private final Execution execution;
    private final IdempotencyKey key;
    private final Set<String> never = new TreeSet<>();
    private @Nullable String returnedResult;
    private boolean returnedFailed;
    private boolean hasFailed;
    private @Nullable String terminal;

    KeyPromises(Execution execution, IdempotencyKey key) {
        this.execution = execution;
        this.key = key;
    }

    private ExploredDatabase database() {
        return execution.database();
    }

    private void breaks(String which) {
        execution.promises().breaks(which);
    }

    // ---- answers -------------------------------------------------------------------------------------------------

    boolean succeeded(String result) {
        if (returnedResult != null && !returnedResult.equals(result)) {
            breaks("two callers got different results");
        }
        returnedResult = result;
        return true;
    }

    boolean failed(Caller caller, String how) {
        if (!database().failedDurably(key)) {
            breaks(caller + " " + how + " although no Failed record was durable");
        }
        returnedFailed = true;
        return true;
    }

    void neverHappens(Collection<String> effects) {
        never.addAll(effects);
    }

    // ---- states --------------------------------------------------------------------------------------------------

    void startAgainAfterPromotion() {
        hasFailed = database().failedDurably(key);
        terminal = null;
    }

    void startAgainAfterPurge() {
        returnedResult = null;
        returnedFailed = false;
        hasFailed = false;
        terminal = null;
        never.clear();
    }

    void check() {
        List<String> effects = database().allEffects(key);
        if (effects.size() > 1) {
            breaks("there are two effects");
        }
        hasFailed |= database().isFailed(key);
        if (hasFailed && !effects.isEmpty()) {
            breaks("the attempt was Failed and has an effect");
        }
        if (returnedFailed && !effects.isEmpty()) {
            breaks("a caller learned that the attempt had failed, and it has an effect");
        }
        if (returnedResult != null && !isResultOf(effects, returnedResult)) {
            breaks("a caller got a result that is not, or no longer, there");
        }
        if (effects.stream().anyMatch(never::contains)) {
            breaks("a caller learned that its call had no effect, and it has one");
        }
        Optional<IdempotencyRecord> record = database().record(key);
        if (record.orElse(null) instanceof Succeeded succeeded && !isResultOf(effects, Names.of(succeeded.result()))) {
            breaks("the record is Succeeded, and its effect is not there");
        }
        checkBookings(effects, record);
        checkTerminal(record.filter(found -> !(found instanceof Pending)));
    }

    /** If the record owes a booking, then the booking, the end of the record and the outcomes come together. */
    private void checkBookings(List<String> effects, Optional<IdempotencyRecord> found) {
        List<String> bookings = database().bookings();
        if (bookings.size() > 1) {
            breaks("there are two bookings");
        }
        if (!effects.containsAll(bookings)) {
            breaks("there is a booking without its effect");
        }
        Optional<IdempotencyRecord> owing =
                found.filter(record -> record.protocol().owesFollowUp());
        if (owing.isEmpty()) {
            return;
        }
        IdempotencyRecord record = owing.get();
        if (record instanceof Succeeded succeeded && !bookings.contains(Names.of(succeeded.result()))) {
            breaks("the record is Succeeded, and its effect is not booked");
        }
        if (record instanceof Pending) {
            if (!bookings.isEmpty() && !execution.hasEndedATransaction()) {
                breaks("the effect is booked, and its record is Pending");
            }
            if (returnedResult != null) {
                breaks("a caller got a result before it was booked");
            }
        }
    }

    private boolean isResultOf(List<String> effects, String result) {
        Batches batches = execution.scenario().batches();
        return (batches == null || batches.withResults()) ? effects.contains(result) : !effects.isEmpty();
    }

    private void checkTerminal(Optional<IdempotencyRecord> record) {
        String now = record.map(execution.names()::of).orElse(null);
        if (terminal != null && !terminal.equals(now)) {
            breaks("a terminal record has changed");
        }
        terminal = now;
    }

    String state(String late) {
        StringBuilder state = new StringBuilder()
                .append(returnedResult)
                .append(returnedFailed)
                .append(hasFailed);
        never.stream().filter(late::contains).forEach(state::append);
        return state.toString();
    }
}
