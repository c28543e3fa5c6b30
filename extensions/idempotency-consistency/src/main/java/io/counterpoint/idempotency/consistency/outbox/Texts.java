package io.counterpoint.idempotency.consistency.outbox;

import org.jspecify.annotations.Nullable;

/** Functions for texts that every database can store. They are pure and never throw because of a text's content. */
final class Texts {

    /** Replaces a character that cannot be stored. */
    private static final char REPLACEMENT = '\ufffd';

    private Texts() {}

    /**
     * Finds the first NUL or unpaired surrogate in a text, which PostgreSQL cannot store.
     *
     * @return the index, or -1 if all of it can be stored
     */
    static int unstorable(CharSequence text) {
        return unstorable(text, 0);
    }

    private static int unstorable(CharSequence text, int from) {
        for (int i = from; i < text.length(); i++) {
            char character = text.charAt(i);
            if (Character.isHighSurrogate(character)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1))) {
                i++;
            } else if (character == 0 || Character.isSurrogate(character)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the storable form of a text: truncated to a number of characters, never within a surrogate pair, with
     * U+FFFD for each NUL and unpaired surrogate. Only what is kept is read.
     */
    static String storable(String text, int most) {
        int end = Math.min(text.length(), most);
        if (end < text.length() && end > 0 && Character.isHighSurrogate(text.charAt(end - 1))) {
            end--;
        }
        StringBuilder stored = new StringBuilder(text.substring(0, end));
        for (int i = unstorable(stored, 0); i >= 0; i = unstorable(stored, i + 1)) {
            stored.setCharAt(i, REPLACEMENT);
        }
        return stored.toString();
    }

    /** Returns the text of a throwable, storable and never empty: its class if it has no text or throws. */
    static String error(Throwable thrown, int most) {
        @Nullable String text;
        try {
            text = thrown.toString();
        } catch (Exception | StackOverflowError unprintable) {
            text = null;
        }
        return storable(
                text == null || text.trim().isEmpty() ? thrown.getClass().getName() : text, most);
    }
}
