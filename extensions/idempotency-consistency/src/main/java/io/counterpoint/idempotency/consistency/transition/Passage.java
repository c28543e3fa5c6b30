package io.counterpoint.idempotency.consistency.transition;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.function.CheckedFunction;
import io.counterpoint.idempotency.jdbc.Isolation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.HandleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A transition through an intermediate state, during which slow or remote work runs. {@link #perform} commits the
 * intermediate state before the work begins, and moves the row on with the completion returned by the work. If the work
 * or the last move fails, the row goes back. Immutable and thread-safe.
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
 * <p>Promised: of several racing callers, exactly one begins. A process may die at any point: before the first commit,
 * nothing has happened; later, {@link #resume} finds the row and runs the work again under a new owner, or {@link
 * #undo} moves the row back. Not promised: that the work runs once. It may run again after a crash, or concurrently
 * with a slow owner that was presumed dead. Give its external effects an idempotency key, such as the row's identifier.
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
    private final Function<? super Exception, Completion> whenBack;

    Passage(
            StatusTransitions<S> transitions,
            Transactions transactions,
            Isolation isolation,
            S from,
            S via,
            S to,
            Work<S> work,
            Function<? super Exception, Completion> whenBack) {
        this.transitions = transitions;
        this.transactions = transactions;
        this.isolation = isolation;
        this.from = from;
        this.via = via;
        this.to = to;
        this.work = work;
        this.whenBack = whenBack;
        StateGraph<S> graph = transitions.graph();
        if (!graph.owned().contains(via)
                || !graph.allows(from, via)
                || !graph.allows(via, to)
                || !graph.allows(via, from)) {
            throw new IllegalArgumentException(
                    "A passage needs an owned intermediate state with arrows to it, onward and back: " + graph + ""
                            + " lacks some of these for " + from + ", " + via + ", " + to + ".");
        }
    }

    /**
     * The work that runs outside any transaction while the row is in the intermediate state.
     *
     * @param <S> the states
     */
    @FunctionalInterface
    public interface Work<S extends Enum<S>> {

        /**
         * Runs the work.
         *
         * @param held the row and the token of this owner
         * @return the changes that commit with the last move
         * @throws Exception to move the row back
         */
        Completion run(Ownership<S> held) throws Exception;
    }

    /**
     * The changes that commit atomically with the last move. An exception of its statements undoes that move.
     * Immutable.
     */
    public static final class Completion {

        /** No changes other than the move. */
        public static final Completion NOTHING = new Completion(Map.of(), handle -> {});

        private final Map<String, @Nullable Object> columns;
        private final HandleConsumer<Exception> rest;

        private Completion(Map<String, @Nullable Object> columns, HandleConsumer<Exception> rest) {
            this.columns = columns;
            this.rest = rest;
        }

        /**
         * Sets another column of the row, in the guarded update of the move.
         *
         * @param column its name
         * @param value its value
         * @return a completion
         */
        public static Completion set(String column, @Nullable Object value) {
            return NOTHING.andSet(column, value);
        }

        /**
         * Runs statements after the update if the row has moved.
         *
         * @param statements the statements, which receive the transaction of the move
         * @return a completion
         */
        public static Completion of(HandleConsumer<Exception> statements) {
            return NOTHING.and(statements);
        }

        /**
         * Returns these changes with an additional column.
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
         * Returns these changes with additional statements after them.
         *
         * @param statements the statements, which receive the transaction of the move
         * @return a completion
         */
        public Completion and(HandleConsumer<Exception> statements) {
            HandleConsumer<Exception> before = rest;
            return new Completion(columns, handle -> {
                before.useHandle(handle);
                statements.useHandle(handle);
            });
        }
    }

    /**
     * Returns this passage with a different isolation level for all of its transactions, including those of {@link
     * #resume}. Default: {@link Isolation#READ_COMMITTED}.
     *
     * @param level the level
     * @return a passage
     */
    public Passage<S> at(Isolation level) {
        return new Passage<>(transitions, transactions, level, from, via, to, work, whenBack);
    }

    /**
     * Returns this passage with changes that commit with the move back after the work or the last move failed, such as
     * a column with the reason. They commit with that move or not at all. Default: no changes other than the move.
     * {@link #undo} moves rows back without them.
     *
     * @param completion receives what {@link #perform} throws
     * @return a passage
     */
    public Passage<S> whenBack(Function<? super Exception, Completion> completion) {
        return new Passage<>(transitions, transactions, isolation, from, via, to, work, completion);
    }

    /**
     * Moves a row through the intermediate state to its target.
     *
     * @param id the row's identifier
     * @return {@link Moved} to the last state; {@link Transition.AlreadyThere} if another call moved it there; {@link
     *     Transition.Refused} if it has another owner or is in a different state; {@link Transition.Missing} if there
     *     is no such row
     * @throws Exception what a move or the work threw. The row has been moved back, unless that failed too, in which
     *     case that exception is suppressed in this one. If the reply to a commit was lost, the row may be in the
     *     intermediate state, where {@link #resume} or {@link #undo} finds it
     */
    public Transition<S> perform(Object id) throws Exception {
        Transition<S> begun = transactions.inTransaction(isolation, handle -> transitions.move(handle, id, from, via));
        if (begun instanceof Moved<S> moved) {
            return goOn(moved.ownership());
        }
        // The wanted state is the last one, not the intermediate one.
        return begun.fold(
                moved -> moved,
                there -> new Transition.Refused<>(from, to, via),
                refused -> refused.actual() == to
                        ? new Transition.AlreadyThere<>(to)
                        : new Transition.Refused<>(from, to, refused.actual()),
                missing -> missing);
    }

    /**
     * Takes over abandoned rows and runs the work again. A failing row is moved back and delays no other.
     *
     * @param olderThan the age at which a row counts as abandoned; longer than the work takes
     * @param limit the maximum number of rows to take over in this call
     * @param onFailure receives each row that failed and why, including rows that their old owner has moved in the
     *     meantime
     * @return the number of rows moved to the last state
     */
    public int resume(
            Duration olderThan, int limit, BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        return handOn(olderThan, limit, this::goOn, onFailure);
    }

    /**
     * Moves abandoned rows back.
     *
     * @param olderThan as in {@link #resume}
     * @param limit as in {@link #resume}
     * @param onFailure as in {@link #resume}
     * @return the number of rows moved back
     */
    public int undo(
            Duration olderThan, int limit, BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        return handOn(olderThan, limit, held -> move(held, from, Completion.NOTHING), onFailure);
    }

    /** Rows in other intermediate states belong to other passages. */
    private int handOn(
            Duration olderThan,
            int limit,
            CheckedFunction<Ownership<S>, Transition<S>, Exception> finish,
            BiConsumer<? super Ownership<S>, ? super RuntimeException> onFailure) {
        Consumer<Ownership<S>> unchecked = held -> {
            try {
                Moved<S> unused = finish.apply(held).orElseThrow();
            } catch (RuntimeException failed) {
                throw failed;
            } catch (Exception failed) {
                throw new IllegalStateException(
                        "The work failed with " + failed.getClass().getSimpleName() + ", and the row is in " + from
                                + " again.",
                        failed);
            }
        };
        return transitions.resume(transactions, isolation, Set.of(via), olderThan, limit, unchecked, onFailure);
    }

    /**
     * If the reply to the last commit was lost, the token decides: moving back changes nothing if the row has moved on.
     */
    private Transition<S> goOn(Ownership<S> held) throws Exception {
        try {
            return move(held, to, work.run(held));
        } catch (Exception failed) {
            Transition<S> back;
            try {
                back = move(held, from, whenBack.apply(failed));
            } catch (Exception also) {
                failed.addSuppressed(also);
                throw failed;
            }
            if (back instanceof Transition.Refused<S> refused && refused.actual() == to) {
                return new Transition.AlreadyThere<>(to);
            }
            throw failed;
        }
    }

    private Transition<S> move(Ownership<S> held, S target, Completion completion) throws Exception {
        return transactions.inTransaction(isolation, handle -> {
            Transition<S> move = transitions.move(handle, held, target, completion.columns);
            if (move instanceof Moved) {
                completion.rest.useHandle(handle);
            }
            return move;
        });
    }

    @Override
    public String toString() {
        return "Passage[" + transitions + ", " + from + " via " + via + " to " + to + "]";
    }
}
