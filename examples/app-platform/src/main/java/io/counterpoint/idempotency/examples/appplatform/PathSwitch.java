package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.StatusTransitions;
import io.counterpoint.idempotency.consistency.transition.Transition;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.AppPaths;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/**
 * Switches the paths along which apps are written and read, for all nodes at once. A switch waits for writes in flight.
 * It switches to the new path only if both tables agree, which it checks while no write is in flight.
 */
final class PathSwitch {

    private static final String OLD_AS_NEW = "SELECT u.id, m.workspace_id, u.name FROM app_by_user u"
            + " LEFT JOIN workspace_of_user m ON m.user_id = u.user_id";
    private static final String NEW = "SELECT id, workspace_id, name FROM app_by_workspace";

    private final Transactions transactions;
    private final StatusTransitions<PathMode> modes =
            StatusTransitions.builder(PathMode.graph()).table("app_path").build();

    PathSwitch(Transactions transactions) {
        this.transactions = transactions;
    }

    PathMode mode() {
        return transactions.inTransaction(READ_COMMITTED, AppPaths::mode);
    }

    /** Switches, or refuses with a reason. If another request has already switched to the same mode, this succeeds. */
    PathMode to(PathMode wanted) throws Refusal {
        return transactions.inTransaction(READ_COMMITTED, handle -> to(handle, wanted));
    }

    private PathMode to(Handle handle, PathMode wanted) throws Refusal {
        PathMode now = AppPaths.mode(handle);
        if (now == wanted) {
            return now;
        }
        if (!modes.graph().allows(now, wanted)) {
            throw Refusals.migration("The path cannot be switched from " + now + " to " + wanted + ".");
        }
        Transition<PathMode> moved = modes.move(handle, AppPaths.APPS, now, wanted);
        Optional<PathMode> actual = moved.fold(
                switched -> Optional.empty(),
                there -> Optional.empty(),
                refused -> Optional.of(refused.actual()),
                missing -> Optional.of(now));
        if (actual.isPresent()) {
            throw Refusals.busy("Another caller has switched the path to " + actual.get() + " at the same time.");
        }
        long differing = wanted == PathMode.NEW ? differing(handle) : 0;
        if (differing > 0) {
            throw Refusals.migration("The tables differ in " + differing + " apps. Compare, choose and repair first.");
        }
        return wanted;
    }

    /** No write is in flight here, because this transaction has written the row with the mode. */
    private static long differing(Handle handle) {
        return handle.createQuery("SELECT count(DISTINCT id) FROM ((" + OLD_AS_NEW + " EXCEPT " + NEW + ") UNION ALL ("
                        + NEW + " EXCEPT " + OLD_AS_NEW + ")) differing")
                .mapTo(Long.class)
                .one();
    }
}
