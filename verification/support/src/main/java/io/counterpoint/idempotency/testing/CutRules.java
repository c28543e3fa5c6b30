package io.counterpoint.idempotency.testing;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The cuts that a test has armed and that have not been triggered; each is handed out once. */
final class CutRules {

    private static final String LAST_BLOCK = "begin not atomic release savepoint";

    private final List<Rule> rules = new ArrayList<>();
    private boolean commitAnswerIsTaken;
    private boolean messagesAreCounted;
    private int messagesLeft;

    synchronized void arm(Predicate<String> sql, Cut cut) {
        rules.add(new Rule(sql, cut));
    }

    synchronized void armForCommitAnswer() {
        commitAnswerIsTaken = true;
    }

    synchronized void armAfter(int messages) {
        messagesAreCounted = true;
        messagesLeft = messages;
    }

    synchronized void forgetAll() {
        rules.clear();
        commitAnswerIsTaken = false;
        messagesAreCounted = false;
    }

    /**
     * Returns the cut for a statement that a client executes, or null.
     *
     * @param followed whether more is sent together with it; a COMMIT then is not the kind that tests are about
     */
    synchronized @Nullable Cut takeFor(String sql, boolean followed) {
        if (followed && isCommit(sql)) {
            return null;
        }
        for (Iterator<Rule> candidates = rules.iterator(); candidates.hasNext(); ) {
            Rule rule = candidates.next();
            if (rule.sql.test(sql)) {
                candidates.remove();
                return rule.cut;
            }
        }
        return null;
    }

    /** Whether a message from a server is the reply to a COMMIT that is to be lost. */
    synchronized boolean takesAnswer(WireMessage message) {
        boolean takes = commitAnswerIsTaken
                && message.type() == WireMessage.COMMAND_COMPLETE
                && message.text(0).equals("COMMIT");
        commitAnswerIsTaken &= !takes;
        return takes;
    }

    /** Whether a message from either side is the first one that must not pass. */
    synchronized boolean isMessageTooMany() {
        if (!messagesAreCounted) {
            return false;
        }
        messagesLeft--;
        messagesAreCounted = messagesLeft >= 0;
        return !messagesAreCounted;
    }

    /** On its own, or in MariaDB's block that ends a transaction. */
    static boolean isCommit(String sql) {
        String text = sql.strip().toLowerCase(Locale.ROOT);
        return text.startsWith("commit") || text.startsWith(LAST_BLOCK);
    }

    private record Rule(Predicate<String> sql, Cut cut) {}
}
