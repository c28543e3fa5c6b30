package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.examples.groupcreation.breaker.Answer.Kind;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Clients.Sent;
import io.counterpoint.idempotency.examples.groupcreation.breaker.RequestFile.Malformed;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.TextTable;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints the program's report. */
final class BreakerReport {

    private static final int MOST_LINE_NUMBERS = 8;
    private static final String HEALED = "the leader left no answer; a lookup found its group";

    private final PrintStream out;
    private final BreakerOptions options;
    private final RequestFile file;

    BreakerReport(PrintStream out, BreakerOptions options, RequestFile file) {
        this.out = out;
        this.options = options;
        this.file = file;
    }

    void start() {
        out.printf(
                Locale.ROOT,
                "%,d requests from %s, %d clients, %s, %s%n",
                file.lines(),
                options.requests.map(String::valueOf).orElse("the sample"),
                options.clients,
                options.unprotected ? "without the library" : "protocol " + options.protocolOrDefault(),
                options.jdbcUrl.map(DatabaseAddress::productOf).orElse("H2 in a temporary folder"));
    }

    /** Prints what killed leaders left behind, and how their keys ended. */
    void killed(List<Crash.Killed> killed) {
        TextTable table = new TextTable()
                .row("leaders killed", "records left", "groups left", "answers to retries", "groups then");
        for (Crash.Killed one : killed) {
            table.row(
                    one.moment().describe(options.protocolOrDefault()),
                    counted(one.records().stream()),
                    one.groupsLeft(),
                    counted(one.retries().stream().map(sent -> described(sent.answer()))),
                    one.groupsThen());
        }
        out.println();
        table.print(out);
        out.println();
    }

    /** Prints the responses to the requests in the file. */
    void answers(List<Sent> sent, Verification verification) {
        TextTable table = new TextTable().row("requests", file.lines());
        for (Kind kind : Kind.values()) {
            List<Answer> answers = sent.stream()
                    .map(Sent::answer)
                    .filter(answer -> answer.kind() == kind)
                    .toList();
            if (kind != Kind.UNKNOWN || !answers.isEmpty()) {
                String reasons = counted(answers.stream().map(Answer::reason).filter(reason -> !reason.isEmpty()));
                table.row("  " + kind, answers.size(), kind == Kind.HEALED ? HEALED : reasons);
            }
        }
        int unsent = file.requests().size() - sent.size();
        if (unsent > 0) {
            table.row("  not sent", unsent, "stopped before");
        }
        table.row("  malformed", file.malformed().size());
        file.malformed().stream()
                .collect(Collectors.groupingBy(Malformed::reason, TreeMap::new, Collectors.toList()))
                .forEach((reason, lines) -> table.row("    " + reason, lines.size(), lineNumbers(lines)));
        table.row(
                "client retries",
                sent.stream().mapToInt(Sent::askedAgain).sum(),
                "while another request with the key was running");
        table.row("keys", verification.keys());
        table.row("  successful", verification.successful());
        table.row("  failed", verification.failed());
        table.row("  still in progress", verification.open());
        out.println();
        table.print(out);
    }

    /** Prints what the database should contain, and what it does contain. */
    void database(Verification verification) {
        out.println();
        new TextTable()
                .row("in the database", "one per key", "found")
                .row("groups", verification.successful(), verification.groups())
                .row("conversations", verification.successful(), verification.conversations())
                .row("outbox events", verification.successful(), verification.events())
                .row("keys with different answers", 0, verification.contradictions())
                .print(out);
    }

    /** Prints what happened to the events between the outbox and the members. */
    void delivery(Verification verification, Delivered delivered) {
        out.println();
        new TextTable()
                .row("events written", verification.events())
                .row("events published", verification.published())
                .row("events parked", delivered.parked(), "given up after too many tries; an operator decides")
                .row("messages to members", delivered.messages(), "by the hub, which holds their connections")
                .row(
                        "  delivered",
                        delivered.messages() - delivered.lost() - delivered.failures(),
                        delivered.repeated() + " of them again, and ignored by the event's id")
                .row("  lost by the hub", delivered.lost(), "on purpose")
                .row("  hub failed", delivered.failures(), "on purpose: the outbox publishes the event again")
                .row("members", delivered.members())
                .row("  groups they are in", delivered.memberships())
                .row("  known from messages", delivered.known())
                .row("  read in the tables", delivered.read())
                .print(out);
    }

    void verdict(Verification verification, Delivered delivered) {
        out.println();
        out.println(delivered.verdict());
        out.println(verification.verdict());
        if (options.unprotected && !verification.passed()) {
            out.println("This is what happens without the library, and why the exit code is 1.");
        }
    }

    private static String described(Answer answer) {
        return answer.kind() + (answer.reason().isEmpty() ? "" : ": " + answer.reason());
    }

    /** For example {@code 3 x Pending}. */
    private static String counted(Stream<String> values) {
        return values
                .collect(Collectors.groupingBy(value -> value, TreeMap::new, Collectors.counting()))
                .entrySet()
                .stream()
                .map(entry -> entry.getValue() + " x " + entry.getKey())
                .collect(Collectors.joining(", "));
    }

    private static String lineNumbers(List<Malformed> malformed) {
        int more = malformed.size() - MOST_LINE_NUMBERS;
        return malformed.stream()
                .limit(MOST_LINE_NUMBERS)
                .map(one -> String.valueOf(one.line()))
                .collect(Collectors.joining(
                        ", ", malformed.size() == 1 ? "line " : "lines ", more > 0 ? " and " + more + " more" : ""));
    }
}
