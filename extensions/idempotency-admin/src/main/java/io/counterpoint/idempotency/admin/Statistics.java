package io.counterpoint.idempotency.admin;

import java.time.Duration;
import java.util.List;

/**
 * How many records the table has, counted in one read of the whole table.
 *
 * @param groups by operation, protocol and state, in this order
 */
public record Statistics(List<Group> groups) {

    /**
     * Copies the list.
     *
     * @param groups by operation, protocol and state
     */
    public Statistics {
        groups = List.copyOf(groups);
    }

    /**
     * The records of one operation in one state.
     *
     * @param operation the operation's name
     * @param protocol their protocol
     * @param state their state
     * @param records how many there are
     * @param expired how many of them are past their retention
     * @param payloadBytes the bytes of their plans or results
     * @param oldestChange the time since the oldest last change
     */
    public record Group(
            String operation,
            StoredRecord.Protocol protocol,
            StoredRecord.State state,
            long records,
            long expired,
            long payloadBytes,
            Duration oldestChange) {}

    /**
     * All records.
     *
     * @return their number
     */
    public long records() {
        return groups.stream().mapToLong(Group::records).sum();
    }

    /**
     * What the next purges would delete: terminal records past their retention.
     *
     * @return their number
     */
    public long purgeable() {
        return groups.stream()
                .filter(group -> group.state() != StoredRecord.State.PENDING)
                .mapToLong(Group::expired)
                .sum();
    }

    /**
     * The unsettled attempts.
     *
     * @return their number
     */
    public long pending() {
        return groups.stream()
                .filter(group -> group.state() == StoredRecord.State.PENDING)
                .mapToLong(Group::records)
                .sum();
    }
}
