package io.counterpoint.idempotency.internal;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Formats durations for messages. */
public final class Durations {

    private Durations() {}

    /**
     * Formats a duration, omitting units that are zero: {@code 1 day 2 h}, {@code 1 min 30 s}, {@code 1.234 s}, {@code
     * 30 ms}.
     *
     * @param duration the duration
     * @return the exact text
     */
    public static String text(Duration duration) {
        if (duration.isNegative()) {
            return "-" + text(duration.negated());
        }
        List<String> parts = new ArrayList<>();
        if (duration.toDays() > 0) {
            parts.add(duration.toDays() + (duration.toDays() == 1 ? " day" : " days"));
        }
        if (duration.toHoursPart() > 0) {
            parts.add(duration.toHoursPart() + " h");
        }
        if (duration.toMinutesPart() > 0) {
            parts.add(duration.toMinutesPart() + " min");
        }
        BigDecimal seconds =
                BigDecimal.valueOf(duration.toSecondsPart()).add(BigDecimal.valueOf(duration.toNanosPart(), 9));
        if (seconds.signum() > 0 || parts.isEmpty()) {
            boolean isShort = parts.isEmpty() && seconds.signum() > 0 && seconds.compareTo(BigDecimal.ONE) < 0;
            parts.add(isShort ? plain(seconds.movePointRight(3)) + " ms" : plain(seconds) + " s");
        }
        return String.join(" ", parts);
    }

    private static String plain(BigDecimal number) {
        return number.signum() == 0 ? "0" : number.stripTrailingZeros().toPlainString();
    }
}
