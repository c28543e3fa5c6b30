package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.consistency.transition.Ownership;
import io.counterpoint.idempotency.consistency.transition.Transition.Moved;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.appplatform.usecase.Step;
import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Wherever a process dies, the next caller finds a consistent state or restores one. The tour tests the same with kill
 * -9.
 */
@Tag("thorough")
class DeathTest {

    /** Nothing in the process catches this, so as far as the database can tell, the process is dead. */
    private static final class Died extends Error {
        private static final long serialVersionUID = 1L;
    }

    private final AtomicReference<Step> death = new AtomicReference<>();
    private TestPlatform test;

    @BeforeEach
    void open() throws CannotRun {
        test = TestPlatform.empty(step -> {
            if (step == death.get()) {
                throw new Died();
            }
        });
    }

    @AfterEach
    void close() {
        test.close();
    }

    private UUID create(String key) throws Refusal {
        return test.platform
                .createApp
                .execute(Attempt.inScope("workspace:1").key(key).withoutRequest(), 1, "app")
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"PUBLISH_NOT_BEGUN", "PUBLISH_BEGUN", "ARTIFACT_STORED", "PUBLISH_NOT_FINISHED", "PUBLISHED"})
    void publishingIsFinishedByAnother(Step step) throws Refusal {
        UUID app = create("k");
        death.set(step);
        assertThatThrownBy(() ->
                        assertThat(test.platform.publishApp.execute(1, app)).isNull())
                .isInstanceOf(Died.class);
        death.set(null);
        assertThat(test.platform.publishApp.resume(Duration.ofHours(1), DeathTest::fail))
                .isZero();
        int stranded = step != Step.PUBLISH_NOT_BEGUN && step != Step.PUBLISHED ? 1 : 0;
        assertThat(test.platform.publishApp.resume(Duration.ZERO, DeathTest::fail))
                .isEqualTo(stranded);
        if (step == Step.PUBLISH_NOT_BEGUN) {
            assertThat(test.platform.publishApp.execute(1, app)).isInstanceOf(Moved.class);
        }
        assertThat(test.one("SELECT status FROM app")).isEqualTo("published");
        assertThat(test.count("app_policy")).isEqualTo(1);
        assertThat(artifact()).contains(app.toString());
        assertThat(test.count("transition_history WHERE to_state = 'published'"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {
                "PROVISION_NOT_BEGUN",
                "PROVISION_BEGUN",
                "SCHEMA_CLAIMED",
                "SCHEMA_CREATED",
                "SCHEMA_RECORDED",
                "TABLES_CLAIMED",
                "TABLES_CREATED",
                "PROVISIONED"
            })
    void provisioningIsResumedAtAnyStep(Step step) throws Refusal {
        UUID app = create("k");
        death.set(step);
        assertThatThrownBy(() -> assertThat(test.platform.provisionDatabase.execute(1, app))
                        .isNull())
                .matches(thrown -> thrown instanceof Died || thrown.getCause() instanceof Died);
        death.set(null);
        boolean stranded = step != Step.PROVISION_NOT_BEGUN && step != Step.PROVISIONED;
        assertThat(test.platform.provisionDatabase.resume(Duration.ZERO, DeathTest::fail))
                .isEqualTo(stranded ? 1 : 0);
        if (step == Step.PROVISION_NOT_BEGUN) {
            assertThat(test.platform.provisionDatabase.execute(1, app)).isInstanceOf(Moved.class);
        }
        assertThat(test.one("SELECT database_status FROM app")).isEqualTo("ready");
        assertThat(test.database.server().hasSchema(app)).isTrue();
        assertThat(test.database.server().hasTables(app)).isTrue();
        assertThat(test.count("idempotency_record WHERE operation IN ('create-schema', 'create-tables')"))
                .isEqualTo(2);
        assertThat(test.count("transition_history WHERE to_state = 'ready'")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = Step.class,
            names = {"CREATED", "CHARGED"})
    void retryOfALeaderThatDiedAfterItsCommitIsAReplay(Step step) throws Refusal {
        death.set(step);
        for (int tries = 0; tries < 2; tries++) {
            try {
                assertThat(create("k")).isNotNull();
                assertThat(test.platform
                                .chargePayment
                                .execute(Attempt.inScope("workspace:1").key("t").withoutRequest(), 1, "t", 10)
                                .orElseThrow())
                        .isEqualTo(140);
            } catch (Died died) {
                death.set(null);
            }
        }
        assertThat(death.get()).isNull();
        assertThat(test.count("app")).isEqualTo(1);
        assertThat(test.count("charge")).isEqualTo(1);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("140");
    }

    @ParameterizedTest
    @EnumSource(value = Step.class, names = "PUBLISH_BEGUN")
    void publicationThatCanNoLongerBeFinishedGoesBackToDraft(Step step) throws Refusal {
        UUID app = create("k");
        death.set(step);
        assertThatThrownBy(() ->
                        assertThat(test.platform.publishApp.execute(1, app)).isNull())
                .isInstanceOf(Died.class);
        death.set(null);
        test.execute("UPDATE app SET deleted_at = CURRENT_TIMESTAMP");
        List<Throwable> failures = new ArrayList<>();
        assertThat(test.platform.publishApp.resume(Duration.ZERO, (held, why) -> failures.add(why.getCause())))
                .isZero();
        assertThat(failures).singleElement().isInstanceOf(Refusal.class);
        assertThat(test.one("SELECT status FROM app")).isEqualTo("draft");
        assertThat(test.one("SELECT publication_error FROM app")).contains("no such app");
        assertThat(test.count("app_policy")).isZero();
    }

    private String artifact() {
        try {
            return new String(
                    test.platform
                            .outside
                            .artifacts()
                            .read(test.one("SELECT artifact FROM app"))
                            .orElseThrow(),
                    StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void fail(Ownership<?> held, RuntimeException why) {
        throw why;
    }
}
