package io.counterpoint.idempotency.examples.groupcreation;

import static io.counterpoint.idempotency.examples.groupcreation.TestServer.CHESS;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The way of the events to the members. */
class SessionHubTest {

    private final List<OutboxEvent> ann = new ArrayList<>();
    private final List<OutboxEvent> bob = new ArrayList<>();
    private final List<OutboxEvent> dan = new ArrayList<>();
    private final SessionHub hub = new SessionHub();

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
        SessionHub loses = new SessionHub() {
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
        SessionHub fails = new SessionHub() {
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
}
