package io.counterpoint.idempotency.trial;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What one call does instead of what it should. The following are omitted because no driver does them:
 *
 * <ul>
 *   <li>failing with 40001 after a successful commit, or in a call that does not contact the database;
 *   <li>opening a connection and throwing, because nobody could return it;
 *   <li>returning a warning if the database is not contacted.
 * </ul>
 */
enum Fault {
    /** An error that proves nothing, before the call. */
    UNCLEAR_BEFORE,
    UNCLEAR_AFTER,
    /** 40001: the database has rolled back. */
    REFUSED_BEFORE,
    REFUSED_AFTER,
    /** 08006, and the connection is gone. */
    LOST_BEFORE,
    LOST_AFTER,
    BUG_BEFORE,
    BUG_AFTER,
    NO_MEMORY_BEFORE,
    NO_MEMORY_AFTER,
    NO_STACK_BEFORE,
    NO_STACK_AFTER,
    /** The call is done, with a warning. */
    WARNED,
    /** The call is done, and the thread is interrupted. */
    INTERRUPTED;

    boolean isAfter() {
        return name().endsWith("_AFTER");
    }

    boolean isThrown() {
        return this != WARNED && this != INTERRUPTED;
    }

    private static final Set<String> SILENT = Set.of("close", "getAutoCommit", "getMaxRows", "getQueryTimeout");

    /**
     * Whether the driver may have been in the middle of a message, so that it would read the reply of a different call
     * next. It sends nothing when asked for its own settings, and a closed connection has already been returned.
     */
    boolean mayLoseStep(JdbcCall call) {
        boolean error = name().startsWith("NO_MEMORY") || name().startsWith("NO_STACK");
        boolean silent = call.opens() || SILENT.contains(call.method());
        return error && !silent;
    }

    /** Whether this is equivalent to the fault before the call, because nobody can observe what the call has done. */
    boolean isLikeBefore(JdbcCall call) {
        return isAfter() && call.staysInDriver();
    }

    /** The same fault after the call; empty if this fault does not occur before one. */
    Optional<Fault> after() {
        return name().endsWith("_BEFORE")
                ? Optional.of(valueOf(name().replace("_BEFORE", "_AFTER")))
                : Optional.empty();
    }

    /** What the driver throws if its error proves nothing. No store distinguishes the two. */
    SQLException unclear() {
        return new SQLException("injected", isAfter() ? "HY000" : null);
    }

    /** For example: connection lost. */
    String what() {
        return switch (this) {
            case UNCLEAR_BEFORE, UNCLEAR_AFTER -> "unclear error";
            case REFUSED_BEFORE, REFUSED_AFTER -> "40001";
            case LOST_BEFORE, LOST_AFTER -> "connection lost";
            case BUG_BEFORE, BUG_AFTER -> "bug of the driver";
            case NO_MEMORY_BEFORE, NO_MEMORY_AFTER -> "OutOfMemoryError";
            case NO_STACK_BEFORE, NO_STACK_AFTER -> "StackOverflowError";
            case WARNED -> "warning";
            case INTERRUPTED -> "interrupt";
        };
    }

    /** Before, after or at. */
    String when() {
        return !isThrown() ? "at" : isAfter() ? "after" : "before";
    }

    /** Returns the faults that apply to a call. */
    static List<Fault> of(JdbcCall call) {
        return Stream.of(values()).filter(fault -> fault.fits(call)).toList();
    }

    boolean fits(JdbcCall call) {
        return switch (this) {
            case REFUSED_BEFORE -> call.isAnswered();
            case REFUSED_AFTER -> call.isAnswered() && !call.mayCommit();
            case WARNED -> call.isAnswered();
            default -> !(call.opens() && isAfter());
        };
    }
}
