package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.peers.Client.Verdict;
import io.counterpoint.idempotency.programs.BarChart;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.GeneratedPart;
import io.counterpoint.idempotency.programs.Markdown;
import io.counterpoint.idempotency.programs.Program;
import io.counterpoint.idempotency.programs.ProgramOptions;
import io.counterpoint.idempotency.programs.TextTable;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Runs all libraries under all faults, and makes a table of what clients and the database observed. */
public final class Peers {

    private static final GeneratedPart PART = new GeneratedPart("<!-- what the libraries did -->", "<!-- end -->");

    /** The command line. */
    @Command(
            name = "peers",
            sortOptions = false,
            usageHelpAutoWidth = true,
            footer =
                    "Exit code: 0 this library was right for every key; 1 it was not, or the faults did no harm without a"
                            + " library; 2 the program could not run.")
    static final class Options extends ProgramOptions {

        @Option(
                names = "--keys",
                defaultValue = "100",
                paramLabel = "N",
                description = "Keys for each fault. Default: ${DEFAULT-VALUE}.")
        int keys;

        @Option(
                names = "--seed",
                defaultValue = "1",
                paramLabel = "N",
                description = "Where keys, requests and pauses begin. Default: ${DEFAULT-VALUE}.")
        long seed;

        @Option(
                names = "--only",
                split = ",",
                paramLabel = "PEER",
                description = "These libraries alone: ${COMPLETION-CANDIDATES}.")
        List<Peer> peers = List.of(Peer.values());

        @Option(
                names = "--into",
                paramLabel = "FILE",
                description = "A page whose table is replaced. The picture is written beside it.")
        Optional<Path> page = Optional.empty();

        static Options of(String... arguments) throws CannotRun {
            return parse(new Options(), arguments);
        }

        @Override
        protected void check(ParseResult given) throws CannotRun {
            between("--keys", 1, 10_000, keys);
        }
    }

    private final Options options;
    private final Map<Peer, String> numbers = new EnumMap<>(Peer.class);
    private final Map<Peer, Map<Fault, Map<Verdict, Integer>>> cells = new EnumMap<>(Peer.class);
    private boolean passed = true;

    private Peers(Options options) {
        this.options = options;
    }

    public static void main(String[] arguments) {
        Program program = new Program("peers", 2);
        program.exitAfter(
                () -> program.run(System.err, () -> {
                    Options options = Options.of(arguments);
                    if (options.asksForHelp()) {
                        System.out.println(options.usage());
                        return 0;
                    }
                    return new Peers(options).run();
                }),
                () -> {},
                Duration.ZERO);
    }

    private int run() throws IOException, InterruptedException {
        String part;
        try (PostgresServer server = PostgresServer.start("max_connections=500")) {
            for (Peer peer : options.peers) {
                run(peer, server.createDatabase());
            }
            part = new Markdown()
                    .paragraph("Seed " + options.seed + ", PostgreSQL " + server.version() + ", Java "
                            + Runtime.version().feature() + ", " + LocalDate.now(ZoneOffset.UTC) + ".")
                    .table(table())
                    .text();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        System.out.println(part);
        if (options.page.isPresent()) {
            PART.write(options.page.get(), part);
            Files.writeString(options.page.get().resolveSibling("peers.svg"), picture());
        }
        return passed ? 0 : 1;
    }

    private void run(Peer peer, String url) throws IOException, InterruptedException, SQLException {
        Map<Fault, List<Client>> clients = new EnumMap<>(Fault.class);
        Map<Fault, Map<Verdict, Integer>> column = new EnumMap<>(Fault.class);
        Map<String, List<String>> payments;
        try (Trial trial = new Trial(peer, url, options.seed)) {
            for (Fault fault : Fault.values()) {
                long since = System.nanoTime();
                clients.put(fault, trial.run(fault, options.keys));
                System.err.println(peer.title() + ", " + fault.title() + ": "
                        + Duration.ofNanos(System.nanoTime() - since).toMillis() + " ms");
            }
            // Read at the end, because late payments count too.
            payments = trial.payments();
            boolean allRight = true;
            for (Fault fault : Fault.values()) {
                Map<Verdict, Integer> verdicts = verdicts(clients.getOrDefault(fault, List.of()), payments);
                column.put(fault, verdicts);
                allRight &= verdicts.keySet().equals(Set.of(Verdict.RIGHT));
            }
            passed &= peer == Peer.THIS_LIBRARY ? allRight : peer != Peer.NOTHING || !allRight;
        }
        cells.put(peer, column);
        long knowing = clients.getOrDefault(Fault.LEADER_PAUSED, List.of()).stream()
                .filter(client -> client.knowsNumber(payments(client, payments)))
                .count();
        numbers.put(peer, knowing == options.keys ? "yes" : knowing == 0 ? "no" : knowing + " of " + options.keys);
    }

    private static List<String> payments(Client client, Map<String, List<String>> payments) {
        return payments.getOrDefault(client.key(), List.of());
    }

    private Map<Verdict, Integer> verdicts(List<Client> clients, Map<String, List<String>> payments) {
        Map<Verdict, Integer> verdicts = new EnumMap<>(Verdict.class);
        for (Client client : clients) {
            Verdict verdict = client.verdict(payments(client, payments));
            if (verdicts.merge(verdict, 1, Integer::sum) == 1 && verdict != Verdict.RIGHT) {
                System.err.println("  " + verdict.word() + ": " + client.lastAnswer());
            }
        }
        return verdicts;
    }

    private static String cell(Map<Verdict, Integer> verdicts) {
        return verdicts.entrySet().stream()
                .filter(entry -> entry.getKey() != Verdict.RIGHT)
                .map(entry -> entry.getValue() + " " + entry.getKey().word())
                .collect(Collectors.collectingAndThen(
                        Collectors.joining(", "), wrong -> wrong.isEmpty() ? "right" : "**" + wrong + "**"));
    }

    private TextTable table() {
        TextTable table = new TextTable();
        row(table, options.keys + " keys for each fault", Peer::title);
        for (Fault fault : Fault.values()) {
            row(
                    table,
                    fault.title(),
                    peer -> cell(cells.getOrDefault(peer, Map.of()).getOrDefault(fault, Map.of())));
        }
        row(table, "a retry gets the payment's number", peer -> numbers.getOrDefault(peer, ""));
        return table;
    }

    private void row(TextTable table, String first, Function<Peer, String> cell) {
        table.row(Stream.concat(Stream.of(first), cells.keySet().stream().map(cell))
                .toArray());
    }

    /** A bar for each library, with the verdicts on its keys over all faults. */
    private String picture() {
        BarChart chart = new BarChart(
                "What became of the keys of each library, over all faults",
                Stream.of(Verdict.values()).map(Verdict::kind).toList(),
                214,
                248,
                0);
        cells.forEach((peer, column) -> {
            Map<BarChart.Kind, Double> parts = new LinkedHashMap<>();
            for (Verdict verdict : Verdict.values()) {
                double keys = column.values().stream()
                        .mapToInt(cell -> cell.getOrDefault(verdict, 0))
                        .sum();
                parts.put(verdict.kind(), keys / (options.keys * Fault.values().length));
            }
            chart.bar(peer.title(), parts);
        });
        return chart.drawing();
    }
}
