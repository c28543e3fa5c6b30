package io.counterpoint.idempotency.examples.groupcreation.breaker;

/**
 * What happened to the events.
 *
 * @param waiting events that are neither published nor parked
 * @param parked events that the publisher has given up on
 * @param withoutGroup events without a group
 * @param messages messages that the hub was to send, including lost and failed ones
 * @param lost messages that the hub lost on purpose
 * @param failures messages on which the hub failed on purpose, so that their event was published again
 * @param repeated duplicates that members ignored
 * @param appliedTwice groups for which a member applied two events
 * @param members connected members
 * @param memberships groups of these members, according to the responses to clients
 * @param known how many of the memberships were announced by a message
 * @param read how many of the memberships the members found in the tables
 * @param stopped whether the run was stopped, so that events may be left for the next publisher
 */
record Delivered(
        long waiting,
        long parked,
        int withoutGroup,
        int messages,
        int lost,
        int failures,
        int repeated,
        int appliedTwice,
        int members,
        int memberships,
        int known,
        int read,
        boolean stopped) {

    boolean passed() {
        return (waiting == 0 || stopped)
                && parked == 0
                && withoutGroup == 0
                && appliedTwice == 0
                && read == memberships;
    }

    String verdict() {
        return (passed() ? "Delivered: " : "NOT delivered: ") + waiting + " events waiting, " + parked + " parked, "
                + withoutGroup + " without a group, " + appliedTwice + " applied twice; members read " + read
                + " of " + memberships + " memberships.";
    }
}
