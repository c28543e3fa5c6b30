package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyListener;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import io.counterpoint.idempotency.programs.TemporaryH2;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What members receive, apply and read, and whether the program would notice an error. */
@Tag("thorough")
class DeliveryTest {

    private static final int NEVER = Integer.MAX_VALUE;
    private static final PrintStream NOWHERE =
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);

    private final Groups groups = new Groups();

    @Test
    void hubThatLosesEverythingLeavesTheTruth() throws Exception {
        Delivered result = run(new LossyHub(1, NEVER), jdbi -> {});

        assertThat(result.messages()).isEqualTo(20);
        assertThat(result.lost()).isEqualTo(20);
        assertThat(result.known()).isZero();
        assertThat(result.read()).isEqualTo(result.memberships()).isEqualTo(20);
        assertThat(result.verdict())
                .isEqualTo("Delivered: 0 events waiting, 0 parked, 0 without a group, 0 applied twice;"
                        + " members read 20 of 20 memberships.");
    }

    @Test
    void memberAppliesNoEventTwice() throws Exception {
        Delivered result = run(new LossyHub(NEVER, 2), jdbi -> {});

        assertThat(result.failures()).isPositive();
        assertThat(result.repeated()).isPositive();
        assertThat(result.appliedTwice()).isZero();
        assertThat(result.known()).isEqualTo(20);
        assertThat(result.passed()).isTrue();
    }

    @Test
    void membershipThatATableLacksIsNotVerified() throws Exception {
        Delivered result = run(
                new LossyHub(NEVER, NEVER),
                jdbi -> jdbi.useHandle(handle -> handle.execute("delete from membership where user_id = 'bob'")));

        assertThat(result.read()).isEqualTo(10);
        assertThat(result.passed()).isFalse();
    }

    @Test
    void eventWithoutAGroupIsNotVerified() throws Exception {
        Delivered result = run(
                new LossyHub(NEVER, NEVER),
                jdbi -> jdbi.useTransaction(handle -> groups.outbox()
                        .append(
                                handle,
                                OutboxEvent.of(Groups.CREATED, UUID.randomUUID().toString()))));

        assertThat(result.withoutGroup()).isEqualTo(1);
        assertThat(result.passed()).isFalse();
    }

    @Test
    void secondEventOfAGroupIsNotVerified() throws Exception {
        Delivered result = run(
                new LossyHub(NEVER, NEVER),
                jdbi -> jdbi.useTransaction(handle -> groups.outbox()
                        .append(
                                handle,
                                OutboxEvent.of(
                                        Groups.CREATED,
                                        WrittenGroup.all(jdbi).get(0).groupId().toString()))));

        assertThat(result.appliedTwice()).isEqualTo(2);
        assertThat(result.passed()).isFalse();
    }

    @Test
    void eventsMayWaitOnlyWhenTheRunWasStopped() {
        assertThat(waiting(0, false).passed()).isTrue();
        assertThat(waiting(1, false).passed()).isFalse();
        assertThat(waiting(1, true).passed()).isTrue();
    }

    private static Delivered waiting(long events, boolean stopped) {
        return new Delivered(events, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, stopped);
    }

    /** Creates ten groups of ann and bob, applies the test's change to the database, and then publishes all events. */
    private Delivered run(LossyHub hub, Consumer<Jdbi> afterwards) throws Exception {
        List<CreateGroupRequest> requests = IntStream.range(0, 10)
                .mapToObj(number -> new CreateGroupRequest("ann", "k" + number, "Chess", List.of("bob")))
                .toList();
        try (TemporaryH2 h2 = TemporaryH2.inFolder("group-creation-");
                Storage storage =
                        Storage.connect(new Storage.Place(Protocol.CLAIM_FIRST, h2.here("test"), h2.here("test")))) {
            storage.createTables(groups);
            UseCase useCase = storage.useCase(groups, IdempotencyListener.NONE, settings -> settings);
            List<Sent> sent = new ArrayList<>();
            for (CreateGroupRequest request : requests) {
                GroupCreated created = useCase.execute(request).orElseThrow();
                sent.add(new Sent(request, Answer.of(useCase, request), 0));
                assertThat(sent.get(sent.size() - 1).answer().group()).contains(created);
            }
            afterwards.accept(storage.groups().jdbi());
            try (Delivery delivery = new Delivery(storage.groups(), groups, hub, requests)) {
                delivery.await(NOWHERE, new AtomicBoolean());
                return delivery.result(sent, false);
            }
        }
    }
}
