package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.Findings.Table;
import io.counterpoint.idempotency.benchmarks.Findings.Worst;
import io.counterpoint.idempotency.benchmarks.InboxConsumers.Work;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** A Kafka inbox, compared with the same consumer unprotected: one partition, batches of 500, one group per message. */
@Command(
        name = "inbox",
        header = "Inbox",
        description = "an inbox over a real Kafka broker beside the same consumer unprotected")
final class InboxBenchmark extends Benchmark {

    private static final String UNPROTECTED = "unprotected";
    private static final String INBOX = "inbox";
    private static final String BATCHED = "unprotected, JDBC batches";

    /** The base of each variant, which is the same work unprotected, in the order of a round. */
    private static final Map<String, String> BASES = new LinkedHashMap<>();

    static {
        BASES.put(UNPROTECTED, UNPROTECTED);
        BASES.put(INBOX, UNPROTECTED);
        BASES.put("inbox, all messages known", UNPROTECTED);
        BASES.put(BATCHED, BATCHED);
        BASES.put("inbox, JDBC batches", BATCHED);
    }

    private static final double BOUND = 0.7;

    /** The approximate number of messages handled per second, so that a turn takes about as long as requested. */
    private static final int MESSAGES_A_SECOND = 10_000;

    /**
     * A consumer is a single caller. With fewer batches, the result would depend on where the scheduler places the
     * server's process.
     */
    private static final int FEWEST_BATCHES = 30;

    private static final int FEWEST_FOR_AN_IMPRESSION = 3;

    @Override
    String measure(BenchmarkOptions chosen, Findings found) throws Exception {
        int fewest = chosen.quick() ? FEWEST_FOR_AN_IMPRESSION : FEWEST_BATCHES;
        int batches = Math.max(fewest, (int) (chosen.seconds() * MESSAGES_A_SECOND / InboxConsumers.BATCH));
        int messages = batches * InboxConsumers.BATCH;
        try (KafkaServer broker = KafkaServer.start();
                PostgresServer server = Machine.startServer();
                BenchmarkDatabase database = BenchmarkDatabase.open(server.createDatabase(), 2);
                InboxConsumers consumers = new InboxConsumers(broker, database)) {
            Map<String, List<Sample>> rates = new LinkedHashMap<>();
            BASES.keySet().forEach(name -> rates.put(name, new ArrayList<>()));
            // The first round is a warm-up.
            for (int round = 0; round <= chosen.rounds(); round++) {
                int first = round * 2 * messages;
                int batched = first + messages;
                List<Double> now = List.of(
                        consumers.unprotected(Work.MESSAGE_BY_MESSAGE, first, messages),
                        consumers.inbox(Work.MESSAGE_BY_MESSAGE, first, messages),
                        consumers.inbox(Work.MESSAGE_BY_MESSAGE, first, messages),
                        consumers.unprotected(Work.JDBC_BATCHES, batched, messages),
                        consumers.inbox(Work.JDBC_BATCHES, batched, messages));
                if (round > 0) {
                    Iterator<Double> next = now.iterator();
                    rates.values().forEach(samples -> samples.add(Sample.of(next.next())));
                }
            }
            report(new Measurements(rates), batches, found);
            return Machine.description(database);
        }
    }

    private static void report(Measurements measured, int batches, Findings found) {
        List<List<String>> rows = new ArrayList<>();
        BASES.forEach((name, base) -> {
            Quartiles ratio = measured.ratio(name, base);
            rows.add(List.of(name, measured.of(name, Sample::perSecond).text(0), ratio.text(2)));
            found.add("Inbox", name, "ratio", ratio);
        });
        found.tables()
                .add(new Table(
                        "Messages of one Kafka partition, batches of 500",
                        List.of("consumer", "messages/s", "ratio to the same unprotected"),
                        rows,
                        List.of(
                                "Each polls 500 messages, creates a group for each by three inserts, commits, and commits"
                                        + " the offset.",
                                "A handler of one message inserts by three statements; one of batches by three JDBC"
                                        + " batches.",
                                "Messages are in the log before a consumer starts. Its first batch is not counted.",
                                "A turn has " + batches + " batches."),
                        Worst.less(2)));
        found.atLeast(BOUND, INBOX + " / " + UNPROTECTED, measured.ratio(INBOX, UNPROTECTED));
    }
}
