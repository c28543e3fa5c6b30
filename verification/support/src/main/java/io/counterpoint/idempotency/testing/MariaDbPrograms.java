package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The programs of a server that {@link LocalMariaDb} starts: MySQL if the environment says so, otherwise MariaDB. */
sealed interface MariaDbPrograms permits MariaDbBinaries, MySqlBinaries {

    static MariaDbPrograms find(WorkFolder workFolder) throws IOException {
        return MySqlBinaries.isChosen() ? MySqlBinaries.find(workFolder) : MariaDbBinaries.find(workFolder);
    }

    /** The server program, with options for the locations of its files. */
    List<String> program();

    /** The settings of this product, in addition to those of every server. */
    List<String> settings();

    /**
     * The command that initialises the data of a new server.
     *
     * @param data the folder, which does not exist yet
     * @param temporary the option for the folder for temporary files
     */
    List<String> initialization(Path data, String temporary);

    /** The folder for the data of a server that has never been started, if any. */
    Optional<Path> template();

    String jdbcUrl(int port);
}
