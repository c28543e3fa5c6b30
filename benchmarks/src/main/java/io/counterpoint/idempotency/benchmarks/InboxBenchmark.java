package io.counterpoint.idempotency.benchmarks;

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

/** An inbox over Kafka beside the same consumer unprotected: one partition, batches of 500, one row for each message. */
@Command(
        name = "inbox",
        mixinStandardHelpOptions = true,
        description = "an inbox over a real Kafka broker beside the same consumer unprotected")
final class InboxBenchmark extends Benchmark {

    private static final String UNPROTECTED = "unprotected";
    private static final String INBOX = "inbox";
    private static final String REDELIVERED = "inbox, all messages known";

    private static final double BOUND = 0.7;

    /** About so many messages are handled in a second, so that a turn takes about as long as it was asked to. */
    private static final int MESSAGES_A_SECOND = 20_000;

    @Override
    Section measure(Options chosen) throws Exception {
        int messages =
                Math.max(3, (int) (chosen.seconds() * MESSAGES_A_SECOND / InboxConsumers.BATCH)) * InboxConsumers.BATCH;
        try (KafkaServer broker = KafkaServer.start();
                PostgresServer server = Machine.startServer();
                Database database = Database.open(server.createDatabase(), 2);
                InboxConsumers consumers = new InboxConsumers(broker, database)) {
            Map<String, List<Double>> rates = new LinkedHashMap<>();
            Map<String, List<Double>> ratios = new LinkedHashMap<>();
            for (int round = 0; round <= chosen.rounds(); round++) {
                Map<String, Double> now = new LinkedHashMap<>();
                int first = round * messages;
                now.put(UNPROTECTED, consumers.unprotected(first, messages));
                now.put(INBOX, consumers.inbox(first, messages));
                now.put(REDELIVERED, consumers.inbox(first, messages));
                if (round > 0) {
                    double base = now.getOrDefault(UNPROTECTED, Double.NaN);
                    now.forEach((name, rate) -> {
                        rates.computeIfAbsent(name, unused -> new ArrayList<>()).add(rate);
                        ratios.computeIfAbsent(name, unused -> new ArrayList<>())
                                .add(rate / base);
                    });
                }
            }
            return section(chosen, Machine.description(database), rates, ratios);
        }
    }

    private static Section section(
            Options chosen, String machine, Map<String, List<Double>> rates, Map<String, List<Double>> ratios) {
        List<List<String>> rows = new ArrayList<>();
        List<Figure> figures = new ArrayList<>();
        rates.forEach((name, measured) -> {
            Quartiles ratio = Quartiles.of(ratios.getOrDefault(name, List.of()));
            rows.add(List.of(name, Quartiles.of(measured).text(0), ratio.text(2)));
            figures.add(new Figure("Inbox", name, "ratio", ratio, name.equals(INBOX) ? BOUND : 0));
        });
        Table table = new Table(
                "Messages of one Kafka partition, batches of 500",
                List.of("consumer", "messages/s", "ratio to unprotected"),
                rows,
                List.of(
                        "Both poll 500 messages, insert a row for each by one JDBC batch, commit, and commit the offset.",
                        "Messages are in the log before a consumer starts. Its first batch is not counted."),
                Worst.less(2));
        Target target =
                Target.atLeast(BOUND, INBOX + " / " + UNPROTECTED, Quartiles.of(ratios.getOrDefault(INBOX, List.of())));
        return new Section(
                "Inbox", chosen.command("inbox"), Machine.now(), machine, List.of(target), List.of(table), figures);
    }
}
