package io.counterpoint.idempotency.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The data of a server that has never been started. The first server of a set of unpacked programs stores a copy of its
 * data beside them, because copying is much cheaper than initialising.
 *
 * @param template the folder of the copy; empty if the folder of the programs is not this library's to write to
 */
record EmptyData(Optional<Path> template) {

    private static final String COPY = """
            umask 077
            exec cp -R "$1" "$2"
            """;

    private static final String KEEP = """
            cp -R "$1" "$2" && exec chmod -R a+rX "$2"
            """;

    /** Initialises the data without a copy. */
    interface Maker {
        void make() throws IOException;
    }

    /** The user that the server runs as creates the data folder, inaccessible to all others. */
    void into(Path data, Daemon server, Maker maker) throws IOException {
        if (template.isEmpty()) {
            maker.make();
        } else if (Files.exists(template.get())) {
            server.run(
                    "the copy of empty data",
                    List.of("sh", "-c", COPY, "sh", template.get().toString(), data.toString()));
        } else {
            maker.make();
            WorkFolder.open().exclusively(() -> keep(data, template.get()));
        }
    }

    /** Moves a complete copy, which every user may read, into place. */
    private static @Nullable Void keep(Path data, Path template) throws IOException {
        if (!Files.exists(template)) {
            Path partial = template.resolveSibling(template.getFileName() + ".partial");
            WorkFolder.delete(partial);
            Process copy = new ProcessBuilder("sh", "-c", KEEP, "sh", data.toString(), partial.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (Daemon.exits(copy, Daemon.SECONDS_TO_START) && copy.exitValue() == 0) {
                Files.move(partial, template, StandardCopyOption.ATOMIC_MOVE);
            }
        }
        return null;
    }
}
