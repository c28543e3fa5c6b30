package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.MariaDbServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MariaDB, or the MySQL that the environment names, under faults, and a mutant that only they can have. */
@Tag("matrix")
class MariaDbTortureTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    repeatable-read | claim-first,single-planned,record-last,domain-row,batch
                    read-committed  | take-over,single,record-last-planned,batch-each-its-own,external
                    """)
    @Timeout(300)
    void noPromiseIsBroken(String isolation, String modes) {
        if (MariaDbServer.isExternal()) {
            return;
        }
        Engine engine = MariaDbServer.startsMySql() ? Engine.MYSQL : Engine.MARIADB;
        PlainTortureTest.passes(
                folder,
                List.of(
                        "--engine",
                        engine.option(),
                        "--isolation",
                        isolation,
                        "--modes",
                        modes,
                        "--mutants",
                        "lost-transaction-commits",
                        "--seconds",
                        "30"));
    }
}
