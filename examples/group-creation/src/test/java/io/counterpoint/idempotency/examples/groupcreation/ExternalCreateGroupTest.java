package io.counterpoint.idempotency.examples.groupcreation;

import static io.counterpoint.idempotency.examples.groupcreation.TestServer.CHESS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Groups and records in two databases: a retry finds the group, whether or not its record is complete. */
class ExternalCreateGroupTest {

    private final AtomicBoolean dies = new AtomicBoolean();
    private final Groups groups = new Groups() {
        @Override
        public void insert(Handle handle, GroupCreated planned, CreateGroupRequest request) {
            super.insert(handle, planned, request);
            handle.afterCommit(() -> {
                if (dies.getAndSet(false)) {
                    throw new IllegalStateException("the leader died after its commit");
                }
            });
        }
    };

    private ExternalCreateGroup createGroup(TestServer.On database, TestServer elsewhere) {
        TestServer records = TestServer.on(database, groups);
        return new ExternalCreateGroup(Idempotency.on(JdbiIdempotencyStore.on(records.jdbi)), elsewhere.jdbi, groups);
    }

    @ParameterizedTest
    @EnumSource
    void retryIsReplayed(TestServer.On database) throws Exception {
        TestServer elsewhere = TestServer.on(database, groups);
        ExternalCreateGroup createGroup = createGroup(database, elsewhere);
        GroupCreated created = createGroup.execute(CHESS).orElseThrow();

        Outcome<GroupCreated> retry = createGroup.execute(CHESS);

        assertThat(retry).isInstanceOf(Outcome.Replayed.class);
        assertThat(retry.orElseThrow()).isEqualTo(created);
        assertThat(elsewhere.count("chat_group")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void retryHealsTheKeyOfALeaderThatDiedAfterItsCommit(TestServer.On database) throws Exception {
        TestServer elsewhere = TestServer.on(database, groups);
        ExternalCreateGroup createGroup = createGroup(database, elsewhere);
        dies.set(true);
        assertThatThrownBy(() -> createGroup.execute(CHESS)).isInstanceOf(OutcomeUnknownException.class);

        Outcome<GroupCreated> retry = createGroup.execute(CHESS);

        assertThat(retry).isInstanceOf(Outcome.Healed.class);
        assertThat(createGroup.execute(CHESS)).isInstanceOf(Outcome.Replayed.class);
        elsewhere.jdbi.useHandle(handle ->
                assertThat(groups.isThere(handle, retry.orElseThrow())).isTrue());
        assertThat(elsewhere.count("chat_group")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void groupThatViolatesAConstraintFailsItsKey(TestServer.On database) {
        TestServer elsewhere = TestServer.on(database, groups);
        ExternalCreateGroup createGroup = createGroup(database, elsewhere);
        CreateGroupRequest twice = new CreateGroupRequest("ann", "k-twice", "Chess", List.of("bob", "bob"));
        assertThatThrownBy(() -> createGroup.execute(twice)).isInstanceOf(UnableToExecuteStatementException.class);

        assertThatThrownBy(() -> createGroup.execute(twice).orElseThrow()).hasMessageContaining("constraint");
        assertThat(elsewhere.count("chat_group")).isZero();
    }
}
