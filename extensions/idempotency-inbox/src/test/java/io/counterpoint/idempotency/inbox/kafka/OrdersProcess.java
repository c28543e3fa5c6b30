package io.counterpoint.idempotency.inbox.kafka;

import io.counterpoint.idempotency.inbox.InboxListener;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A consumer of orders in a process of its own, to be killed. It prints a line for each batch. */
final class OrdersProcess {

    private OrdersProcess() {}

    @SuppressWarnings("resource") // Ends with the process.
    public static void main(String[] args) throws IOException {
        Orders unused = Orders.start(args[0], args[1], new InboxListener() {
            @Override
            public void processed(String inbox, Counts counts, Duration duration) {
                System.out.println(counts);
            }
        });
        while (System.in.read() >= 0) {
            // The end of the input is the end of the process that started this one.
        }
        Runtime.getRuntime().halt(1);
    }

    /** Starts one, and kills it when it has handled that many batches. */
    static void killAfter(int batches, String url, String bootstrapServers) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        OrdersProcess.class.getName(),
                        url,
                        bootstrapServers))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (int batch = 0; batch < batches; batch++) {
                if (output.readLine() == null) {
                    throw new IllegalStateException("The consumer's process has ended by itself.");
                }
            }
        } finally {
            process.destroyForcibly();
            int unused = process.waitFor();
        }
    }
}
