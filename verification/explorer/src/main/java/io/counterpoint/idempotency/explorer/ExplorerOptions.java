package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.spi.Fault;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The events that can happen next. */
final class ExplorerOptions {

    private final Schedule schedule;
    private final List<Option> all = new ArrayList<>();

    ExplorerOptions(Schedule schedule) {
        this.schedule = schedule;
    }

    /** A caller continues. */
    void goesOn(Caller caller, Supplier<String> words, Runnable action) {
        all.add(new Option(caller, words, action));
    }

    /** A caller continues after a fault. */
    void fault(Caller caller, Supplier<String> words, Runnable action) {
        if (schedule.mayFault()) {
            goesOn(caller, words, () -> {
                schedule.spendFault();
                action.run();
            });
        }
    }

    /** A caller that encounters another's lock is rejected at once, or times out. */
    void refusalOrWait(Caller caller, Step step) {
        Runnable refusal = () -> caller.failed(step.code(), new Injected(Fault.LOCK_TIMEOUT, false));
        if (step.waitsNot()) {
            goesOn(caller, () -> caller + " " + step + ": refused, the record is locked", refusal);
        } else {
            fault(caller, () -> caller + " " + step + ": waits too long for the lock", refusal);
        }
    }

    /** An event without a caller. */
    void event(Supplier<String> words, Runnable action) {
        all.add(new Option(null, words, action));
    }

    boolean isEmpty() {
        return all.isEmpty();
    }

    int size() {
        return all.size();
    }

    Option get(int index) {
        return all.get(index);
    }

    /**
     * @param resumes the caller that continues, if any
     * @param words describes what happened, evaluated afterwards
     * @param action what happens
     */
    record Option(@Nullable Caller resumes, Supplier<String> words, Runnable action) {}
}
