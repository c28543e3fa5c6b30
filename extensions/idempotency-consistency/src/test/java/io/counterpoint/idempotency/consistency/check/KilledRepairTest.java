package io.counterpoint.idempotency.consistency.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.KilledProcess;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A repair in a process of its own that is killed with {@code kill -9}; this one completes it. */
@Tag("thorough")
@ParameterizedClass
@EnumSource
class KilledRepairTest {

    @Parameter
    Kind kind;

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(ints = {10, 20})
    void killedRepairIsCompletedByRunningItAgain(int death) throws IOException {
        String url = KilledProcess.newDatabase(kind, folder);
        try (TestDatabase database = TestDatabase.at(url)) {
            OrphanApps.create(database, 25);
        }
        KilledProcess.run(Victim.class, url, Integer.toString(death));
        try (TestDatabase database = TestDatabase.at(url)) {
            assertThat(database.count("repair_audit")).isEqualTo(death);
            assertThat(OrphanApps.repair()
                            .build()
                            .run(Transactions.on(database.store()))
                            .changed())
                    .isEqualTo(25 - death);
            OrphanApps.assertMended(database, 25);
        }
    }

    /** Repairs up to the place where it is to be killed. */
    static final class Victim {
        public static void main(String[] arguments) {
            TestDatabase database = TestDatabase.at(arguments[0]);
            long death = Long.parseLong(arguments[1]);
            assertThat(OrphanApps.repair()
                            .batchSize(10)
                            .progress(changed -> {
                                if (changed == death) {
                                    KilledProcess.waitHere();
                                }
                            })
                            .build()
                            .run(Transactions.on(database.store())))
                    .isNotNull();
            throw new IllegalStateException("This process should have been killed.");
        }
    }
}
