package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Answer.Kind;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Compares the responses to clients with the domain's own tables. It reads nothing that belongs to the library, and the
 * tables contain no keys, so it goes by the identifiers in the responses.
 *
 * @param successful keys whose clients got a group
 * @param failed keys that were rejected or refused
 * @param open keys whose clients only learned that a leader may still be running
 * @param unanswered keys whose clients got no response
 * @param groups groups in the database that belong to these keys, or that are new and belong to no key
 * @param conversations the conversations of those groups
 * @param events the events of those groups
 * @param published how many of those events are published
 * @param surplus how many of those groups are not the one group of a key
 * @param missing successful keys whose group is absent or lacks its owner, conversation or event
 * @param contradictions keys whose clients got different responses
 */
record Verification(
        int successful,
        int failed,
        int open,
        int unanswered,
        int groups,
        int conversations,
        int events,
        int published,
        int surplus,
        int missing,
        int contradictions) {

    private enum Fate {
        SUCCESSFUL,
        FAILED,
        OPEN,
        UNANSWERED
    }

    /**
     * Compares responses and rows.
     *
     * @param sent every request that was sent, with its response
     * @param rows the groups in the database now
     * @param before groups that existed before the run; they may be the response to a key, but never count as surplus
     */
    static Verification of(Collection<Sent> sent, List<WrittenGroup> rows, Set<UUID> before) {
        Map<UUID, List<WrittenGroup>> database = rows.stream().collect(Collectors.groupingBy(WrittenGroup::groupId));
        Collection<List<Sent>> keys = sent.stream()
                .collect(Collectors.groupingBy(
                        one -> List.of(one.request().user(), one.request().key())))
                .values();
        Map<Fate, Long> fates = keys.stream().collect(Collectors.groupingBy(Verification::fate, Collectors.counting()));
        int successful = fates.getOrDefault(Fate.SUCCESSFUL, 0L).intValue();

        // The first group in a key's responses is the only one that the key is entitled to. Any others are surplus.
        Set<UUID> rightful = new HashSet<>();
        for (List<Sent> key : keys) {
            groupsOf(key).stream()
                    .limit(1)
                    .filter(group -> isComplete(group, key.get(0).request().user(), database))
                    .forEach(group -> rightful.add(group.groupId()));
        }
        List<WrittenGroup> ours = rows.stream()
                .filter(row -> rightful.contains(row.groupId()) || !before.contains(row.groupId()))
                .toList();
        int groups = distinct(ours, WrittenGroup::groupId);
        return new Verification(
                successful,
                fates.getOrDefault(Fate.FAILED, 0L).intValue(),
                fates.getOrDefault(Fate.OPEN, 0L).intValue(),
                fates.getOrDefault(Fate.UNANSWERED, 0L).intValue(),
                groups,
                distinct(ours, WrittenGroup::conversationId),
                distinct(ours, WrittenGroup::eventId),
                distinct(ours.stream().filter(WrittenGroup::published).toList(), WrittenGroup::eventId),
                groups - rightful.size(),
                successful - rightful.size(),
                (int) keys.stream().filter(Verification::isContradictory).count());
    }

    int keys() {
        return successful + failed + open + unanswered;
    }

    boolean passed() {
        return surplus == 0 && missing == 0 && contradictions == 0 && unanswered == 0;
    }

    String verdict() {
        return (passed() ? "Verified: " : "NOT verified: ") + successful + " successful keys, " + groups + " groups, "
                + surplus + " surplus, " + missing + " missing"
                + (contradictions == 0 ? "" : "; " + contradictions + " keys with different answers")
                + (unanswered == 0 ? "" : "; " + unanswered + " keys without any answer")
                + (open == 0 ? "" : "; " + open + " keys still in progress")
                + ".";
    }

    private static Fate fate(List<Sent> key) {
        if (!groupsOf(key).isEmpty()) {
            return Fate.SUCCESSFUL;
        }
        if (hasAnswer(key, Kind.REJECTED) || hasAnswer(key, Kind.REFUSED)) {
            return Fate.FAILED;
        }
        return hasAnswer(key, Kind.UNKNOWN) ? Fate.UNANSWERED : Fate.OPEN;
    }

    private static boolean isContradictory(List<Sent> key) {
        return groupsOf(key).size() > 1 || (!groupsOf(key).isEmpty() && hasAnswer(key, Kind.REJECTED));
    }

    private static boolean hasAnswer(List<Sent> key, Kind kind) {
        return key.stream().anyMatch(one -> one.answer().kind() == kind);
    }

    /** The distinct groups in a key's responses. */
    private static List<GroupCreated> groupsOf(List<Sent> key) {
        return key.stream()
                .flatMap(one -> one.answer().group().stream())
                .distinct()
                .toList();
    }

    private static boolean isComplete(GroupCreated group, String owner, Map<UUID, List<WrittenGroup>> database) {
        List<WrittenGroup> rows = database.getOrDefault(group.groupId(), List.of());
        return rows.size() == 1
                && owner.equals(rows.get(0).owner())
                && group.conversationId().equals(rows.get(0).conversationId())
                && rows.get(0).eventId() != null;
    }

    private static int distinct(List<WrittenGroup> rows, Function<WrittenGroup, UUID> column) {
        return (int)
                rows.stream().map(column).filter(Objects::nonNull).distinct().count();
    }
}
