package io.counterpoint.idempotency.examples.groupcreation.breaker;

/**
 * What came of the events.
 *
 * @param waiting events that are neither published nor parked
 * @param parked events that the publisher has given up
 * @param withoutGroup events without a group
 * @param messages messages that the hub had to send, the lost and the failed ones included
 * @param lost messages that the hub lost on purpose
 * @param failures messages at which the hub failed on purpose, so that their event came again
 * @param repeated messages that a member ignored, since it knew their event
 * @param appliedTwice groups of which a member has applied two events
 * @param members connected members
 * @param memberships groups of these members, by the answers to the clients
 * @param known those of the memberships that a message announced
 * @param read those of the memberships that the member reads in the tables
 * @param stopped whether the run was stopped, and events may wait for the next publisher
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
