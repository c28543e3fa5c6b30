package io.counterpoint.idempotency.consistency.transition;

import java.util.Optional;
import java.util.UUID;

/**
 * A row in an intermediate state, and the token of the owner that moved it there. Only the owner of this token
 * can move it further; a superseded owner cannot.
 *
 * @param <S> the states
 * @param id the row's identifier, as returned by the database
 * @param state the intermediate state
 * @param owner the owner's token; empty for a row that another writer put into the state
 */
public record Ownership<S extends Enum<S>>(Object id, S state, Optional<UUID> owner) {

    /**
     * Returns the identifier as the given type. Text can be converted to {@link UUID}, because MariaDB and MySQL store
     * these as text.
     *
     * @param <I> the type
     * @param type the type
     * @return the identifier
     * @throws ClassCastException if it has a different type
     */
    public <I> I id(Class<I> type) {
        return type.cast(type == UUID.class && id instanceof String text ? UUID.fromString(text) : id);
    }
}
