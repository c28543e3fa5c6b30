package io.counterpoint.idempotency.testkit.faults;

import java.util.ArrayList;
import java.util.List;

/** The calls so far and those that a test has armed. */
final class ArmedCalls {

    private final List<ArmedCall> armed = new ArrayList<>();
    private final List<StoreCall> made = new ArrayList<>();

    /** Arms the next call of a kind that is not armed yet. */
    synchronized ArmedCall at(StoreCall kind) {
        return arm(new ArmedCall((called, number) -> called == kind));
    }

    /** Arms the n-th call of any kind from now. */
    synchronized ArmedCall atCall(int n) {
        int due = made.size() + n;
        return arm(new ArmedCall((called, number) -> number == due));
    }

    /** Discards armed faults that have not occurred. */
    synchronized void disarm() {
        armed.clear();
    }

    /** Returns whether a fault is armed for a call that has not been made; faults for every call do not count. */
    synchronized boolean areLeft() {
        return armed.stream().anyMatch(call -> !call.isAlways());
    }

    synchronized List<StoreCall> made() {
        return List.copyOf(made);
    }

    private ArmedCall arm(ArmedCall call) {
        armed.add(call);
        return call;
    }

    /** Returns the current call, armed or not. */
    synchronized ArmedCall next(StoreCall kind) {
        made.add(kind);
        int number = made.size();
        ArmedCall due = armed.stream()
                .filter(call -> call.matches(kind, number))
                .findFirst()
                .orElseGet(() -> new ArmedCall((called, any) -> true));
        if (!due.isAlways()) {
            armed.remove(due);
        }
        return due;
    }
}
