package io.counterpoint.idempotency.admin;

import java.util.Locale;
import java.util.UUID;

/**
 * An operator's statement about an attempt with an external effect.
 *
 * @param id a random identifier of this resolution, for the audit trail
 * @param hash the complete hash of the key
 * @param operation the operation's name
 * @param verdict the operator's verdict
 * @param operator the operator's name
 * @param reason how the operator knows
 */
public record Resolution(UUID id, String hash, String operation, Verdict verdict, String operator, String reason) {

    /** What an operator can state. */
    public enum Verdict {
        /** The effect exists. */
        SUCCEEDED,
        /** There is and will be no effect. */
        FAILED,
        /** Nothing: the operation's lookup decides. */
        SETTLE;

        /**
         * Parses a verdict.
         *
         * @param word {@code succeeded}, {@code failed} or {@code settle}
         * @return the verdict
         * @throws RefusedException for any other word
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
     * A resolution and its outcome.
     *
     * @param resolution the resolution
     * @param outcome what retries get from now on: {@code Replayed} or {@code Rejected}; {@code InProgress} if a lookup
     *     does not know yet
     */
    public record Answered(Resolution resolution, String outcome) {
        /**
         * Returns whether retries get the stated outcome. They get a different one if the attempt had already ended.
         * For {@code SETTLE}, this is true once the attempt has ended. A previously stored result is kept and not
         * compared with the stated one.
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
