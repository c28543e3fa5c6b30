package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.FaultInjection.Effects;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The number of effects of each kind for a key. */
record Counted(List<Long> kinds) {

    static final Counted NONE = new Counted(List.of(0L));

    static Counted of(List<Effects> counts, String key) throws Exception {
        List<Long> kinds = new ArrayList<>();
        for (Effects count : counts) {
            kinds.add(count.of(key));
        }
        return new Counted(kinds);
    }

    long least() {
        return Collections.min(kinds);
    }

    long most() {
        return Collections.max(kinds);
    }

    /** The number, if there is one kind. */
    @Override
    public String toString() {
        return kinds.size() == 1 ? kinds.get(0).toString() : kinds.toString();
    }
}
