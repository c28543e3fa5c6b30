package io.counterpoint.idempotency.testing.kafka;

import java.nio.file.Files;
import java.nio.file.Path;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/** The broker's process. It formats its folder at the first start. */
final class BrokerMain {

    private BrokerMain() {}

    /**
     * Runs a broker until the process ends.
     *
     * @param args the properties file, and the folder of the log
     */
    public static void main(String[] args) {
        if (!Files.exists(Path.of(args[1], "meta.properties"))) {
            int exitCode = StorageTool.execute(
                    new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", args[0]}, System.out);
            if (exitCode != 0) {
                System.exit(exitCode);
            }
        }
        Kafka.main(new String[] {args[0]});
    }
}
