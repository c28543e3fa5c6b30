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
 * Compares the answers to clients with the domain's own tables, and with nothing of the library. The tables hold no
 * key, so it goes by the identifiers in the answers.
 *
 * @param successful keys whose clients got a group
 * @param failed keys whose clients got the answer that there is none
 * @param open keys whose clients got no certain answer, only that a leader may be at work
 * @param unanswered keys whose clients got no answer
 * @param groups groups in the database: of these keys, or new and nobody's
 * @param conversations the conversations of those groups
 * @param events the events of those groups
 * @param published those of the events that are published
 * @param surplus those of the groups that are not the one group of a key
 * @param missing successful keys without their group, complete: with its owner, its conversation and its event
 * @param contradictions keys whose clients got different answers
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
     * Compares.
     *
     * @param sent every request that was sent, with its answer
     * @param rows the groups in the database now
     * @param before the groups that were there before; they may be answers, and are no surplus
     */
    static Verification of(Collection<Sent> sent, List<WrittenGroup> rows, Set<UUID> before) {
        Map<UUID, List<WrittenGroup>> database = rows.stream().collect(Collectors.groupingBy(WrittenGroup::groupId));
        Collection<List<Sent>> keys = sent.stream()
                .collect(Collectors.groupingBy(
                        one -> List.of(one.request().user(), one.request().key())))
                .values();
        Map<Fate, Long> fates = keys.stream().collect(Collectors.groupingBy(Verification::fate, Collectors.counting()));
        int successful = fates.getOrDefault(Fate.SUCCESSFUL, 0L).intValue();

        // The first group in a key's answers is its one group, and no other key's. Further groups do not count.
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

    /** The different groups in the answers to a key's clients. */
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
