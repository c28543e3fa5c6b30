package io.counterpoint.idempotency.testing;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A process and its descendants, identified by a file such as the one that PostgreSQL writes to its data folder.
 *
 * @param pidFile the first line contains the process id
 * @param program a part of the path of its program, because after a crash another process may have the id in the file
 */
record ProcessTree(Path pidFile, String program) {

    private static final long SECONDS_TO_SIGNAL = 60;

    /** Whether it is running or paused. */
    boolean isThere() {
        return root().isPresent();
    }

    /**
     * Pauses every process. The operating system still accepts connections and data for them.
     *
     * @return the paused processes; none if it is not running
     */
    List<ProcessHandle> pause() {
        List<ProcessHandle> all = new ArrayList<>();
        root().ifPresent(root -> {
            // First, so that it cannot start a child between the lookup of its children and their stop.
            signal("STOP", List.of(root));
            all.addAll(root.descendants().toList());
            signal("STOP", all);
            all.add(root);
        });
        return all;
    }

    /** Resumes paused processes; does nothing to those that are running. */
    void resume() {
        root().ifPresent(root -> {
            List<ProcessHandle> all = new ArrayList<>(root.descendants().toList());
            all.add(root);
            signal("CONT", all);
        });
    }

    /** Kills every process, like a power failure, except that the disk cache survives. */
    void kill() {
        List<ProcessHandle> all = pause();
        all.forEach(ProcessHandle::destroyForcibly);
        for (ProcessHandle killed : all) {
            while (isLeft(killed)) {
                Thread.onSpinWait();
            }
        }
    }

    private Optional<ProcessHandle> root() {
        try {
            List<String> lines = Files.readAllLines(pidFile);
            return lines.isEmpty()
                    ? Optional.empty()
                    : ProcessHandle.of(Long.parseLong(lines.get(0).strip())).filter(this::isOurs);
        } catch (NoSuchFileException neverStarted) {
            return Optional.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private boolean isOurs(ProcessHandle process) {
        return process.info().command().map(path -> path.contains(program)).orElse(true);
    }

    /** Ignores processes that have exited meanwhile. */
    private static void signal(String signal, List<ProcessHandle> processes) {
        if (processes.isEmpty()) {
            return;
        }
        String pids =
                processes.stream().map(process -> Long.toString(process.pid())).collect(Collectors.joining(" "));
        try {
            Process shell = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + pids)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            if (!Daemon.exits(shell, SECONDS_TO_SIGNAL)) {
                throw new IllegalStateException("kill does not end");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Whether a killed process may still hold the server's shared memory, which would prevent the next start. A zombie
     * holds none. On Linux, a process loses its command line slightly before its memory, so this reads its state
     * instead.
     */
    private static boolean isLeft(ProcessHandle killed) {
        if (!killed.isAlive()) {
            return false;
        }
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(killed.pid()), "stat"), ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException goneOrNotLinux) {
            return killed.isAlive() && killed.info().command().isPresent();
        }
    }
}
