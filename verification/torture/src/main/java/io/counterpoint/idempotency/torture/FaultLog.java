package io.counterpoint.idempotency.torture;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;

/** Records every fault with its time and victim, in a file, and counts them. Thread-safe. */
final class FaultLog implements AutoCloseable {

    private final PrintWriter file;
    private final Map<FaultType, Long> counts = new EnumMap<>(FaultType.class);

    FaultLog(Path path) throws IOException {
        Writer writer = Files.newBufferedWriter(path);
        this.file = new PrintWriter(writer);
    }

    void add(FaultType fault, String whom) {
        add(System.currentTimeMillis(), fault, 1, whom);
    }

    synchronized void add(long millis, FaultType fault, long count, String whom) {
        counts.merge(fault, count, Long::sum);
        file.println(Instant.ofEpochMilli(millis) + "\t" + fault + "\t" + count + "\t" + whom);
    }

    /** Writes a heading. */
    synchronized void heading(String what) {
        file.println(Instant.now() + "\t== " + what);
    }

    synchronized Map<FaultType, Long> counts() {
        Map<FaultType, Long> copy = new EnumMap<>(FaultType.class);
        copy.putAll(counts);
        return copy;
    }

    /** The later counts minus the earlier ones. */
    static Map<FaultType, Long> difference(Map<FaultType, Long> later, Map<FaultType, Long> earlier) {
        Map<FaultType, Long> difference = new EnumMap<>(FaultType.class);
        later.forEach((fault, count) -> {
            long more = count - earlier.getOrDefault(fault, 0L);
            if (more > 0) {
                difference.put(fault, more);
            }
        });
        return difference;
    }

    synchronized long count(FaultType fault) {
        return counts.getOrDefault(fault, 0L);
    }

    @Override
    public synchronized void close() {
        file.close();
    }
}
