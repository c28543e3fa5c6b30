package io.counterpoint.idempotency.admin;

import java.time.Duration;
import java.util.List;

/**
 * The number of records in the table, counted by reading the whole table once.
 *
 * @param groups the groups, sorted by operation, protocol and state
 */
public record Statistics(List<Group> groups) {

    /**
     * Copies the list.
     *
     * @param groups the groups
     */
    public Statistics {
        groups = List.copyOf(groups);
    }

    /**
     * The records of one operation in one state.
     *
     * @param operation the operation's name
     * @param protocol the protocol
     * @param state the state
     * @param records the number of records
     * @param expired the number of records past their retention
     * @param payloadBytes the total size of their plans or results
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
     * Returns the number of all records.
     *
     * @return the number
     */
    public long records() {
        return groups.stream().mapToLong(Group::records).sum();
    }

    /**
     * Returns the number of records that the next purges would delete: terminal records past their retention.
     *
     * @return the number
     */
    public long purgeable() {
        return groups.stream()
                .filter(group -> group.state() != StoredRecord.State.PENDING)
                .mapToLong(Group::expired)
                .sum();
    }

    /**
     * Returns the number of unsettled attempts.
     *
     * @return the number
     */
    public long pending() {
        return groups.stream()
                .filter(group -> group.state() == StoredRecord.State.PENDING)
                .mapToLong(Group::records)
                .sum();
    }
}
