package io.counterpoint.idempotency.jakarta;

import io.counterpoint.idempotency.OperationDefaults;
import jakarta.ws.rs.ext.RuntimeDelegate;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The settings of an application, with the same names as with Spring, from MicroProfile Config if present. */
final class Settings {

    private static final Pattern SIMPLE = Pattern.compile("([0-9]+)(ms|s|m|h|d)");

    private static final Map<String, ChronoUnit> UNITS = Map.of(
            "ms", ChronoUnit.MILLIS,
            "s", ChronoUnit.SECONDS,
            "m", ChronoUnit.MINUTES,
            "h", ChronoUnit.HOURS,
            "d", ChronoUnit.DAYS);
    private static final Pattern SIZE = Pattern.compile("([0-9]+)([KMG]?)B?");

    private static final String RETENTION = "idempotency.retention";
    private static final String MAX_WAITING = "idempotency.max-waiting";
    private static final String WAIT_AT_MOST = "idempotency.wait-at-most";
    private static final String SETTLE_WITHIN = "idempotency.settle-within";
    private static final String MAX_RETRIES = "idempotency.max-retries";
    private static final String MAX_RESULT_SIZE = "idempotency.max-result-size";
    private static final List<String> DEFAULTS =
            List.of(RETENTION, MAX_WAITING, WAIT_AT_MOST, SETTLE_WITHIN, MAX_RETRIES, MAX_RESULT_SIZE);

    private Settings() {}

    /** Uses reflection, because the interfaces of MicroProfile Config are not a module and may be absent. */
    static Optional<String> of(String name) {
        try {
            Class<?> provider = Class.forName(
                    "org.eclipse.microprofile.config.ConfigProvider",
                    true,
                    Thread.currentThread().getContextClassLoader());
            Class<?> type = provider.getMethod("getConfig").getReturnType();
            Object config = provider.getMethod("getConfig").invoke(null);
            return ((Optional<?>) type.getMethod("getOptionalValue", String.class, Class.class)
                            .invoke(config, name, String.class))
                    .map(String.class::cast);
        } catch (ClassNotFoundException absent) {
            return Optional.ofNullable(System.getProperty(name));
        } catch (ReflectiveOperationException thrown) {
            throw new IllegalStateException("MicroProfile Config could not be queried for " + name + ".", thrown);
        }
    }

    /** Whether the servlet interfaces and {@code idempotency-servlet} are present. */
    static boolean hasFilter() {
        try {
            Class.forName(
                    "io.counterpoint.idempotency.servlet.IdempotencyFilter", false, Settings.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | NoClassDefFoundError absent) {
            return false;
        }
    }

    /** Whether JAX-RS is present, not just its interfaces. */
    static boolean hasResources() {
        try {
            Class.forName("jakarta.ws.rs.ext.RuntimeDelegate", false, Settings.class.getClassLoader());
            return RuntimeDelegate.getInstance() != null;
        } catch (ClassNotFoundException | NoClassDefFoundError | RuntimeException absent) {
            return false;
        }
    }

    static boolean isSet(String name, boolean otherwise) {
        return of(name).map(text -> isTrue(name, text)).orElse(otherwise);
    }

    private static boolean isTrue(String name, String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new IllegalArgumentException(
                    "Expected true or false in the setting " + name + ", found [" + text + "]");
        }
        return text.equals("true");
    }

    /** The settings for defaults of operations that are set. */
    static Stream<String> defaults() {
        return DEFAULTS.stream().filter(name -> of(name).isPresent());
    }

    static void applyTo(OperationDefaults defaults) {
        apply(RETENTION, text -> defaults.retention(duration(text)));
        apply(WAIT_AT_MOST, text -> defaults.waitAtMost(duration(text)));
        apply(SETTLE_WITHIN, text -> defaults.settleWithin(duration(text)));
        apply(MAX_WAITING, text -> defaults.maxWaiting(Math.toIntExact(size(MAX_WAITING, text))));
        apply(MAX_RETRIES, text -> defaults.maxRetries(Math.toIntExact(size(MAX_RETRIES, text))));
        apply(MAX_RESULT_SIZE, text -> defaults.maxResultBytes(Math.toIntExact(size(MAX_RESULT_SIZE, text))));
    }

    private static void apply(String name, Function<String, OperationDefaults> apply) {
        of(name).ifPresent(text -> {
            try {
                OperationDefaults unused = apply.apply(text);
            } catch (RuntimeException refused) {
                throw new IllegalArgumentException(
                        "The setting " + name + " is not valid, found [" + text + "]: " + refused.getMessage(),
                        refused);
            }
        });
    }

    /** Returns the comma-separated values. */
    static Stream<String> all(String name) {
        return of(name).stream()
                .flatMap(text -> Arrays.stream(text.split(",")))
                .map(String::trim)
                .filter(one -> !one.isEmpty());
    }

    static Duration duration(String name, String otherwise) {
        return duration(of(name).orElse(otherwise));
    }

    /** Returns a number such as {@code 1000}, or a size such as {@code 8MB} in bytes. */
    static long size(String name, String otherwise) {
        String text = of(name).orElse(otherwise);
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            throw new IllegalArgumentException(
                    "Expected a size such as 8MB in the setting " + name + ", found [" + text + "]");
        }
        int shift = switch (size.group(2)) {
            case "K" -> 10;
            case "M" -> 20;
            case "G" -> 30;
            default -> 0;
        };
        return Math.multiplyExact(Long.parseLong(size.group(1)), 1L << shift);
    }

    /**
     * Returns a duration such as {@code 30s} or {@code PT30S}, or the value of a setting referenced as {@code ${name}}.
     */
    static Duration duration(String text) {
        if (text.startsWith("${") && text.endsWith("}")) {
            String name = text.substring(2, text.length() - 1);
            return duration(of(name).orElseThrow(
                            () -> new IllegalArgumentException("The setting " + name + " is required but missing")));
        }
        Matcher simple = SIMPLE.matcher(text);
        if (!simple.matches()) {
            return Duration.parse(text);
        }
        return Duration.of(Long.parseLong(simple.group(1)), Objects.requireNonNull(UNITS.get(simple.group(2))));
    }
}
