package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * A network that loses the first reply for one key in ten, on average. By then the server has executed the request, and
 * the client retries. The choice depends on the hash of the key, so every run loses the same replies.
 */
final class LostReplies implements Function<CreateGroupRequest, Answer> {

    private static final int LOSES_EVERY = 10;

    private final Function<CreateGroupRequest, Answer> server;
    private final Set<String> keys = ConcurrentHashMap.newKeySet();

    LostReplies(Function<CreateGroupRequest, Answer> server) {
        this.server = server;
    }

    @Override
    public Answer apply(CreateGroupRequest request) {
        Answer answer = server.apply(request);
        String key = request.user() + " " + request.key();
        return key.hashCode() % LOSES_EVERY == 0 && keys.add(key)
                ? Answer.without(Answer.Kind.UNKNOWN, "reply lost")
                : answer;
    }

    /** How many replies were lost. */
    int lost() {
        return keys.size();
    }
}
