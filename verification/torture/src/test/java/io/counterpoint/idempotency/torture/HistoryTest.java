package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HistoryTest {

    private final List<String> events = new ArrayList<>();

    @Test
    void whatWasWrittenIsReadWhileItIsWritten(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("history.tsv");
        HistoryReader reader = new HistoryReader(path, new Recorder());
        reader.readOn();
        try (History history = History.at(path)) {
            long call = history.started("k1", "a", Duration.ofSeconds(3));
            reader.readOn();
            assertThat(events).containsExactly("started 1 k1 a PT3S");
            history.ended(call, 5_000_000, Answer.EXECUTED, "a\tresult\nof two lines");
            history.noted(FaultType.THREAD_INTERRUPTED, 1);
            history.beat(3);
            reader.readOn();
        }
        assertThat(events)
                .containsExactly(
                        "started 1 k1 a PT3S",
                        "ended 1 5000 EXECUTED a result of two lines",
                        "noted THREAD_INTERRUPTED 1",
                        "beat 3");
    }

    @Test
    void lineIsReadWhenItIsWhole(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("history.tsv");
        HistoryReader reader = new HistoryReader(path, new Recorder());
        Files.writeString(path, "N\t0\tTHREAD_INTERRUPTED\t1\nN\t0\tTHREAD_INT", UTF_8);
        reader.readOn();
        assertThat(events).hasSize(1);
        Files.writeString(path, "ERRUPTED\t2\n", UTF_8, StandardOpenOption.APPEND);
        reader.readOn();
        assertThat(events).containsExactly("noted THREAD_INTERRUPTED 1", "noted THREAD_INTERRUPTED 2");
    }

    @Test
    void linesWrittenWhileOthersAreReadWaitForTheNextTime(@TempDir Path folder) throws IOException {
        Path path = folder.resolve("history.tsv");
        Files.writeString(path, "N\t0\tTHREAD_INTERRUPTED\t1\n", UTF_8);
        HistoryReader reader = new HistoryReader(path, new Recorder() {
            @Override
            public void noted(long millis, FaultType what, long count) {
                super.noted(millis, what, count);
                if (count < 10) {
                    append(path, "N\t0\tTHREAD_INTERRUPTED\t" + (count + 1) + "\n");
                }
            }
        });
        reader.readOn();
        assertThat(events).containsExactly("noted THREAD_INTERRUPTED 1");
        reader.readOn();
        assertThat(events).containsExactly("noted THREAD_INTERRUPTED 1", "noted THREAD_INTERRUPTED 2");
    }

    private static void append(Path path, String line) {
        try {
            Files.writeString(path, line, UTF_8, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private class Recorder implements HistoryReader.Events {
        @Override
        public void started(long call, long millis, String key, String request, Duration deadline) {
            events.add("started " + call + " " + key + " " + request + " " + deadline);
        }

        @Override
        public void ended(long call, long millis, long micros, Answer answer, String detail) {
            events.add("ended " + call + " " + micros + " " + answer.name() + " " + detail);
        }

        @Override
        public void noted(long millis, FaultType what, long count) {
            events.add("noted " + what.name() + " " + count);
        }

        @Override
        public void beat(long millis, long lateMillis) {
            events.add("beat " + lateMillis);
        }
    }
}
