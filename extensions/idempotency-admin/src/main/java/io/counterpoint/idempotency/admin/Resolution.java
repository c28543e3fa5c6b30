package io.counterpoint.idempotency.admin;

import java.util.Locale;
import java.util.UUID;

/**
 * What an operator states about an attempt with an external effect.
 *
 * @param id a random name of this resolution, for its audit
 * @param hash the whole hash of the key
 * @param operation the operation's name
 * @param verdict what the operator states
 * @param operator the operator
 * @param reason how the operator knows
 */
public record Resolution(UUID id, String hash, String operation, Verdict verdict, String operator, String reason) {

    /** What can be stated. */
    public enum Verdict {
        /** The effect exists. */
        SUCCEEDED,
        /** There is no effect, and there never will be. */
        FAILED,
        /** Nothing: the operation's lookup decides. */
        SETTLE;

        /**
         * Reads a word.
         *
         * @param word {@code succeeded}, {@code failed} or {@code settle}
         * @return the verdict
         * @throws RefusedException for another word
         */
        public static Verdict parse(String word) {
            return switch (word) {
                case "succeeded" -> SUCCEEDED;
                case "failed" -> FAILED;
                case "settle" -> SETTLE;
                default ->
                    throw new RefusedException(
                            "A resolution must be settle, succeeded or failed. Nothing was changed.");
            };
        }

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A resolution and its answer.
     *
     * @param resolution what was stated
     * @param outcome what retries get from now on: {@code Replayed} or {@code Rejected}; {@code InProgress} if a lookup
     *     cannot tell yet
     */
    public record Answered(Resolution resolution, String outcome) {
        /**
         * Whether retries get what was stated. They get something else where the attempt had ended before. An attempt
         * that was to be settled agrees once it has ended. A result that was stored before is kept and not compared with
         * the one that was stated.
         *
         * @return true if they do
         */
        public boolean agrees() {
            return switch (resolution.verdict()) {
                case SUCCEEDED -> outcome.equals("Replayed");
                case FAILED -> outcome.equals("Rejected");
                case SETTLE -> !outcome.equals("InProgress");
            };
        }
    }
}
