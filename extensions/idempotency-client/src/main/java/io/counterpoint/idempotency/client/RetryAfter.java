package io.counterpoint.idempotency.client;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Reads the header {@code Retry-After} (RFC 9110, section 10.2.3). */
final class RetryAfter {

    /** More digits than any practical wait. */
    private static final int MAX_DIGITS = 9;

    private RetryAfter() {}

    /** Returns how long to wait; zero if the value is neither a number of seconds nor a future date. */
    static Duration parse(String value, Instant now) {
        String text = value.trim();
        Optional<Duration> seconds = seconds(text);
        if (seconds.isPresent()) {
            return seconds.get();
        }
        try {
            Instant due = ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME)
                    .toInstant();
            return due.isAfter(now) ? Duration.between(now, due) : Duration.ZERO;
        } catch (DateTimeException noDate) {
            return Duration.ZERO;
        }
    }

    /** Returns a number of seconds, or the maximum duration if it has too many digits; empty if it is not a number. */
    static Optional<Duration> seconds(String value) {
        String text = value.trim();
        if (text.isEmpty() || !text.chars().allMatch(digit -> digit >= '0' && digit <= '9')) {
            return Optional.empty();
        }
        String digits = text.replaceFirst("^0+(?=.)", "");
        return Optional.of(
                digits.length() > MAX_DIGITS
                        ? Duration.ofSeconds(Long.MAX_VALUE)
                        : Duration.ofSeconds(Long.parseLong(digits)));
    }
}
