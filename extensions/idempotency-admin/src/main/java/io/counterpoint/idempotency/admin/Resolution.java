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
 * @param operator who states it
 * @param reason how they know
 */
public record Resolution(UUID id, String hash, String operation, Verdict verdict, String operator, String reason) {

    /** What can be stated. */
    public enum Verdict {
        /** The effect is there. */
        SUCCEEDED,
        /** There is no effect, and there never will be. */
        FAILED;

        /**
         * Reads a word.
         *
         * @param word {@code succeeded} or {@code failed}
         * @return the verdict
         * @throws AdministrationException.RefusedException for another word
         */
        public static Verdict parse(String word) {
            return switch (word) {
                case "succeeded" -> SUCCEEDED;
                case "failed" -> FAILED;
                default ->
                    throw new AdministrationException.RefusedException(
                            "An attempt is resolved as succeeded or failed, found another word.");
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
     * @param outcome what retries get from now on: {@code Replayed} or {@code Rejected}
     */
    public record Answered(Resolution resolution, String outcome) {
        /**
         * Whether retries get what was stated. They get something else where the attempt had ended before.
         *
         * @return true if they do
         */
        public boolean agrees() {
            return outcome.equals(resolution.verdict() == Verdict.SUCCEEDED ? "Replayed" : "Rejected");
        }
    }
}
