package io.counterpoint.idempotency.jdbc;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A search in docs/troubleshooting.md for the words of a message finds its section: the index at the end of the page lists
 * them. After a change of messages, write it with {@code -Dmessages.write=true}.
 */
class MessageIndexTest {

    private static final Path ROOT = Path.of("..");
    private static final Path PAGE = ROOT.resolve("docs/troubleshooting.md");
    private static final String HEADING = "## Index of messages\n";

    /** Modules whose messages are on pages of their own, or are seen by tests only. */
    private static final Pattern ELSEWHERE =
            Pattern.compile(".*/idempotency-(consistency|admin|testkit|jdbc-testkit|trial)/.*");

    /** What makes a message: an exception, or a method that refuses. */
    private static final Pattern SITE = Pattern.compile(
            "\\bnew (?:\\w+\\.)?(\\w*(?:Exception|Refusal|Refused))\\(|\\b(Symptom\\.\\w+\\.of|RequiredRoutes\\.refusal)\\("
                    + "|\\b(?:\\w+\\.)?(refusal|refuse)\\(\\s*(?=method|checked|\")");

    /** Sections of messages whose section is not named where they are made. */
    private static final Map<String, String> SECTIONS = sections(
            "method-refused: InvalidIdempotentMethodException refusal refuse RefusedTypeException",
            "start-refused: IdempotencyStartException RequiredRoutes.refusal idempotency-spring/MisuseException"
                    + " idempotency-jakarta/MisuseException",
            "database-refused: MisuseException",
            "external-unknown: idempotency-core/MisuseException",
            "table-refused: Refusal",
            "called-inside: NestedCallException",
            "called-twice: AttemptAlreadyUsedException",
            "caller-unknown: UnknownCallerException",
            "key-incomplete: IncompleteKeyException UnstableTextException",
            "key-unused: UnusedKeyException",
            "refused-in-work: SeparateTransactionException",
            "attempt-failed: RollbackOnlyException UnexpectedRollbackException",
            "store-unavailable: StoreException UnknownScopeException ScopeMovingException",
            "outcome-unknown: BeforeCommitException",
            "result-unreadable: JsonResultException UnknownVersionException NotEncryptedException TamperedException"
                    + " UnknownKeyException");

    /** Exceptions that are on no list, by the reason for it. */
    private static final Map<String, String> UNLISTED = sections(
            "name the argument or the call, its bound and the remedy: IllegalArgumentException IllegalStateException"
                    + " InvalidKeyException InvalidRequestException InvalidBatchException UnsupportedOperationException",
            "name the refused call and the remedy: SQLException SQLFeatureNotSupportedException SQLClientInfoException",
            "have the words of their Reason: InProgressException KeyReusedException RejectedException"
                    + " NotStartedException UnstorableResultException UndecodableException OutcomeUnknownException",
            "are problems of HTTP, which http-clients.md lists: Refused MissingKeyException RefusedException",
            "are of the client, whose page is client.md: ClientKeysException CallMismatchException"
                    + " IdempotentCallException HttpTimeoutException",
            "are of the broker or the container: KafkaException HeldUpException UnsupportedEncodingException",
            "wrap another exception: PerhapsFollowedException UncheckedIOException IOException CompletionException Exception"
                    + " UndeclaredThrowableException AsyncCallRefusal");

    private static final Pattern PART = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|[(),+?:]");

    private record Message(String section, String words) {}

    @Test
    void pageListsTheWordsOfEveryMessageWithItsSection() throws IOException {
        String index = HEADING
                + "\nTo find a message, search this page for its words. … stands for names, keys and numbers.\n\n"
                + "| words of the message | section |\n|---|---|\n"
                + messages().map(MessageIndexTest::row).distinct().sorted().collect(joining());
        String page = Files.readString(PAGE);
        if (Boolean.getBoolean("messages.write")) {
            page = page.substring(0, page.contains(HEADING) ? page.indexOf(HEADING) : page.length())
                            .stripTrailing() + "\n\n" + index;
            Path unused = Files.writeString(PAGE, page);
        }

        assertThat(page).as("with its list of messages").endsWith(index);
        assertThat(index.lines()).hasSizeGreaterThan(100);
    }

