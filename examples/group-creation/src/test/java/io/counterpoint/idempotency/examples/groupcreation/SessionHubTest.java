package io.counterpoint.idempotency.examples.groupcreation;

import static io.counterpoint.idempotency.examples.groupcreation.TestServer.CHESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How events reach the members. */
@Tag("thorough")
class SessionHubTest {

    private final List<OutboxEvent> ann = new ArrayList<>();
    private final List<OutboxEvent> bob = new ArrayList<>();
    private final List<OutboxEvent> dan = new ArrayList<>();
    private final SessionHub hub = new SessionHub(Runnable::run);

    @ParameterizedTest
    @EnumSource
    void connectedMembersGetTheEventOfTheirGroup(TestServer.On database) throws Exception {
        TestServer server = TestServer.on(database, hub);
        hub.connect("ann", ann::add);
        hub.connect("bob", bob::add);
        hub.connect("dan", dan::add);
        GroupCreated created = server.createGroup.execute(CHESS).orElseThrow();

        assertThat(server.publisher.publishAll().published()).isEqualTo(1);
        assertThat(server.publisher.publishAll().published()).isZero();

        assertThat(ann).hasSize(1).isEqualTo(bob);
        assertThat(UUID.fromString(ann.get(0).payload())).isEqualTo(created.groupId());
        assertThat(dan).isEmpty();
    }

    @Test
    void hubThatLosesEverythingLeavesTheTruth() throws Exception {
        SessionHub loses = new SessionHub(Runnable::run) {
            @Override
            public void send(String member, OutboxEvent event) {}
        };
        TestServer server = TestServer.on(TestServer.On.H2, loses);
        loses.connect("bob", bob::add);
        GroupCreated created = server.createGroup.execute(CHESS).orElseThrow();

        server.publishAll();

        assertThat(bob).isEmpty();
        server.jdbi.useHandle(
                handle -> assertThat(server.groups.of(handle, "bob")).containsOnly(created.groupId()));
    }

    @Test
    void hubThatFailsGetsTheEventAgainWithTheSameId() throws Exception {
        List<String> sent = new ArrayList<>();
        SessionHub fails = new SessionHub(Runnable::run) {
            @Override
            public void send(String member, OutboxEvent event) {
                sent.add(member);
                if (sent.size() == 2) {
                    throw new IllegalStateException("no memory left");
                }
                super.send(member, event);
            }
        };
        TestServer server = TestServer.on(TestServer.On.H2, fails);
        List.of("ann", "bob", "cid").forEach(member -> fails.connect(member, ann::add));
        server.createGroup.execute(CHESS);

        server.publishAll();

        assertThat(sent).hasSize(5);
        assertThat(ann).hasSize(4).containsOnly(ann.get(0));
    }

    @Test
    void brokenSessionIsDisconnectedAndTheOthersGetTheMessage() throws Exception {
        List<OutboxEvent> broken = new ArrayList<>();
        TestServer server = TestServer.on(TestServer.On.H2, hub);
        hub.connect("ann", event -> {
            broken.add(event);
            throw new IllegalStateException("connection lost");
        });
        hub.connect("bob", bob::add);
        server.createGroup.execute(CHESS);
        server.createGroup.execute(new CreateGroupRequest("ann", "k2", "Running", List.of("bob")));

        server.publishAll();

        assertThat(broken).hasSize(1);
        assertThat(bob).hasSize(2);
    }

    @Test
    void lastSessionOfAMemberGetsTheMessages() {
        OutboxEvent event = OutboxEvent.of(Groups.CREATED, "x");
        Consumer<OutboxEvent> first = ann::add;
        Consumer<OutboxEvent> second = bob::add;
        hub.connect("ann", first);
        hub.connect("ann", second);
        hub.disconnect("ann", first);

        hub.send("ann", event);
        hub.disconnect("ann", second);
        hub.send("ann", event);

        assertThat(ann).isEmpty();
        assertThat(bob).containsExactly(event);
    }

    /** The slow session blocks only its own thread; publishing continues. */
    @Test
    void slowSessionDelaysNobodyAndLosesWhatItsMailboxDoesNotHold() throws Exception {
        SessionHub actors = new SessionHub();
        CountDownLatch mayGoOn = new CountDownLatch(1);
        CountDownLatch slowHasAll = new CountDownLatch(SessionHub.MAILBOX + 1);
        CountDownLatch slowIsBusy = new CountDownLatch(1);
        int events = SessionHub.MAILBOX + 10;
        BlockingQueue<OutboxEvent> quick = new LinkedBlockingQueue<>();
        actors.connect("ann", event -> {
            slowIsBusy.countDown();
            await(mayGoOn);
            ann.add(event);
            slowHasAll.countDown();
        });
        actors.connect("bob", quick::add);

        List<OutboxEvent> sent = new ArrayList<>();
        for (int i = 0; i < events; i++) {
            OutboxEvent event = OutboxEvent.of(Groups.CREATED, "event-" + i);
            sent.add(event);
            actors.send("ann", event);
            await(slowIsBusy);
            actors.send("bob", event);
            assertThat(quick.poll(10, TimeUnit.SECONDS)).isEqualTo(event);
        }

        assertThat(actors.dropped()).isEqualTo(events - SessionHub.MAILBOX - 1);
        mayGoOn.countDown();
        await(slowHasAll);
        assertThat(ann).containsExactlyElementsOf(sent.subList(0, SessionHub.MAILBOX + 1));
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
