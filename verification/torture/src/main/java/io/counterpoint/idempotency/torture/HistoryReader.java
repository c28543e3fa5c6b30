package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Reads a {@link History} while it is being written, and what is left of it when its process is gone. */
final class HistoryReader {

    private static final int CHUNK = 1 << 18;

    private final Path path;
    private final Events events;
    private long position;

    HistoryReader(Path path, Events events) {
        this.path = path;
        this.events = events;
    }

    /** Receives the events of a history, in order. */
    interface Events {
        void started(long call, long millis, String key, String request, Duration deadline);

        void ended(long call, long millis, long micros, Answer answer, String detail);

        void noted(long millis, FaultType what, long count);

        void beat(long millis, long lateMillis);
    }

    /**
     * Reads the complete lines that have been written since the last call. Lines written meanwhile are left for the
     * next call, because otherwise a history that grows as fast as it is read would never end.
     */
    void readOn() throws IOException {
        if (!Files.exists(path)) {
            return;
        }
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r")) {
            byte[] chunk = new byte[CHUNK];
            long written = file.length();
            while (position < written) {
                file.seek(position);
                int length = file.read(chunk, 0, (int) Math.min(CHUNK, written - position));
                int end = endOfLines(chunk, length);
                if (end == 0) {
                    return;
                }
                new String(chunk, 0, end, UTF_8).lines().forEach(this::read);
                position += end;
            }
        }
    }

    private static int endOfLines(byte[] chunk, int length) {
        int end = length;
        while (end > 0 && chunk[end - 1] != '\n') {
            end--;
        }
        return Math.max(end, 0);
    }

    private void read(String line) {
        String[] field = line.split("\t", -1);
        switch (field[0]) {
            case "S" ->
                events.started(
                        Long.parseLong(field[1]),
                        Long.parseLong(field[2]),
                        field[3],
                        field[4],
                        Duration.ofMillis(Long.parseLong(field[5])));
            case "E" ->
                events.ended(
                        Long.parseLong(field[1]),
                        Long.parseLong(field[2]),
                        Long.parseLong(field[3]),
                        Answer.valueOf(field[4]),
                        field[5]);
            case "N" -> events.noted(Long.parseLong(field[1]), FaultType.valueOf(field[2]), Long.parseLong(field[3]));
            case "B" -> events.beat(Long.parseLong(field[1]), Long.parseLong(field[2]));
            default -> throw new IllegalStateException(path + " has a line that is no event: " + line);
        }
    }
}
