package io.counterpoint.idempotency.consistency.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.transition.Publishing.Resumption;
import io.counterpoint.idempotency.consistency.transition.Publishing.Step;
import io.counterpoint.idempotency.consistency.transition.Transition.AlreadyThere;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.consistency.transition.Transition.Refused;
import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("thorough")
@ParameterizedClass
@EnumSource
class PublishingTest {

    /** A process that is gone, as far as the database can tell: nothing in it catches this. */
    private static final class Died extends VirtualMachineError {
        private static final long serialVersionUID = 1L;
    }

    @Parameter
    Kind kind;

    private TestDatabase database;
    private Publishing publishing;

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        publishing = new Publishing(database, step -> {});
        publishing.createTables();
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void sixtyFourCallersPublishOnce() {
        UUID app = publishing.draft();
        List<Race.Result<Transition<AppStatus>>> results = Race.of(64, number -> publishing.publish(app));
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(results.stream().map(Race.Result::value))
                .hasOnlyElementsOfTypes(Moved.class, AlreadyThere.class, Refused.class);
        assertThat(results.stream().filter(result -> result.value() instanceof Moved))
                .hasSize(1);
        assertThat(publishing.publisher().publishAll().published()).isEqualTo(2);
        publishing.assertConsistent(app);
        assertThat(database.count("policy")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void deathAtAnyStepStrandsNothing(Step death) {
        for (Resumption resumption : Resumption.values()) {
            UUID app = publishing.draft();
            publishAndDieAt(death, app);
            // Nobody finishes what may still be at work.
            assertThat(publishing.resume(resumption, Duration.ofMinutes(1))).isZero();
            database.execute("UPDATE app SET publishing_since = publishing_since - INTERVAL '61' SECOND");
            int stranded = death == Step.BEGUN || death == Step.FINISH_NOT_COMMITTED ? 1 : 0;
            assertThat(publishing.resume(resumption, Duration.ofMinutes(1))).isEqualTo(stranded);
            publishing.letClaimsEnd();
            assertThat(publishing.publisher().publishAll().failed()).isZero();
            publishing.assertConsistent(app);
            if (database.count("policy WHERE app = '" + app + "'") == 0) {
                assertThat(publishing.publish(app)).isInstanceOf(Moved.class);
                assertThat(publishing.publisher().publishAll().published()).isPositive();
                publishing.assertConsistent(app);
            }
        }
    }

    /** The owner comes back when its app was taken over and finished by another caller. */
    @ParameterizedTest
    @EnumSource
    void ownerWhoWasOnlySlowChangesNothing(Resumption resumption) {
        UUID app = publishing.draft();
        Publishing slow = new Publishing(database, step -> {
            if (step == Step.BEGUN) {
                assertThat(publishing.resume(resumption, Duration.ZERO)).isEqualTo(1);
            }
        });
        Transition<AppStatus> answer = slow.publish(app);
        if (resumption == Resumption.COMPLETED) {
            assertThat(answer).isEqualTo(new AlreadyThere<>(AppStatus.PUBLISHED));
        } else {
            assertThat(answer).isInstanceOf(Refused.class);
        }
        assertThat(publishing.publisher().publishAll().failed()).isZero();
        publishing.assertConsistent(app);
    }

    private void publishAndDieAt(Step death, UUID app) {
        Publishing doomed = new Publishing(database, step -> {
            if (step == death) {
                throw new Died();
            }
        });
        assertThatThrownBy(() -> {
                    assertThat(doomed.publish(app)).isNotNull();
                    assertThat(doomed.publisher().publishAll()).isNotNull();
                })
                .isInstanceOf(Died.class);
    }
}
