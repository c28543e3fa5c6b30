package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.consistency.outbox.OutboxStatus;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Delivers the events from the outbox through a hub to the members, who read the tables at the end. */
final class Delivery implements AutoCloseable {

    private static final long PAUSE_MILLIS = 100;
    private static final long UNKNOWN = Long.MAX_VALUE;
    private static final Duration LONGEST_STANDSTILL = Duration.ofMinutes(1);

    private final BreakerDatabase database;
    private final Groups groups;
    private final LossyHub hub;
    private final Map<String, Member> members = new HashMap<>();
    private final OutboxPublisher publisher;

    /**
     * Connects every user named in a request, and starts publishing.
     *
     * @param database where groups and events are stored
     */
    Delivery(BreakerDatabase database, Groups groups, LossyHub hub, List<CreateGroupRequest> requests) {
        this.database = database;
        this.groups = groups;
        this.hub = hub;
        requests.stream()
                .flatMap(Delivery::members)
                .forEach(name -> members.computeIfAbsent(name, missing -> {
                    Member member = new Member();
                    hub.connect(name, member);
                    return member;
                }));
        publisher = hub.publisher(database.store(), groups)
                .retryAfter(Duration.ofMillis(10), Duration.ofMillis(500))
                .poll(Duration.ofMillis(50))
                .claimFor(Duration.ofSeconds(10))
                .batch(100)
                .build()
                .start();
    }

    private static Stream<String> members(CreateGroupRequest request) {
        return Stream.concat(Stream.of(request.user()), request.members().stream());
    }

    /**
     * Waits until all events are published or parked, no event has been published for a minute, or the run is stopped.
     */
    void await(PrintStream out, AtomicBoolean stopped) throws InterruptedException {
        long start = System.nanoTime();
        long moved = start;
        long printed = start;
        long left = waitingOr(UNKNOWN);
        while (left > 0 && !stopped.get() && System.nanoTime() - moved < LONGEST_STANDSTILL.toNanos()) {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
            long now = System.nanoTime();
            if (now - printed >= TimeUnit.SECONDS.toNanos(1)) {
                print(out, left, now - start);
                printed = now;
            }
            long before = left;
            left = waitingOr(before);
            moved = left < before ? now : moved;
        }
        print(out, left, System.nanoTime() - start);
    }

    private static void print(PrintStream out, long left, long nanos) {
        String events = left == UNKNOWN ? "an unknown number of" : String.valueOf(left);
        out.printf(Locale.ROOT, "  publishing: %s events left, %.1f s%n", events, nanos / 1e9);
    }

    /**
     * Closes the publisher, and compares what members received and read with the responses to clients.
     *
     * @param sent every request that was sent, with its response
     */
    Delivered result(Collection<Sent> sent, boolean stopped) {
        publisher.close();
        OutboxStatus status = status();
        Map<String, Set<UUID>> memberships = memberships(sent);
        int known = 0;
        int read = 0;
        try (var handle = database.jdbi().open()) {
            for (Map.Entry<String, Member> member : members.entrySet()) {
                Set<UUID> expected = memberships.getOrDefault(member.getKey(), Set.of());
                Set<UUID> announced = new HashSet<>(member.getValue().groups());
                Set<UUID> table = groups.of(handle, member.getKey());
                known += (int) expected.stream().filter(announced::contains).count();
                read += (int) expected.stream().filter(table::contains).count();
            }
        }
        return new Delivered(
                status.waiting(),
                status.parked(),
                WrittenGroup.eventsWithoutGroup(database.jdbi()),
                hub.messages(),
                hub.lost(),
                hub.failures(),
                members.values().stream().mapToInt(Member::repeated).sum(),
                members.values().stream()
                        .map(Member::groups)
                        .mapToInt(applied -> applied.size() - new HashSet<>(applied).size())
                        .sum(),
                members.size(),
                memberships.values().stream().mapToInt(Set::size).sum(),
                known,
                read,
                stopped);
    }

    /** The groups of each member, according to the responses to clients alone. */
    private static Map<String, Set<UUID>> memberships(Collection<Sent> sent) {
        Map<String, Set<UUID>> memberships = new HashMap<>();
        for (Sent one : sent) {
            one.answer()
                    .group()
                    .ifPresent(group -> members(one.request())
                            .forEach(member -> memberships
                                    .computeIfAbsent(member, missing -> new HashSet<>())
                                    .add(group.groupId())));
        }
        return memberships;
    }

    /** How many events are waiting, or the previous number while the database is unavailable. */
    private long waitingOr(long before) {
        try {
            return status().waiting();
        } catch (RuntimeException databaseIsAway) {
            return before;
        }
    }

    private OutboxStatus status() {
        return database.jdbi().withHandle(handle -> groups.outbox().status(handle, Groups.CREATED));
    }

    @Override
    public void close() {
        publisher.close();
    }
}
