package io.counterpoint.idempotency.examples.groupcreation;

import static io.counterpoint.idempotency.examples.groupcreation.TestServer.CHESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.counterpoint.idempotency.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The files to copy: what they write, and when they write nothing. */
class CreateGroupTest {

    private static final List<String> TABLES = List.of("chat_group", "membership", "conversation", "outbox_event");

    @ParameterizedTest
    @EnumSource
    void eventIsWrittenWithItsGroup(TestServer.On database) throws Exception {
        TestServer server = TestServer.on(database, new Groups());

        GroupCreated created = server.createGroup.execute(CHESS).orElseThrow();

        assertThat(counts(server)).containsExactly(1, 3, 1, 1);
        assertThat(server.jdbi.<UUID, RuntimeException>withHandle(
                        handle -> handle.createQuery("select cast(payload as uuid) from outbox_event")
                                .mapTo(UUID.class)
                                .one()))
                .isEqualTo(created.groupId());
    }

    @ParameterizedTest
    @EnumSource
    void retryWritesNoSecondEvent(TestServer.On database) throws Exception {
        TestServer server = TestServer.on(database, new Groups());
        GroupCreated created = server.createGroup.execute(CHESS).orElseThrow();

        Outcome<GroupCreated> again = server.createGroup.execute(CHESS);

        assertThat(again).isInstanceOf(Outcome.Replayed.class);
        assertThat(again.orElseThrow()).isEqualTo(created);
        assertThat(counts(server)).containsExactly(1, 3, 1, 1);
    }

    /** The records can be older than the groups, for example after a restore. */
    @ParameterizedTest
    @EnumSource
    void groupBehindAPendingRecordIsFoundAndNotMadeAgain(TestServer.On database) throws Exception {
        TestServer server = TestServer.on(database, new Groups());
        GroupCreated created = server.createGroup.execute(CHESS).orElseThrow();
        server.jdbi.useHandle(handle -> handle.execute("update idempotency_record set state = 'P'"));

        Outcome<GroupCreated> again = server.createGroup.execute(CHESS);

        assertThat(again).isInstanceOf(Outcome.Healed.class);
        assertThat(again.orElseThrow()).isEqualTo(created);
        assertThat(counts(server)).containsExactly(1, 3, 1, 1);
    }

    static Stream<Arguments> badInput() {
        return Arrays.stream(TestServer.On.values())
                .flatMap(database -> Stream.of(
                        arguments(database, "name-reserved", with(" Admin ", "bob")),
                        arguments(database, "name-missing", with(" ", "bob")),
                        arguments(database, "name-too-long", with("x".repeat(81), "bob")),
                        arguments(database, "name-unstorable", with("a\0b", "bob")),
                        arguments(database, "name-unstorable", with("a\ud800b", "bob")),
                        arguments(database, "user-unstorable", with("Chess", "b\0")),
                        arguments(database, "user-too-long", with("Chess", "b".repeat(81)))));
    }

    private static CreateGroupRequest with(String name, String member) {
        return new CreateGroupRequest("ann", "k1", name, List.of(member));
    }

    @ParameterizedTest
    @EnumSource
    void everyGroupHasNewIdentifiers(TestServer.On database) throws Exception {
        TestServer server = TestServer.on(database, new Groups());
        GroupCreated first = server.createGroup.execute(CHESS).orElseThrow();
        GroupCreated second = server.createGroup
                .execute(new CreateGroupRequest(CHESS.user(), "k2", CHESS.name(), CHESS.members()))
                .orElseThrow();

        assertThat(List.of(first.groupId(), first.conversationId(), second.groupId(), second.conversationId()))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @MethodSource("badInput")
    void refusedGroupWritesNothingAndItsKeyIsFreeForTheCorrectedRequest(
            TestServer.On database, String code, CreateGroupRequest bad) throws Exception {
        TestServer server = TestServer.on(database, new Groups());

        for (int tries = 0; tries < 2; tries++) {
            assertThatThrownBy(() -> server.createGroup.execute(bad))
                    .isInstanceOfSatisfying(
                            Groups.Refused.class,
                            refused -> assertThat(refused.code()).isEqualTo(code));
        }

        assertThat(counts(server)).containsOnly(0);
        assertThat(server.count("idempotency_record")).isZero();
        assertThat(server.createGroup.execute(CHESS)).isInstanceOf(Outcome.Executed.class);
    }

    @ParameterizedTest
    @EnumSource
    void failureAfterTheEventLeavesNeitherGroupNorEvent(TestServer.On database) {
        TestServer server = TestServer.on(database, new Groups() {
            @Override
            public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) {
                super.insert(handle, planned, request);
                throw new IllegalStateException("too late");
            }
        });

        assertThatThrownBy(() -> server.createGroup.execute(CHESS)).hasMessage("too late");

        assertThat(counts(server)).containsOnly(0);
    }

    @ParameterizedTest
    @EnumSource
    void memberIsInItsGroupsOnly(TestServer.On database) throws Exception {
        TestServer server = TestServer.on(database, new Groups());
        GroupCreated chess = server.createGroup.execute(CHESS).orElseThrow();
        GroupCreated running = server.createGroup
                .execute(new CreateGroupRequest("bob", "k2", "Running", List.of()))
                .orElseThrow();

        server.jdbi.useHandle(handle -> {
            assertThat(server.groups.of(handle, "bob")).containsOnly(chess.groupId(), running.groupId());
            assertThat(server.groups.of(handle, "cid")).containsOnly(chess.groupId());
            assertThat(server.groups.of(handle, "dan")).isEmpty();
            assertThat(server.groups.members(handle, chess.groupId())).containsExactlyInAnyOrder("ann", "bob", "cid");
        });
    }

    private static List<Integer> counts(TestServer server) {
        return TABLES.stream().map(server::count).toList();
    }
}
