package io.counterpoint.idempotency.examples.groupcreation.breaker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Generates the bundled sample, always the same one: the requests that a server sees when clients retry and duplicate.
 *
 * <p>The main method writes the sample to the file in its argument.
 */
final class SampleRequests {

    static final int LINES = 1_000;

    private static final List<String> TOPICS = List.of(
            "Chess",
            "Running",
            "Book club",
            "Sunday hikes",
            "Flat 12",
            "Équipe vélo",
            "聊天群",
            "Choir \"Cantabile\"",
            "Board games, Tuesdays",
            "Lunch");
    private static final List<String> USERS =
            IntStream.rangeClosed(1, 60).mapToObj(number -> "user" + number).toList();

    /** The algorithm of Random is specified, so the same seed gives the same sample on every Java version. */
    private final Random random = new Random(2026);

    private final List<String> lines = new ArrayList<>();

    /** Lines that a client will send again, each once the sample has reached the given length. */
    private final List<Later> later = new ArrayList<>();

    private record Later(int at, String line) {}

    private record Request(String user, String key, String name, List<String> members) {
        Request renamed(String other) {
            return new Request(user, key, other, members);
        }

        String line() {
            return Arrays.asList(user, key, name, String.join(";", members)).stream()
                    .map(SampleRequests::quotedIfNeeded)
                    .collect(Collectors.joining(","));
        }
    }

    public static void main(String[] args) throws IOException {
        Files.writeString(Path.of(args[0]), text());
    }

    static String text() {
        return new SampleRequests().make();
    }

    private String make() {
        while (lines.size() < LINES) {
            later.stream()
                    .filter(due -> due.at() <= lines.size())
                    .findFirst()
                    .ifPresentOrElse(this::sendAgain, this::next);
        }
        return lines.stream().limit(LINES).collect(Collectors.joining("\n", RequestFile.HEADER + "\n", "\n"));
    }

    private void sendAgain(Later due) {
        later.remove(due);
        lines.add(due.line());
    }

    private void next() {
        Request request = fresh();
        int chance = random.nextInt(100);
        if (chance < 6) {
            lines.add(malformed(request));
        } else if (chance < 12) {
            rejected(request);
        } else if (chance < 18) {
            keyReused(request);
        } else if (chance < 30) {
            duplicates(request);
        } else if (chance < 48) {
            retries(request);
        } else {
            lines.add(request.line());
        }
    }

    private Request fresh() {
        String user = pick(USERS);
        List<String> members = random.ints(random.nextInt(4), 0, USERS.size())
                .mapToObj(USERS::get)
                .distinct()
                .toList();
        String key = new UUID(random.nextLong(), random.nextLong()).toString();
        return new Request(user, key, pick(TOPICS) + " " + (1 + random.nextInt(99)), members);
    }

    /** The client times out, once or twice, and retries. */
    private void retries(Request request) {
        lines.add(request.line());
        for (int retry = random.nextInt(2); retry >= 0; retry--) {
            later.add(new Later(lines.size() + 5 + random.nextInt(120), request.line()));
        }
    }

    /** A proxy or a double click sends the same request several times at once. */
    private void duplicates(Request request) {
        for (int copy = 1 + random.nextInt(3); copy >= 0; copy--) {
            lines.add(request.line());
        }
    }

    /** A client with a bug uses its key for two different requests. */
    private void keyReused(Request request) {
        lines.add(request.line());
        String other = request.renamed(request.name() + " (new)").line();
        later.add(new Later(lines.size() + (random.nextBoolean() ? 0 : 40), other));
    }

    /** The domain refuses the name; most clients retry anyway. */
    private void rejected(Request request) {
        String name = random.nextBoolean()
                ? pick(List.of("admin", "Support", "SYSTEM"))
                : "Very long ".repeat(9).strip();
        lines.add(request.renamed(name).line());
        if (random.nextInt(3) > 0) {
            later.add(new Later(
                    lines.size() + random.nextInt(50), request.renamed(name).line()));
        }
    }

    private String malformed(Request request) {
        String members = String.join(";", request.members());
        return switch (random.nextInt(7)) {
            case 0 -> String.join(",", request.user(), "", "Chess", members);
            case 1 -> String.join(",", request.user(), request.key().replace('-', ' '), "Chess", members);
            case 2 -> String.join(",", request.user(), request.key(), "Board games, Tuesdays", members);
            case 3 -> String.join(",", request.user(), request.key());
            case 4 -> String.join(",", request.user(), request.key(), "\"Chess", members);
            case 5 -> String.join(",", "", request.key(), "Chess", members);
            default -> String.join(",", request.user(), request.key(), "", members);
        };
    }

    private <T> T pick(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    private static String quotedIfNeeded(String cell) {
        return cell.contains(",") || cell.contains("\"") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }
}
