package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.MariaDbServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MariaDB, or the MySQL that the environment names, under faults, and a mutant that only they can have. */
@Tag("matrix")
class MariaDbTortureTest {

    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--isolation repeatable-read --modes claim-first,single-planned,record-last,batch"
                        + " --mutants lost-transaction-commits --seconds 30",
                "--isolation read-committed --modes claim-first-planned,single,record-last-planned,batch-each-its-own,external"
                        + " --no-mutants --seconds 20"
            })
    @Timeout(600)
    void noPromiseIsBroken(String arguments) {
        if (MariaDbServer.isExternal()) {
            return;
        }
        Engine engine = MariaDbServer.startsMySql() ? Engine.MYSQL : Engine.MARIADB;
        PostgreSqlTortureTest.passes(folder, List.of(("--engine " + engine.option() + " " + arguments).split(" ")));
    }
}
