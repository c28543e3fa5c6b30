package io.counterpoint.idempotency.consistency.transition;

import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * The outcome of a status transition.
 *
 * @param <S> the states
 */
public sealed interface Transition<S extends Enum<S>> {

    /**
     * Handles all four cases.
     *
     * @param <T> what the handlers return
     * @param moved handles a row that this call moved
     * @param alreadyThere handles a row that was already in the wanted state
     * @param refused handles a row that is in a different state or has another owner
     * @param missing handles a missing row
     * @return what the handler of this case returned
     */
    <T> T fold(
            Function<? super Moved<S>, ? extends T> moved,
            Function<? super AlreadyThere<S>, ? extends T> alreadyThere,
            Function<? super Refused<S>, ? extends T> refused,
            Function<? super Missing<S>, ? extends T> missing);

    /**
     * Throws unless this call moved the row.
     *
     * @return the move
     * @throws NotMovedException in every other case
     */
    default Moved<S> orElseThrow() {
        return this.<Moved<S>>fold(
                moved -> moved,
                there -> {
                    throw new NotMovedException("it was already in " + there.state() + ", moved by another call");
                },
                refused -> {
                    throw new NotMovedException(
                            "to move to " + refused.wanted() + " it must be in " + refused.expected()
                                    + (refused.actual() == refused.expected()
                                            ? ", and it is, but under another owner"
                                            : ", found " + refused.actual()));
                },
                missing -> {
                    throw new NotMovedException("the row does not exist");
                });
    }

    /**
     * This call moved the row, which takes effect when the transaction commits.
     *
     * @param <S> the states
     * @param id the row's identifier
     * @param from the previous state
     * @param to the new state
     * @param owner the new owner's token, if the state has one
     */
    record Moved<S extends Enum<S>>(Object id, S from, S to, Optional<UUID> owner) implements Transition<S> {

        /**
         * Returns the ownership required to move the row further.
         *
         * @return the row, owned
         * @throws IllegalStateException if the state has no owner
         */
        public Ownership<S> ownership() {
            if (owner.isEmpty()) {
                throw new IllegalStateException("Rows in " + to + " have no owner.");
            }
            return new Ownership<>(id, to, owner);
        }

        @Override
        public <T> T fold(
                Function<? super Moved<S>, ? extends T> moved,
                Function<? super AlreadyThere<S>, ? extends T> alreadyThere,
                Function<? super Refused<S>, ? extends T> refused,
                Function<? super Missing<S>, ? extends T> missing) {
            return moved.apply(this);
        }
    }

    /**
     * The row is already in the target state because of an earlier call or another caller. If the state has an owner,
     * it is not this caller.
     *
     * @param <S> the states
     * @param state the target state
     */
    record AlreadyThere<S extends Enum<S>>(S state) implements Transition<S> {
        @Override
        public <T> T fold(
                Function<? super Moved<S>, ? extends T> moved,
                Function<? super AlreadyThere<S>, ? extends T> alreadyThere,
                Function<? super Refused<S>, ? extends T> refused,
                Function<? super Missing<S>, ? extends T> missing) {
            return alreadyThere.apply(this);
        }
    }

    /**
     * The row was not moved because it is not in the source state or has another owner.
     *
     * @param <S> the states
     * @param expected the source state of the transition
     * @param wanted the target state of the transition
     * @param actual the state of the row; the same as {@code expected} if only the owner differs
     */
    record Refused<S extends Enum<S>>(S expected, S wanted, S actual) implements Transition<S> {
        @Override
        public <T> T fold(
                Function<? super Moved<S>, ? extends T> moved,
                Function<? super AlreadyThere<S>, ? extends T> alreadyThere,
                Function<? super Refused<S>, ? extends T> refused,
                Function<? super Missing<S>, ? extends T> missing) {
            return refused.apply(this);
        }
    }

    /**
     * There is no row with this identifier.
     *
     * @param <S> the states
     */
    record Missing<S extends Enum<S>>() implements Transition<S> {
        @Override
        public <T> T fold(
                Function<? super Moved<S>, ? extends T> moved,
                Function<? super AlreadyThere<S>, ? extends T> alreadyThere,
                Function<? super Refused<S>, ? extends T> refused,
                Function<? super Missing<S>, ? extends T> missing) {
            return missing.apply(this);
        }
    }

    /** Thrown by {@link #orElseThrow}; nothing was changed. */
    final class NotMovedException extends IllegalStateException {
        private static final long serialVersionUID = 1L;

        NotMovedException(String why) {
            super("Not moved: " + why + ".");
        }
    }
}