    @Test
    void everyExceptionIsListedOrHasAReasonNotToBe() throws IOException {
        TreeSet<String> made = new TreeSet<>();
        for (String source : sources().values()) {
            SITE.matcher(source)
                    .results()
                    .map(site -> site.group(1))
                    .filter(Objects::nonNull)
                    .forEach(made::add);
        }
        made.removeAll(SECTIONS.keySet());
        made.removeAll(UNLISTED.keySet());

        assertThat(made).isEmpty();
    }

    private static String row(Message message) {
        return "| `%s` | [%s](#%2$s) |\n".formatted(message.words(), message.section());
    }

    private static Stream<Message> messages() throws IOException {
        Map<Path, String> sources = sources();
        Map<String, String> ofReason = new HashMap<>();
        Pattern.compile("case ([A-Z_, ]+) -> Symptom\\.(\\w+);")
                .matcher(String.join("\n", sources.values()))
                .results()
                .forEach(line -> Arrays.stream(line.group(1).split(", "))
                        .forEach(reason -> ofReason.put(reason, anchor(line.group(2)))));
        Stream<Message> reasons = Stream.of(Reason.values())
                .map(reason -> new Message(String.valueOf(ofReason.get(reason.name())), reason.what()));
        return Stream.concat(reasons, sources.entrySet().stream().flatMap(MessageIndexTest::messagesIn));
    }

    private static Stream<Message> messagesIn(Map.Entry<Path, String> file) {
        String module = file.getKey().toString().replaceFirst(".*?(idempotency-[^/]+)/.*", "$1/");
        return SITE.matcher(file.getValue())
                .results()
                .flatMap(site -> Stream.of(site.group(1), site.group(2), site.group(3))
                        .filter(Objects::nonNull)
                        .map(name -> name.startsWith("Symptom.")
                                ? anchor(name.split("\\.", -1)[1])
                                : SECTIONS.getOrDefault(module + name, SECTIONS.get(name)))
                        .filter(Objects::nonNull)
                        .flatMap(
                                section -> words(file.getValue().substring(site.end()))
                                        .map(words -> new Message(section, words))
                                        .stream()));
    }

    /** The first argument with text of four words or more, up to the end of its sentence, with … for values. */
    private static Optional<String> words(String arguments) {
        StringBuilder texts = new StringBuilder();
        int depth = 0;
        for (MatchResult part : (Iterable<MatchResult>) PART.matcher(arguments).results()::iterator) {
            depth += part.group().equals("(") ? 1 : part.group().equals(")") ? -1 : 0;
            if (depth < 0) {
                break;
            }
            boolean endsArgument = depth == 0 && part.group().equals(",");
            texts.append(part.group(1) != null ? part.group(1) : endsArgument ? "\n" : "…");
        }
        return texts.toString()
                .lines()
                .map(text -> text.replace("\\\"", "\"").replaceAll("…+", "…").replaceFirst("^[^\\w#@]+", ""))
                .map(text -> text.split("(?<=[\\w…])[.:;](?: |$)", -1)[0].replaceFirst("[^\\w)]+$", ""))
                .filter(text -> text.split(" ").length > 3)
                .findFirst();
    }

    private static Map<Path, String> sources() throws IOException {
        Map<Path, String> sources = new TreeMap<>();
        for (Path file : SourceTree.files(ROOT)) {
            String name = ROOT.relativize(file).toString();
            if (name.matches("(idempotency|extensions/idempotency)-.*/src/main/java/.*\\.java")
                    && !ELSEWHERE.matcher("/" + name).matches()) {
                sources.put(
                        file,
                        Files.readString(file)
                                .replaceAll("(?m)^\\s*(//|/?\\*).*$", "")
                                .replaceAll("(?<!\\\\)\"\\s*\\+\\s*\"", ""));
            }
        }
        return sources;
    }

    private static String anchor(String symptom) {
        return symptom.toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }

    private static Map<String, String> sections(String... lines) {
        Map<String, String> sections = new HashMap<>();
        for (String line : lines) {
            Arrays.stream(line.split(": ", -1)[1].split(" ", -1))
                    .forEach(name -> sections.put(name, line.split(": ", -1)[0]));
        }
        return sections;
    }
}
