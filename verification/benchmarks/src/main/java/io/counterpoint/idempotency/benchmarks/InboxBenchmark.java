package io.counterpoint.idempotency.benchmarks;

import io.counterpoint.idempotency.benchmarks.InboxConsumers.Work;
import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.benchmarks.Section.Worst;
import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** An inbox over Kafka beside the same consumer unprotected: one partition, batches of 500, a group for each message. */
@Command(
        name = "inbox",
        mixinStandardHelpOptions = true,
        description = "an inbox over a real Kafka broker beside the same consumer unprotected")
final class InboxBenchmark extends Benchmark {

    private static final String UNPROTECTED = "unprotected";
    private static final String INBOX = "inbox";
    private static final String REDELIVERED = "inbox, all messages known";
    private static final String BATCHED = "unprotected, JDBC batches";
    private static final String BATCHED_INBOX = "inbox, JDBC batches";

    /** What each is compared with: the same work unprotected. */
    private static final Map<String, String> BASES =
            Map.of(INBOX, UNPROTECTED, REDELIVERED, UNPROTECTED, BATCHED_INBOX, BATCHED);

    private static final double BOUND = 0.7;

    /** About so many messages are handled in a second, so that a turn takes about as long as it was asked to. */
    private static final int MESSAGES_A_SECOND = 10_000;

    /** One consumer has one caller: in fewer batches the scheduler's place for the server's process decides. */
    private static final int FEWEST_BATCHES = 30;

    private static final int FEWEST_FOR_AN_IMPRESSION = 3;

    @Override
    Section measure(Options chosen) throws Exception {
        int fewest = chosen.quick() ? FEWEST_FOR_AN_IMPRESSION : FEWEST_BATCHES;
        int batches = Math.max(fewest, (int) (chosen.seconds() * MESSAGES_A_SECOND / InboxConsumers.BATCH));
        int messages = batches * InboxConsumers.BATCH;
        try (KafkaServer broker = KafkaServer.start();
                PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), 2);
                InboxConsumers consumers = new InboxConsumers(broker, database)) {
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            Map<String, List<Double>> ratios = new LinkedHashMap<>();
            for (int round = 0; round <= chosen.rounds(); round++) {
                Map<String, Double> now = new LinkedHashMap<>();
                int first = round * 2 * messages;
                int batched = first + messages;
                now.put(UNPROTECTED, consumers.unprotected(Work.MESSAGE_BY_MESSAGE, first, messages));
                now.put(INBOX, consumers.inbox(Work.MESSAGE_BY_MESSAGE, first, messages));
                now.put(REDELIVERED, consumers.inbox(Work.MESSAGE_BY_MESSAGE, first, messages));
                now.put(BATCHED, consumers.unprotected(Work.JDBC_BATCHES, batched, messages));
                now.put(BATCHED_INBOX, consumers.inbox(Work.JDBC_BATCHES, batched, messages));
                if (round > 0) {
                    now.forEach((name, rate) -> {
                        rates.computeIfAbsent(name, unused -> new ArrayList<>()).add(rate);
                        ratios.computeIfAbsent(name, unused -> new ArrayList<>())
                                .add(rate / now.getOrDefault(BASES.getOrDefault(name, name), Double.NaN));
                    });
                }
            }
            return section(chosen, batches, Machine.description(database), rates, ratios);
        }
    }

    private static Section section(
            Options chosen,
            int batches,
            String machine,
            Map<String, List<Double>> rates,
            Map<String, List<Double>> ratios) {
        List<List<String>> rows = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        rates.forEach((name, measured) -> {
            Quartiles ratio = Quartiles.of(ratios.getOrDefault(name, List.of()));
            rows.add(List.of(name, Quartiles.of(measured).text(0), ratio.text(2)));
            figures.add(new Figure("Inbox", name, "ratio", ratio, name.equals(INBOX) ? BOUND : 0));
        });
        Table table = new Table(
                "Messages of one Kafka partition, batches of 500",
                List.of("consumer", "messages/s", "ratio to the same unprotected"),
                rows,
                List.of(
                        "Each polls 500 messages, creates a group for each by three inserts, commits, and commits the offset.",
                        "A handler of one message inserts by three statements; one of batches by three JDBC batches.",
                        "Messages are in the log before a consumer starts. Its first batch is not counted.",
                        "A turn has " + batches + " batches."),
                Worst.less(2));
        Target target =
                Target.atLeast(BOUND, INBOX + " / " + UNPROTECTED, Quartiles.of(ratios.getOrDefault(INBOX, List.of())));
        return new Section(
                "Inbox", chosen.command("inbox"), Machine.now(), machine, List.of(target), List.of(table), figures);
    }
}
