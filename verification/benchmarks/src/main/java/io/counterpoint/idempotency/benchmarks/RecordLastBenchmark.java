package io.counterpoint.idempotency.benchmarks;

import static io.counterpoint.idempotency.benchmarks.LeaderBenchmark.RANKED_BY;
import static io.counterpoint.idempotency.benchmarks.Variants.RECORD_LAST;
import static io.counterpoint.idempotency.benchmarks.Variants.SPRING;
import static io.counterpoint.idempotency.benchmarks.Variants.UNPROTECTED;

import io.counterpoint.idempotency.benchmarks.Section.Figure;
import io.counterpoint.idempotency.benchmarks.Section.Table;
import io.counterpoint.idempotency.benchmarks.Section.Target;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.Command;

/**
 * Record last beside its own statements, in long turns of few variants: the two differ by less than short turns of one
 * variant do from each other.
 */
@Command(
        name = "record-last",
        mixinStandardHelpOptions = true,
        description =
                "record last beside the unprotected transaction, its own statements and Spring Integration's store")
final class RecordLastBenchmark extends Benchmark {

    private static final Set<String> COMPARED = Set.of(UNPROTECTED, RECORD_LAST, Variants.bare(RECORD_LAST), SPRING);

    private static final int ROUNDS = 15;
    private static final double SECONDS = 1;

    @Override
    Section measure(Options chosen) throws Exception {
        int rounds = chosen.quick() ? chosen.rounds() : Math.max(ROUNDS, chosen.rounds());
        double seconds = chosen.quick() ? chosen.seconds() : Math.max(SECONDS, chosen.seconds());
        int connections = Database.connectionsFor(RANKED_BY);
        String title = "Leading with the record last, " + RANKED_BY + " callers, pool of " + connections;
        try (PostgresServer server = Machine.startServer()) {
            Map<String, Double> roundTrips =
                    RoundTrips.count(server.createDatabase(), RecordLastBenchmark::compared, variant -> Keys::fresh);
            try (Database database = Database.open(server.createDatabase(), connections);
                    Variants variants = new Variants(database)) {
                List<Variant> all = compared(variants);
                Measurements measured = new Rounds(title, RANKED_BY, rounds, seconds, Meters.of(database)).lead(all);
                Comparison comparison = new Comparison(title, UNPROTECTED, all, measured, roundTrips);
                Table table = comparison.table();
                List<Target> targets = List.of(
                        comparison.atLeast(0.85, RECORD_LAST, UNPROTECTED),
                        comparison.atLeast(0.95, RECORD_LAST, Variants.bare(RECORD_LAST)),
                        comparison.atLeast(1, RECORD_LAST, SPRING));
                List<Figure> figures = comparison.figures(Map.of(RECORD_LAST, 0.85));
                return new Section(
                        "Record last",
                        chosen.command("record-last"),
                        Machine.now(),
                        Machine.description(database),
                        targets,
                        List.of(table),
                        figures);
            }
        }
    }

    private static List<Variant> compared(Variants variants) {
        return variants.leaders().stream()
                .filter(variant -> COMPARED.contains(variant.name()))
                .toList();
    }
}
