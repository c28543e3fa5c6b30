package io.counterpoint.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.SourceTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Pages, Javadoc, comments and texts use the field's words, in sentences that a reader takes in at once. */
class ProseTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    private static final int LONGEST_SENTENCE = 40;

    /** Each has a standard term: lookup, timeout, rollback, takeover, failover, coalesced, mutex, in one round trip. */
    private static final Pattern PRIVATE_WORDS = Pattern.compile(
            "(?i)\\b(look-ups?|time-outs?|roll-backs?|take-overs?|fail-overs?|re-runs?|in company|crowds?|lines? up"
                    + "|stands? in line|travels?|whoever|those who|(is|are|was|were|be|been|being) told"
                    + "|signs? of life|use-case style|response style|met keys?|keys that were met)\\b");

    private static final Pattern JAVA =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\"");
    private static final Pattern SQL = Pattern.compile("--[^\\n]*");

    /** Its texts are the words that are forbidden here. */
    private static final List<String> EXEMPT = List.of("ProseTest.java");

    private record Text(String place, String text, boolean isProse) {}

    private static final List<Text> TEXTS = new ArrayList<>();

    @BeforeAll
    static void read() throws IOException {
        for (Path file : SourceTree.files(ROOT)) {
            if (!isOurs(file)) {
                continue;
            }
            String name = ROOT.relativize(file).toString();
            String text = Files.readString(file);
            if (name.endsWith(".md")) {
                addPage(name, text);
            } else {
                addTexts(name, text, name.endsWith(".java") ? JAVA : SQL);
            }
        }
    }

    private static boolean isOurs(Path file) {
        String name = ROOT.relativize(file).toString();
        return (name.endsWith(".md") || name.endsWith(".java") || name.endsWith(".sql"))
                && EXEMPT.stream().noneMatch(name::endsWith);
    }

    private static void addPage(String name, String page) {
        String prose = page.replaceAll("(?s)```.*?```", "\n\n").replaceAll("(?s)<!--.*?-->", "\n\n");
        for (String block : prose.split("\\n\\s*\\n|\\n(?=\\s*([-*|>#]|\\d+\\.) ?)|\\|", -1)) {
            TEXTS.add(new Text(name, block.replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1"), true));
        }
    }

    private static void addTexts(String name, String source, Pattern pattern) {
        Matcher found = pattern.matcher(source);
        while (found.find()) {
            String text = found.group();
            int line = 1 + (int) source.substring(0, found.start()).lines().count();
            boolean isProse = !text.startsWith("\"");
            String flat = text.replaceAll("(?s)<pre>.*?</pre>|</?[uo]l>|<li>", ". ")
                    .replaceAll("\\n\\s*(\\*|--)?", " ")
                    .replaceAll("<p>|@param \\S+|@return|@throws \\S+", ". ");
            TEXTS.add(new Text(name + ":" + line, flat, isProse));
        }
    }

    @Test
    void privateWordsAreNowhere() {
        List<String> found = new ArrayList<>();
        for (Text text : TEXTS) {
            for (Matcher word = PRIVATE_WORDS.matcher(text.text()); word.find(); ) {
                found.add(text.place() + ": " + word.group());
            }
        }
        assertThat(found).isEmpty();
        assertThat(TEXTS).hasSizeGreaterThan(5_000);
    }

    @Test
    void sentencesHaveFortyWordsAtMost() {
        List<String> tooLong = new ArrayList<>();
        for (Text text : TEXTS) {
            for (String sentence : text.isProse() ? text.text().split("(?<=[.!?:;])\\s", -1) : new String[0]) {
                if (sentence.strip().split("\\s+", -1).length > LONGEST_SENTENCE) {
                    tooLong.add(text.place() + ": " + sentence);
                }
            }
        }
        assertThat(tooLong).isEmpty();
    }
}
