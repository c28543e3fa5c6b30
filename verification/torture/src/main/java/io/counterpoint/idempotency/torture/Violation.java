package io.counterpoint.idempotency.torture;

/** A broken promise: what it means, and how it would show. */
enum Violation {
    DUPLICATE(
            "duplicate effects",
            "a key has more effects than lives (one, and one more for each purge of its record), or two follow-ups"),
    FALSE_SUCCESS("false successes", "a caller got a result that no effect of its key has"),
    DIVERGENT(
            "divergent answers",
            "callers of one key got more results than it had lives, or more answers that they were the first, or the"
                    + " result of another request"),
    FAILED_WITH_EFFECT("failed with an effect", "at the end, the record is Failed although its attempt has an effect"),
    EFFECT_AFTER_FAILED(
            "effect after a reported failure",
            "a call reported that the attempt had failed, but the key has an effect"),
    DENIED("denied effects", "a call reported that it had failed, was released or never started, but it has an effect"),
    FORGOTTEN_FAILURE(
            "forgotten failures", "a call reported that the attempt had failed, but the last answer contradicts it"),
    UNDISCOVERABLE("undiscoverable effects", "the key has an effect, but the last answer does not report it"),
    NOT_FOLLOWED_UP(
            "effects not followed up",
            "the key has an effect or a mark, and no follow-up, or a caller got the result before the follow-up was there"),
    UNFOUNDED_FOLLOW_UP(
            "unfounded follow-ups",
            "a follow-up is there without its effect or its mark, or an answer said that it is owed before the effect"
                    + " was there"),
    LATE("calls past their deadline", "a call took longer than the sum of its limits, or never returned"),
    STUCK_PENDING(
            "stuck Pending",
            "the record is still Pending after every key was retried, although it must not stay Pending"),
    PURGED_TOO_MUCH(
            "records purged too soon",
            "a Pending record of a key that nobody released was deleted, or a terminal one before its retention"),
    UNEXPECTED("unexpected answers", "a caller got an answer that nothing in this test can cause");

    private final String text;
    private final String meaning;

    Violation(String text, String meaning) {
        this.text = text;
        this.meaning = meaning;
    }

    String meaning() {
        return meaning;
    }

    @Override
    public String toString() {
        return text;
    }
}
