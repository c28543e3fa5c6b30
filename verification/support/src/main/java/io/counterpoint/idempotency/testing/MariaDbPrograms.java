package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The programs of a server that {@link LocalMariaDb} starts: of MySQL where the environment says so, else of MariaDB. */
sealed interface MariaDbPrograms permits MariaDbBinaries, MySqlBinaries {

    static MariaDbPrograms find(WorkFolder workFolder) throws IOException {
        return MySqlBinaries.isChosen() ? MySqlBinaries.find(workFolder) : MariaDbBinaries.find(workFolder);
    }

    /** The server's program, and options that tell it where its files are. */
    List<String> program();

    /** What this product gets beside what every server gets. */
    List<String> settings();

    /**
     * The command that makes the data of a new server.
     *
     * @param data the folder, which is not there yet
     * @param temporary the option that names the folder for temporary files
     */
    List<String> initialization(Path data, String temporary);

    /** Where the data of a server that was never started are kept, if anywhere. */
    Optional<Path> template();

    String jdbcUrl(int port);
}
