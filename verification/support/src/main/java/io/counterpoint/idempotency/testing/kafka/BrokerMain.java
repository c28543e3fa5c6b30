package io.counterpoint.idempotency.testing.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/**
 * The broker's process. It formats its folder at the first start. It ends at once when its standard input ends, as it
 * does when the process that started it is killed.
 */
final class BrokerMain {

    private BrokerMain() {}

    /**
     * Runs a broker until the process ends.
     *
     * @param args the file of properties, and the folder of the log
     * @throws IOException never
     */
    public static void main(String[] args) throws IOException {
        endWithStandardInput();
        if (!Files.exists(Path.of(args[1], "meta.properties"))) {
            int exitCode = StorageTool.execute(
                    new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", args[0]}, System.out);
            if (exitCode != 0) {
                System.exit(exitCode);
            }
        }
        Kafka.main(new String[] {args[0]});
    }

    private static void endWithStandardInput() {
        Thread watch = new Thread(() -> {
            try {
                while (System.in.read() >= 0) {
                    // Nothing is ever written: only the end counts.
                }
            } catch (IOException closed) {
                // As the end.
            }
            Runtime.getRuntime().halt(1);
        });
        watch.setDaemon(true);
        watch.start();
    }
}
