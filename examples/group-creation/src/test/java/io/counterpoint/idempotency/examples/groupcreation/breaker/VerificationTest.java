package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.examples.groupcreation.GroupCreated;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Answer.Kind;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Whether the program would notice an error. */
class VerificationTest {

    private final GroupCreated group = GroupCreated.withNewIdentifiers();
    private final List<Sent> sent = new ArrayList<>();
    private final List<WrittenGroup> rows = new ArrayList<>();
    private final Set<UUID> before = new HashSet<>();

    @Test
    void oneGroupForASuccessfulKeyAndNoneForAFailedOneIsVerified() {
        answered("k1", Kind.REFUSED, null);
        answered("k1", Kind.EXECUTED, group);
        answered("k1", Kind.REPLAYED, group);
        answered("k1", Kind.KEY_REUSED, null);
        answered("k2", Kind.REJECTED, null);
        exists(group);

        assertThat(verification().passed()).isTrue();
        assertThat(verification().verdict()).isEqualTo("Verified: 1 successful keys, 1 groups, 0 surplus, 0 missing.");
        assertThat(verification().failed()).isEqualTo(1);
    }

    @Test
    void keyInProgressWithoutAGroupIsVerified() {
        answered("k1", Kind.IN_PROGRESS, null);

        assertThat(verification().passed()).isTrue();
        assertThat(verification().open()).isEqualTo(1);
    }

    @Test
    void groupWithoutAnAnswerIsSurplus() {
        answered("k1", Kind.EXECUTED, group);
        answered("k2", Kind.REJECTED, null);
        exists(group);
        exists(GroupCreated.withNewIdentifiers());

        assertThat(verification().surplus()).isEqualTo(1);
        assertThat(verification().passed()).isFalse();
    }

    @Test
    void secondGroupOfAKeyIsSurplusAndAContradiction() {
        GroupCreated second = GroupCreated.withNewIdentifiers();
        answered("k1", Kind.EXECUTED, group);
        answered("k1", Kind.EXECUTED, second);
        exists(group);
        exists(second);

        assertThat(verification().surplus()).isEqualTo(1);
        assertThat(verification().contradictions()).isEqualTo(1);
        assertThat(verification().passed()).isFalse();
    }

    @Test
    void otherConversationForTheSameGroupIsAContradiction() {
        answered("k1", Kind.EXECUTED, group);
        answered("k1", Kind.REPLAYED, new GroupCreated(group.groupId(), UUID.randomUUID()));
        exists(group);

        assertThat(verification().passed()).isFalse();
    }

    @Test
    void keyThatBothSucceededAndFailedIsAContradiction() {
        answered("k1", Kind.EXECUTED, group);
        answered("k1", Kind.REJECTED, null);
        exists(group);

        assertThat(verification().passed()).isFalse();
    }

    @Test
    void groupThatIsNotThereIsMissing() {
        answered("k1", Kind.EXECUTED, group);

        assertThat(verification().missing()).isEqualTo(1);
        assertThat(verification().passed()).isFalse();
    }

    @Test
    void groupOfTwoKeysIsMissingForOneOfThem() {
        answered("k1", Kind.EXECUTED, group);
        answered("k2", Kind.REPLAYED, group);
        exists(group);

        assertThat(verification().missing()).isEqualTo(1);
        assertThat(verification().passed()).isFalse();
    }

    @Test
    void groupWithoutEverythingThatBelongsToItIsMissing() {
        UUID event = UUID.randomUUID();
        for (WrittenGroup incomplete : List.of(
                new WrittenGroup(group.groupId(), null, group.conversationId(), event, true),
                new WrittenGroup(group.groupId(), "bob", group.conversationId(), event, true),
                new WrittenGroup(group.groupId(), "ann", null, event, true),
                new WrittenGroup(group.groupId(), "ann", UUID.randomUUID(), event, true),
                new WrittenGroup(group.groupId(), "ann", group.conversationId(), null, false))) {
            sent.clear();
            rows.clear();
            answered("k1", Kind.EXECUTED, group);
            rows.add(incomplete);

            assertThat(verification().missing()).as(incomplete.toString()).isEqualTo(1);
            assertThat(verification().passed()).as(incomplete.toString()).isFalse();
        }
    }

    @Test
    void groupWithTwoEventsIsMissingItsOneEvent() {
        answered("k1", Kind.EXECUTED, group);
        exists(group);
        exists(group);

        assertThat(verification().missing()).isEqualTo(1);
        assertThat(verification().events()).isEqualTo(2);
        assertThat(verification().passed()).isFalse();
    }

    @Test
    void keyWithoutAnyAnswerIsNotVerified() {
        answered("k1", Kind.UNKNOWN, null);

        assertThat(verification().passed()).isFalse();
    }

    @Test
    void groupsFromBeforeAreNoSurplusAndMayBeAnswers() {
        answered("k1", Kind.REPLAYED, group);
        exists(group);
        exists(GroupCreated.withNewIdentifiers());
        rows.forEach(row -> before.add(row.groupId()));

        assertThat(verification().passed()).isTrue();
        assertThat(verification().groups()).isEqualTo(1);
    }

    private void answered(String key, Kind kind, GroupCreated created) {
        CreateGroupRequest request = new CreateGroupRequest("ann", key, "Chess", List.of());
        sent.add(new Sent(request, new Answer(kind, Optional.ofNullable(created), ""), 0));
    }

    private void exists(GroupCreated created) {
        rows.add(new WrittenGroup(created.groupId(), "ann", created.conversationId(), UUID.randomUUID(), true));
    }

    private Verification verification() {
        return Verification.of(sent, rows, before);
    }
}
