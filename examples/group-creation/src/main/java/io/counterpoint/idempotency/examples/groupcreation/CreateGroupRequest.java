package io.counterpoint.idempotency.examples.groupcreation;

import io.counterpoint.idempotency.Attempt;
import java.util.List;

/**
 * A request as it arrives.
 *
 * @param user who asks, and owns the group
 * @param key what the client made up for this attempt and sends again with every retry of it
 * @param name the name of the group
 * @param members who else is in the group
 */
public record CreateGroupRequest(String user, String key, String name, List<String> members) {

    /** What the library needs: who may see the answer, the key, and the rest for the fingerprint. */
    public Attempt attempt() {
        return Attempt.inScope("user:" + user).key(key).request(name, members);
    }
}
