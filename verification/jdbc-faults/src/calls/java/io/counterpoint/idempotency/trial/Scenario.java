package io.counterpoint.idempotency.trial;

import java.util.EnumSet;
import java.util.Set;

/** What a caller meets, and what it is answered if nothing goes wrong. */
enum Scenario {
    /** The key is new, and the work succeeds. */
    EXECUTES("Executed", EnumSet.allOf(ProtocolVariant.class)),
    /** The same of an operation that gives its key back whatever it throws. */
    EXECUTES_OR_RELEASES("Executed", EnumSet.range(ProtocolVariant.CLAIM_FIRST, ProtocolVariant.RECORD_LAST)),
    /** The work has registered a callback with Jdbi, which throws. */
    CALLBACK_THROWS("Executed", EnumSet.range(ProtocolVariant.CLAIM_FIRST, ProtocolVariant.RECORD_LAST)),
    /** The work writes and throws. */
    FAILS("Oops", EnumSet.allOf(ProtocolVariant.class)),
    /** The same, and the callback throws as well. */
    FAILS_AND_CALLBACK_THROWS("Oops", EnumSet.range(ProtocolVariant.CLAIM_FIRST, ProtocolVariant.RECORD_LAST)),
    /** The work writes and throws, which gives the key back. */
    RELEASES("Oops", EnumSet.allOf(ProtocolVariant.class)),
    /** A leader died, and the caller leads in its place. */
    TAKES_OVER("Executed", EnumSet.of(ProtocolVariant.CLAIM_FIRST, ProtocolVariant.CLAIM_FIRST_PLANNED)),
    /** A leader died, and the caller ends its attempt. */
    FINDS_ABANDONED("Rejected", EnumSet.of(ProtocolVariant.CLAIM_FIRST, ProtocolVariant.CLAIM_FIRST_PLANNED)),
    /** Another call has succeeded. */
    REPLAYS("Replayed", EnumSet.allOf(ProtocolVariant.class)),
    /** An earlier call of the same process has succeeded. */
    REPLAYS_ITS_OWN("Replayed", EnumSet.allOf(ProtocolVariant.class)),
    /** A leader died after its effect. */
    HEALS(
            "Healed",
            EnumSet.of(
                    ProtocolVariant.CLAIM_FIRST,
                    ProtocolVariant.CLAIM_FIRST_PLANNED,
                    ProtocolVariant.EXTERNAL,
                    ProtocolVariant.EXTERNAL_PLANNED,
                    ProtocolVariant.EXTERNAL_THEN)),
    /** An operator says that the effect is there, as it is. */
    RESOLVES_AS_SUCCEEDED("Replayed", EnumSet.range(ProtocolVariant.EXTERNAL, ProtocolVariant.EXTERNAL_THEN)),
    /** An operator says that there is none, as is so. */
    RESOLVES_AS_FAILED("Rejected", EnumSet.range(ProtocolVariant.EXTERNAL, ProtocolVariant.EXTERNAL_THEN)),
    /** Records are past their retention. */
    PURGES("2", EnumSet.of(ProtocolVariant.CLAIM_FIRST)),
    /** The key is new, and is executed with a neighbour in one transaction. */
    EXECUTES_IN_A_BATCH("Executed", EnumSet.of(ProtocolVariant.SINGLE_TRANSACTION));

    final String expected;

    // Nobody changes it.
    @SuppressWarnings("ImmutableEnumChecker")
    final Set<ProtocolVariant> ways;

    Scenario(String expected, Set<ProtocolVariant> ways) {
        this.expected = expected;
        this.ways = ways;
    }

    boolean releases() {
        return this == EXECUTES_OR_RELEASES || this == RELEASES || this == CALLBACK_THROWS;
    }

    boolean workThrows() {
        return this == FAILS || this == FAILS_AND_CALLBACK_THROWS || this == RELEASES;
    }

    boolean callbackThrows() {
        return this == CALLBACK_THROWS || this == FAILS_AND_CALLBACK_THROWS;
    }

    /** Whether something stands in the tables before the call. */
    boolean isPrepared() {
        return !runsWork() || this == TAKES_OVER;
    }

    boolean runsWork() {
        return this == EXECUTES_IN_A_BATCH
                || EnumSet.range(EXECUTES, TAKES_OVER).contains(this);
    }

    boolean fits(ProtocolVariant way, Made made) {
        boolean builds = !(releases() && way.recordsLast());
        return builds && ways.contains(way) && (made.hasCallbacks() || !callbackThrows());
    }
}
