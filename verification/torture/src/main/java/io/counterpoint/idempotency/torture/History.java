package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The calls of one process and their outcomes, one line per event. Each line is written to the operating system before
 * the call continues, so it survives the process.
 *
 * <p>The fields of a line are separated by tabs: {@code S call millis key request deadline-millis} at the start of a
 * call, {@code E call millis duration-micros answer detail} at its end, and {@code N millis what count} for other
 * events. {@code B millis late} is a beat: the process is running, and was this many milliseconds late.
 */
final class History implements AutoCloseable {

    private static final int LONGEST_DETAIL = 300;

    /** Not a channel, because interrupting one thread would close it for all. */
    private final OutputStream file;

    private final AtomicLong calls = new AtomicLong();

    private History(OutputStream file) {
        this.file = file;
    }

    static History at(Path path) throws IOException {
        return new History(new FileOutputStream(path.toFile(), true));
    }

    /** Returns the number of the call. */
    long started(String key, String request, Duration deadline) {
        long call = calls.incrementAndGet();
        write("S\t" + call + "\t" + System.currentTimeMillis() + "\t" + key + "\t" + request + "\t"
                + deadline.toMillis() + "\n");
        return call;
    }

    void ended(long call, long nanos, Answer answer, String detail) {
        write("E\t" + call + "\t" + System.currentTimeMillis() + "\t" + nanos / 1_000 + "\t" + answer.name() + "\t"
                + oneField(detail) + "\n");
    }

    void noted(FaultType what, long count) {
        write("N\t" + System.currentTimeMillis() + "\t" + what.name() + "\t" + count + "\n");
    }

    void beat(long lateMillis) {
        write("B\t" + System.currentTimeMillis() + "\t" + lateMillis + "\n");
    }

    private static String oneField(String text) {
        String cut = text.length() > LONGEST_DETAIL ? text.substring(0, LONGEST_DETAIL) : text;
        return cut.replaceAll("\\s", " ");
    }

    /** Written at once, so that lines of several threads are not mixed, and a killed process leaves complete lines. */
    private synchronized void write(String line) {
        try {
            file.write(line.getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
