package io.counterpoint.idempotency.consistency.transition;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.testing.KilledProcess;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.consistency.transition.Publishing.Resumption;
import io.counterpoint.idempotency.consistency.transition.Publishing.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process of its own that is killed with {@code kill -9}; this one finds everything in order, or puts it there. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class KilledPublishingTest {

    @Parameter
    Kind kind;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void killedPublishingStrandsNothing(Step death) throws IOException {
        String url = KilledProcess.newDatabase(kind, folder);
        UUID app;
        try (TestDatabase database = TestDatabase.at(url)) {
            Publishing publishing = new Publishing(database, step -> {});
            publishing.createTables();
            app = publishing.draft();
        }
        KilledProcess.run(Victim.class, url, death.name(), app.toString());
        try (TestDatabase database = TestDatabase.at(url)) {
            Publishing publishing = new Publishing(database, step -> {});
            database.execute("UPDATE app SET publishing_since = publishing_since - INTERVAL '61' SECOND");
            int stranded = death == Step.BEGUN || death == Step.FINISH_NOT_COMMITTED ? 1 : 0;
            assertThat(publishing.resume(Resumption.COMPLETED, Duration.ofMinutes(1)))
                    .isEqualTo(stranded);
            publishing.letClaimsEnd();
            assertThat(publishing.publisher().publishAll().failed()).isZero();
            publishing.assertConsistent(app);
        }
    }

    /** Publishes up to the place where it is to be killed. */
    static final class Victim {
        public static void main(String[] arguments) {
            TestDatabase database = TestDatabase.at(arguments[0]);
            Step death = Step.valueOf(arguments[1]);
            Publishing publishing = new Publishing(database, step -> {
                if (step == death) {
                    KilledProcess.waitHere();
                }
            });
            assertThat(publishing.publish(UUID.fromString(arguments[2]))).isNotNull();
            assertThat(publishing.publisher().publishAll()).isNotNull();
            throw new IllegalStateException("This process should have been killed.");
        }
    }
}
