package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.InvalidKeyException;
import io.counterpoint.idempotency.examples.groupcreation.CreateGroupRequest;
import io.counterpoint.idempotency.programs.CannotRun;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.commons.csv.CSVFormat;
import org.apache.commons.csv.CSVParser;
import org.apache.commons.csv.CSVRecord;

/**
 * A CSV file of requests: the header {@value #HEADER}, then one request per line, with members separated by semicolons.
 *
 * <p>Each line is parsed on its own, so an unclosed quotation mark affects only its own line. Malformed lines are kept
 * with their line numbers.
 */
record RequestFile(List<CreateGroupRequest> requests, List<Malformed> malformed) {

    static final String HEADER = "user,key,name,members";

    private static final int COLUMNS = 4;
    private static final int LONGEST_USER = 80;

    record Malformed(long line, String reason) {}

    int lines() {
        return requests.size() + malformed.size();
    }

    /** Reads a file, or the bundled sample. */
    static RequestFile read(Optional<Path> file) throws CannotRun {
        String name = file.map(Path::toString).orElse("the sample");
        try (InputStream in = file.isPresent() ? Files.newInputStream(file.get()) : sample()) {
            RequestFile read = read(in);
            if (read.requests.isEmpty()) {
                throw new CannotRun("No request in " + name + ": it needs the first line " + HEADER
                        + " and at least one well-formed line after it.");
            }
            return read;
        } catch (NoSuchFileException e) {
            throw new CannotRun("There is no file " + name + ".");
        } catch (IOException e) {
            throw new CannotRun("Cannot read " + name + ": " + CannotRun.rootMessage(e) + ".");
        }
    }

    /** Reads well-formed and malformed lines. If the first line is not the header, there are no requests. */
    static RequestFile read(InputStream in) throws IOException {
        RequestFile file = new RequestFile(new ArrayList<>(), new ArrayList<>());
        // Bytes that are not valid UTF-8 become U+FFFD, which requests must not contain.
        BufferedReader reader = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
        boolean isOurs = false;
        long number = 0;
        for (String line = reader.readLine(); line != null; line = reader.readLine()) {
            number++;
            if (number == 1) {
                isOurs = line.replace("\uFEFF", "").strip().equals(HEADER);
            } else if (!isOurs) {
                return file;
            } else if (!line.isBlank()) {
                file.add(number, line);
            }
        }
        return file;
    }

    private void add(long number, String line) {
        try {
            requests.add(parse(line));
        } catch (IllegalArgumentException e) {
            malformed.add(new Malformed(number, String.valueOf(e.getMessage())));
        }
    }

    private static CreateGroupRequest parse(String line) {
        CSVRecord columns = columns(line);
        if (columns.size() != COLUMNS) {
            throw new IllegalArgumentException(
                    columns.size() < COLUMNS ? "fewer than 4 columns" : "more than 4 columns");
        }
        String user = columns.get(0).strip();
        List<String> members = Arrays.stream(columns.get(3).split(";"))
                .map(String::strip)
                .filter(member -> !member.isEmpty() && !member.equals(user))
                .distinct()
                .toList();
        CreateGroupRequest request = new CreateGroupRequest(user, columns.get(1), columns.get(2), members);
        check(request);
        return request;
    }

    private static CSVRecord columns(String line) {
        if (line.chars().anyMatch(character -> Character.isISOControl(character) || character == '\uFFFD')) {
            throw new IllegalArgumentException("not printable UTF-8 text");
        }
        try (CSVParser parser = CSVParser.parse(line, CSVFormat.RFC4180)) {
            return parser.iterator().next();
        } catch (IOException | UncheckedIOException e) {
            throw new IllegalArgumentException("quotation marks do not match", e);
        }
    }

    private static void check(CreateGroupRequest request) {
        if (request.user().isEmpty()) {
            throw new IllegalArgumentException("no user");
        }
        if (request.key().isBlank()) {
            throw new IllegalArgumentException("no key");
        }
        if (request.name().isBlank()) {
            throw new IllegalArgumentException("no name");
        }
        if (request.user().length() > LONGEST_USER
                || request.members().stream().anyMatch(member -> member.length() > LONGEST_USER)) {
            throw new IllegalArgumentException("a user of more than " + LONGEST_USER + " characters");
        }
        try {
            Objects.requireNonNull(request.attempt());
        } catch (InvalidKeyException e) {
            throw new IllegalArgumentException("a user or key that the library refuses", e);
        }
    }

    /** Prints the requests as lines that another process can read. */
    static String print(List<CreateGroupRequest> requests) {
        return requests.stream()
                .map(request -> CSVFormat.RFC4180.format(
                        request.user(), request.key(), request.name(), String.join(";", request.members())))
                .collect(Collectors.joining("\n", HEADER + "\n", "\n"));
    }

    private static InputStream sample() {
        return Objects.requireNonNull(RequestFile.class.getResourceAsStream("sample-requests.csv"));
    }
}
