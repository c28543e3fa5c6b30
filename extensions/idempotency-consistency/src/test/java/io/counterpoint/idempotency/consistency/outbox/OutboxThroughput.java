package io.counterpoint.idempotency.consistency.outbox;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Measures the time of an event from claim to mark, one publisher, while others wait: beside an almost empty table, and with
 * the statistics of each table brought up to date. Rounds of the shapes take turns.
 */
final class OutboxThroughput {

    private static final String TOPIC = "search";

    /** What waits, as the events' keys in SQL, and how many of them. One event of a key is in delivery at a time. */
    private enum Shape {
        FEW("100 keys", "'k' || x", 100),
        MANY("100,000 keys", "'k' || x", 100_000),
        PARKED("100 keys, 20,000 behind a parked event", "CASE WHEN x > 20001 THEN 'k' || x ELSE 'parked' END", 20_101),
        FEW_OF_ONE_KEY("one key, 100 events", "'k'", 100),
        MANY_OF_ONE_KEY("one key, 10,000 events", "'k'", 10_000);

        private final String text;
        private final String keys;
        private final int events;

        Shape(String text, String keys, int events) {
            this.text = text;
            this.keys = keys;
            this.events = events;
        }
    }

    private final TestDatabase database;
    private final Outbox outbox = Outbox.create();
    private final OutboxPublisher publisher;

    private OutboxThroughput(TestDatabase database) {
        this.database = database;
        publisher = OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, event -> {})
                .build();
    }

    /** Arguments: how many rounds. */
    public static void main(String[] args) {
        int rounds = args.length > 0 ? Integer.parseInt(args[0]) : 5;
        System.out.println("milliseconds for each event, median (lowest to highest) of " + rounds + " rounds");
        for (Kind kind : Kind.values()) {
            Map<Shape, List<Double>> measured = new EnumMap<>(Shape.class);
            Arrays.stream(Shape.values()).forEach(shape -> measured.put(shape, new ArrayList<>()));
            for (int round = -1; round < rounds; round++) {
                for (Shape shape : Shape.values()) {
                    try (TestDatabase database = TestDatabase.create(kind)) {
                        double milliseconds = new OutboxThroughput(database).measure(shape);
                        if (round >= 0) {
                            measured.get(shape).add(milliseconds);
                        }
                    }
                }
            }
            for (Shape shape : Shape.values()) {
                double[] sorted = measured.get(shape).stream()
                        .mapToDouble(Double::doubleValue)
                        .sorted()
                        .toArray();
                System.out.printf(
                        Locale.ROOT,
                        "%-10s %-40s %.2f (%.2f to %.2f)%n",
                        kind,
                        shape.text,
                        sorted[sorted.length / 2],
                        sorted[0],
                        sorted[sorted.length - 1]);
            }
        }
    }

    private double measure(Shape shape) {
        database.jdbi().useHandle(outbox::createTableIfMissing);
        database.appendEvents(TOPIC, 1, shape.events, shape.keys);
        if (shape == Shape.PARKED) {
            database.execute("UPDATE outbox_event SET parked_at = appended_at, due_at = NULL WHERE order_key = 'parked'"
                    + " AND payload = '1'");
        }
        database.analyze("outbox_event");
        // Once, those that wait are put behind another.
        int events = 60;
        int before =
                publisher.publishOnce().published() + publisher.publishOnce().published();
        if (before == 0) {
            throw new IllegalStateException("Nothing was published.");
        }
        database.awaitPurge();
        long begun = System.nanoTime();
        for (int published = 0; published < events; ) {
            published += publisher.publishOnce().published();
        }
        return (System.nanoTime() - begun) / 1e6 / events;
    }
}
