package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The programs of a MySQL server, in a folder made by {@code .ci/get-debian}. They use the libraries and the loader in
 * that folder, so they also run on older systems.
 */
record MySqlBinaries(ServerHome home) implements MariaDbPrograms {

    static final String HOME_VARIABLE = "IDEMPOTENCY_MYSQL_HOME";

    private static final String PROGRAM = "usr/sbin/mysqld";

    static boolean isChosen() {
        return ServerHome.chosen(HOME_VARIABLE).isPresent();
    }

    static MySqlBinaries find(WorkFolder workFolder) throws IOException {
        return new MySqlBinaries(ServerHome.find(HOME_VARIABLE, PROGRAM, workFolder, unused -> {
            throw new IOException("set " + HOME_VARIABLE);
        }));
    }

    @Override
    public List<String> program() {
        return List.of(
                home.resolve(PROGRAM),
                "--no-defaults",
                "--basedir=" + home.resolve("usr"),
                "--lc-messages-dir=" + home.resolve("usr/share/mysql"),
                "--plugin-dir=" + home.resolve("usr/lib/mysql/plugin"));
    }

    @Override
    public List<String> settings() {
        return List.of("--tls-version=", "--mysqlx=0", "--secure-file-priv=NULL", "--innodb-redo-log-capacity=32M");
    }

    @Override
    public List<String> initialization(Path data, String temporary) {
        List<String> command = new ArrayList<>(program());
        command.addAll(
                List.of("--initialize-insecure", "--datadir=" + data, temporary, "--innodb-flush-method=nosync"));
        return command;
    }

    @Override
    public Optional<Path> template() {
        return Optional.of(home.folder().resolve("data"));
    }

    @Override
    public String jdbcUrl(int port) {
        return "jdbc:mysql://127.0.0.1:" + port + "/?user=root&sslMode=DISABLED&allowPublicKeyRetrieval=true";
    }
}
