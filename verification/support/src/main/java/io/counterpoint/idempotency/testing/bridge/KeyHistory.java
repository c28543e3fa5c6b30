package io.counterpoint.idempotency.testing.bridge;

import io.counterpoint.idempotency.testing.bridge.NodeProcess.Called;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All calls of a key, and what is wrong with their responses. */
final class KeyHistory {

    private static final String RECEIPT = "receipt ";

    final String userId;
    final String requestId;
    private final List<Called> calls = new ArrayList<>();

    /** An effect of the key. */
    record Effect(long cents, String receipt) {}

    KeyHistory(int number) {
        userId = "user-" + number;
        requestId = "request-" + number;
    }

    Called add(Called call) {
        calls.add(call);
        return call;
    }

    boolean hasOtherRequests() {
        return calls.stream().map(Called::cents).distinct().count() > 1;
    }

    /** Compares the responses with the effects, once all calls are over. */
    List<String> wrong(List<Effect> effects) {
        Set<String> wrong = new LinkedHashSet<>();
        if (effects.size() > 1) {
            wrong.add(effects.size() + " effects");
        }
        @Nullable Effect effect = effects.isEmpty() ? null : effects.get(0);
        for (Called call : calls) {
            String answer = call.answer().join();
            if (answer.startsWith(RECEIPT)) {
                if (effect == null || !answer.equals(RECEIPT + effect.receipt())) {
                    wrong.add("a receipt of no effect");
                } else if (effect.cents() != call.cents() && !call.by().isOld()) {
                    wrong.add("an answer for a request that was not booked");
                }
            } else if (answer.startsWith("RejectedException") && effect != null) {
                wrong.add("no effect, it was said, beside an effect");
            } else if (answer.startsWith("KeyReusedException") && !hasOtherRequests()) {
                wrong.add("the only request of a key is another one");
            }
        }
        return wrong.stream()
                .map(what -> what + ": " + this + ", effects " + effects)
                .toList();
    }

    @Override
    public String toString() {
        return requestId + " "
                + calls.stream()
                        .map(call -> call.by().name() + " " + call.cents() + " → "
                                + call.answer().getNow("none"))
                        .toList();
    }
}
