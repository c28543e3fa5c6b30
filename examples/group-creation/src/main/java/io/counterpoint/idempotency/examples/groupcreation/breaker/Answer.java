package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/**
 * A response to a client.
 *
 * @param group the created group, if known
 * @param reason a short code that says why there is no group, or empty
 */
public record Answer(Kind kind, Optional<GroupCreated> group, String reason) {

    /** The kind of response, as the client sees it. */
    public enum Kind {
        EXECUTED,
        REPLAYED,
        HEALED,
        IN_PROGRESS,
        REJECTED,
        /** The domain refused the request; its key is unused. */
        REFUSED,
        KEY_REUSED,
        /** No response: the client has to retry. */
        UNKNOWN;

        /** As printed in the report. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }

        boolean asksAgain() {
            return this == IN_PROGRESS || this == UNKNOWN;
        }
    }

    /** Executes a request and translates its outcome, as a web server would. */
    public static Answer of(UseCase useCase, CreateGroupRequest request) {
        try {
            return useCase.execute(request)
                    .fold(
                            completed -> completed(kindOf(completed), completed.result()),
                            inProgress -> without(Kind.IN_PROGRESS, ""),
                            rejected ->
                                    without(Kind.REJECTED, rejected.failure().code()),
                            keyReused -> without(Kind.KEY_REUSED, ""));
        } catch (Groups.Refused refused) {
            return without(Kind.REFUSED, refused.code());
        } catch (IdempotencyException thrown) {
            return without(Kind.UNKNOWN, thrown.getClass().getSimpleName());
        }
    }

    /** The same without the library: every request creates a new group, even a duplicate. */
    static Answer unprotected(Jdbi jdbi, Groups groups, CreateGroupRequest request) {
        GroupCreated created = GroupCreated.withNewIdentifiers();
        try {
            Groups.requireWanted(request);
            jdbi.useTransaction(handle -> groups.insert(handle, created, request));
            return completed(Kind.EXECUTED, created);
        } catch (Groups.Refused refused) {
            return without(Kind.REFUSED, refused.code());
        }
    }

    static Answer without(Kind kind, String reason) {
        return new Answer(kind, Optional.empty(), reason);
    }

    private static Answer completed(Kind kind, GroupCreated group) {
        return new Answer(kind, Optional.of(group), "");
    }

    private static Kind kindOf(Outcome.Completed<GroupCreated> completed) {
        if (!completed.isReplay()) {
            return Kind.EXECUTED;
        }
        return completed instanceof Outcome.Healed ? Kind.HEALED : Kind.REPLAYED;
    }
}
