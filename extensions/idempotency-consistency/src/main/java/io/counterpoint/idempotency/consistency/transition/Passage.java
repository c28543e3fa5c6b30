package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * A way through an intermediate state, with work in between that may be slow, or remote. {@link #perform} commits the
 * intermediate state before the work begins, and moves the row on with what the work has returned. Where the work or the
 * last move fails, the row goes back. Immutable and thread-safe.
 *
 * <pre>{@code
 * Passage<AppStatus> publish = publication.passage(transactions, DRAFT, PUBLISHING, PUBLISHED, held -> {
 *     String digest = artifacts.store(held.id());
 *     return Completion.set("artifact", digest).and(handle -> policies.insert(handle, held.id()));
 * });
 * publish.perform(app);
 * publish.resume(Duration.ofMinutes(5), 100, (held, failure) -> log(failure)); // on a schedule, on any node
 * }</pre>
 *
 * <p>Promised: of the callers that race exactly one begins. A process may die at any place: before the first commit
 * nothing has happened; later, the row is found by {@link #resume}, which runs the work again under a new owner, or by
 * {@link #undo}, which takes the row back. Not promised: that the work runs once. It may run again after a death, or beside
 * a slow owner that was taken for dead. Give its effects elsewhere an idempotency key, such as the row's identifier.
 *
 * @param <S> the states
 */
public final class Passage<S extends Enum<S>> {

    private final StatusTransitions<S> transitions;
    private final Transactions transactions;
    private final Isolation isolation;
    private final S from;
    private final S via;
    private final S to;
    private final Work<S> work;

    Passage(
            StatusTransitions<S> transitions,
            Transactions transactions,
            Isolation isolation,
            S from,
            S via,
            S to,
            Work<S> work) {
        this.transitions = transitions;
        this.transactions = transactions;
        this.isolation = isolation;
        this.from = from;
        this.via = via;
        this.to = to;
        this.work = work;
        StateGraph<S> graph = transitions.graph();
        if (!graph.owned().contains(via)
                || !graph.allows(from, via)
                || !graph.allows(via, to)
                || !graph.allows(via, from)) {
            throw new IllegalArgumentException(
                    "A passage needs an intermediate state that is owned, and arrows into it," + " on and back: "
                            + graph + " has not all of them for " + from + ", " + via + ", " + to + ".");
        }
    }

    /**
     * What is done while the row is in the intermediate state, outside of any transaction.
     *
     * @param <S> the states
     */
    @FunctionalInterface
    public interface Work<S extends Enum<S>> {

        /**
         * Does the work.
         *
         * @param held the row, and the token of this owner
         * @return what belongs to the last move
         * @throws Exception if the row is to go back
         */
        Completion run(Ownership<S> held) throws Exception;
    }

    /** What belongs to the last move, and commits with it or not at all. Immutable. */
    public static final class Completion {

        /** Nothing but the move. */
        public static final Completion NOTHING = new Completion(Map.of(), handle -> {});

        private final Map<String, @Nullable Object> columns;
        private final Consumer<? super Handle> rest;

        private Completion(Map<String, @Nullable Object> columns, Consumer<? super Handle> rest) {
            this.columns = columns;
            this.rest = rest;
        }

        /**
         * Sets a further column of the row, in the guarded update of the move.
         *
         * @param column its name
         * @param value its value
         * @return a completion
         */
        public static Completion set(String column, @Nullable Object value) {
            return NOTHING.andSet(column, value);
        }

        /**
         * Runs statements after the update, if the row has moved.
         *
         * @param statements are given the transaction of the move
         * @return a completion
         */
        public static Completion of(Consumer<? super Handle> statements) {
            return NOTHING.and(statements);
        }

        /**
         * This, and one more column.
         *
         * @param column its name
         * @param value its value
         * @return a completion
         */
        public Completion andSet(String column, @Nullable Object value) {
            Map<String, @Nullable Object> more = new LinkedHashMap<>(columns);
            more.put(column, value);
            return new Completion(more, rest);
        }

        /**
         * This, and further statements after it.
         *
         * @param statements are given the transaction of the move
         * @return a completion
         */
        public Completion and(Consumer<? super Handle> statements) {
            Consumer<? super Handle> before = rest;
            return new Completion(columns, handle -> {
                before.accept(handle);
                statements.accept(handle);
            });
        }
    }

    /**
     * The same at another isolation level, for each of its transactions, those of a resumption too. Default: {@link
     * Isolation#READ_COMMITTED}.
     *
     * @param level the level
     * @return a passage
     */
    public Passage<S> at(Isolation level) {
        return new Passage<>(transitions, transactions, level, from, via, to, work);
    }

    /**
     * Takes a row all the way.
     *
     * @param id the row's identifier
     * @return {@link Moved} to the last state; {@link Transition.AlreadyThere} if it is there by another call; {@link
     *     Transition.Refused} if another owner is at it, or it is elsewhere; {@link Transition.Missing}
     * @throws Exception what a move or the work threw; the row is back, unless going back failed too: that is suppressed in
     *     it. Where the answer of a commit was lost, the row may be in between. {@link #resume} or {@link #undo} finds it
     */
    public Transition<S> perform(Object id) throws Exception {
        Transition<S> begun = transactions.inTransaction(isolation, handle -> transitions.move(handle, id, from, via));
        if (begun instanceof Moved<S> moved) {
            return goOn(moved.ownership());
        }
        // Where it was to go is the last state, not the intermediate one.
        return begun.fold(
                moved -> moved,
                there -> new Transition.Refused<>(from, to, via),
                refused -> refused.actual() == to
                        ? new Transition.AlreadyThere<>(to)
                        : new Transition.Refused<>(from, to, refused.actual()),
                missing -> missing);
    }

    /**
     * Takes over the rows whose owners are gone, and runs the work again. A failing row goes back, and delays no other.
     *
     * @param olderThan the age at which a row counts as abandoned; longer than the work takes
     * @param limit the most to take over in this call
     * @param onFailure is given each row that failed, and why; also one that its old owner has moved meanwhile
     * @return how many were taken to the last state
     */
    public int resume(
            Duration olderThan, int limit, BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        return handOn(olderThan, limit, this::finish, onFailure);
    }

    /**
     * Takes back the rows whose owners are gone.
     *
     * @param olderThan as for {@link #resume}
     * @param limit as there
     * @param onFailure as there
     * @return how many were taken back
     */
    public int undo(
            Duration olderThan, int limit, BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        return handOn(olderThan, limit, held -> back(held).orElseThrow(), onFailure);
    }

    /** Rows in other intermediate states are those of other passages. */
    private int handOn(
            Duration olderThan,
            int limit,
            Consumer<? super Ownership<S>> finish,
            BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        return transitions.resume(transactions, isolation, Set.of(via), olderThan, limit, finish, onFailure);
    }

    private void finish(Ownership<S> held) {
        if (held.state() != via) {
            throw new IllegalStateException(
                    transitions + ": a passage through " + via + " cannot resume a row in " + held.state() + ".");
        }
        try {
            Moved<S> unused = goOn(held).orElseThrow();
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new IllegalStateException("The work failed, and the row is in " + from + " again.", failed);
        }
    }

    /** Where the answer of the last commit was lost, the token decides: going back changes nothing if the row has moved. */
    private Transition<S> goOn(Ownership<S> held) throws Exception {
        try {
            Completion completion = work.run(held);
            return transactions.inTransaction(isolation, handle -> {
                Transition<S> move = transitions.move(handle, held, to, completion.columns);
                if (move instanceof Moved) {
                    completion.rest.accept(handle);
                }
                return move;
            });
        } catch (Exception failed) {
            Transition<S> back;
            try {
                back = back(held);
            } catch (RuntimeException also) {
                failed.addSuppressed(also);
                throw failed;
            }
            if (back instanceof Transition.Refused<S> refused && refused.actual() == to) {
                return new Transition.AlreadyThere<>(to);
            }
            throw failed;
        }
    }

    private Transition<S> back(Ownership<S> held) {
        return transactions.inTransaction(isolation, handle -> transitions.move(handle, held, from));
    }

    @Override
    public String toString() {
        return "Passage[" + transitions + ", " + from + " via " + via + " to " + to + "]";
    }
}
