package io.counterpoint.idempotency.jdbc.guard;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Detects statements in SQL text that end a transaction. Reports only certain cases. If engines interpret a text
 * differently, it stops, and the check of the transaction's end decides.
 */
final class StatementText {

    private static final int UNSURE = -1;
    private static final int MOST_WORDS = 3;

    private static final Set<String> ENDS = Set.of(
            "COMMIT",
            "ROLLBACK",
            "ABORT",
            "END",
            "PREPARE TRANSACTION",
            "SET AUTOCOMMIT TRUE",
            "SET AUTOCOMMIT ON",
            "SET AUTOCOMMIT 1");

    private static final Set<String> ENDS_NOTHING = Set.of(
            "COMMIT PREPARED", "ROLLBACK PREPARED", "ROLLBACK TO", "ROLLBACK WORK TO", "ROLLBACK TRANSACTION TO");

    /** Statements that may contain others, up to an {@code END}. */
    private static final Set<String> COMPOUND = Set.of("CREATE", "ALTER", "BEGIN", "DECLARE", "DO");

    private static final Set<String> BEGINS_TRANSACTION = Set.of("BEGIN", "BEGIN WORK", "BEGIN TRANSACTION");

    private final String sql;
    private final Set<String> commits;
    private final Set<String> tableChoices;

    private StatementText(String sql, Set<String> commits, Set<String> tableChoices) {
        this.sql = sql;
        this.commits = commits;
        this.tableChoices = tableChoices;
    }

    /**
     * Finds a statement that ends the transaction.
     *
     * @param commits the first words of additional statements that commit
     * @param tableChoices the first words of other statements to find
     * @return its first words
     */
    static Optional<String> endIn(String sql, Set<String> commits, Set<String> tableChoices) {
        return new StatementText(sql, commits, tableChoices).end();
    }

    private Optional<String> end() {
        for (int at = 0; at != UNSURE; at = next(at)) {
            List<String> words = words(at);
            Optional<String> ending = ending(words);
            if (ending.isPresent() || isCompound(words)) {
                return ending;
            }
        }
        return Optional.empty();
    }

    /** {@code BEGIN} may begin a block, unless it consists only of words that begin a transaction. */
    private static boolean isCompound(List<String> words) {
        return !words.isEmpty()
                && COMPOUND.contains(words.get(0))
                && !BEGINS_TRANSACTION.contains(String.join(" ", words));
    }

    /** The first words that end the transaction, unless the following words show that they do not. */
    private Optional<String> ending(List<String> words) {
        for (int count = words.size(); count > 0; count--) {
            String phrase = String.join(" ", words.subList(0, count));
            if (ENDS_NOTHING.contains(phrase)) {
                return Optional.empty();
            }
            if (ENDS.contains(phrase) || commits.contains(phrase) || tableChoices.contains(phrase)) {
                return Optional.of(phrase);
            }
        }
        return Optional.empty();
    }

    /** The first words of a statement, in upper case. */
    private List<String> words(int from) {
        List<String> words = new ArrayList<>();
        for (int at = skipBlank(from); at != UNSURE && words.size() < MOST_WORDS; at = skipBlank(at)) {
            int end = wordEnd(at);
            if (end == at) {
                break;
            }
            words.add(upper(at, end));
            at = end;
        }
        return words;
    }

    /** Where the next statement begins. */
    private int next(int from) {
        int at = sql.indexOf(';', from) < 0 ? UNSURE : from;
        while (at != UNSURE && at < sql.length()) {
            char c = sql.charAt(at);
            if (c == ';') {
                return at + 1;
            }
            if (c == '$' || c == '#' || c == '\\') {
                return UNSURE;
            }
            int blank = skipBlank(at);
            at = c == '\'' || c == '"' || c == '`' ? closed(at) : blank == at ? at + 1 : blank;
        }
        return UNSURE;
    }

    /** The position after a quoted text. Whether a backslash escapes depends on a server setting. */
    private int closed(int open) {
        int end = sql.indexOf(sql.charAt(open), open + 1);
        int backslash = sql.indexOf('\\', open);
        return end < 0 || (backslash >= 0 && backslash < end) ? UNSURE : end + 1;
    }

    /** The position after blanks, comments and equals signs. Only some engines nest comments. */
    private int skipBlank(int from) {
        int at = from;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            if (c <= ' ' || c == '=') {
                at++;
            } else if (sql.startsWith("-- ", at)) {
                int line = sql.indexOf('\n', at);
                at = line < 0 ? sql.length() : line;
            } else if (sql.startsWith("/*", at)) {
                int end = sql.indexOf("*/", at + 2);
                int inner = sql.indexOf("/*", at + 2);
                if (end < 0 || (inner >= 0 && inner < end) || sql.startsWith("!", at + 2)) {
                    return UNSURE;
                }
                at = end + 2;
            } else {
                return sql.startsWith("--", at) ? UNSURE : at;
            }
        }
        return at;
    }

    private int wordEnd(int from) {
        int at = from;
        while (at < sql.length() && isOfWord(sql.charAt(at))) {
            at++;
        }
        return at;
    }

    /** The name of a setting may be quoted. */
    private static boolean isOfWord(char c) {
        return c == '"' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }

    private String upper(int from, int to) {
        StringBuilder word = new StringBuilder();
        for (int at = from; at < to; at++) {
            char c = sql.charAt(at);
            word.append(c >= 'a' && c <= 'z' ? (char) (c - 'a' + 'A') : c);
        }
        return word.toString().replace("\"", "");
    }
}
