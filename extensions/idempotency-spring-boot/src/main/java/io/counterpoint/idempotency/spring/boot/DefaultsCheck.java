package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Rejects times without a unit, which Spring Boot reads as milliseconds, and values with which a task of the starter would
 * fail later. Also rejects properties for all operations if they would have no effect, because the application creates its
 * {@link Idempotency} itself.
 */
record DefaultsCheck(ConfigurableListableBeanFactory beans, Environment environment, IdempotencyProperties properties)
        implements SmartInitializingSingleton {

    private static final Duration SHORTEST_PAUSE = Duration.ofMillis(1);

    private static final List<String> DEFAULTS =
            List.of("retention", "max-waiting", "wait-at-most", "settle-within", "max-retries", "max-result-size");

    private static final List<String> TIMES = List.of(
            "retention",
            "wait-at-most",
            "settle-within",
            "purge.interval",
            "http.key-lifetime",
            "http.retry-after",
            "health.max-clock-skew",
            "metrics.pending-interval");

    @Override
    public void afterSingletonsInstantiated() {
        Binder binder = Binder.get(environment);
        TIMES.forEach(name -> binder.bind("idempotency." + name, String.class).ifBound(text -> {
            if (text.matches("[+-]?[0-9_]*[1-9][0-9_]*")) {
                throw new IdempotencyStartException(
                        "idempotency." + name + "=" + text + " has no unit, so it would be " + text + " milliseconds.",
                        "Add the unit, such as %1$sh or %1$sms.".formatted(text.replaceFirst("^[+-]", "")));
            }
        }));
        if (properties.purge().enabled()) {
            String off = "remove it to get its default, or set idempotency.purge.enabled=false to switch the purge off";
            requireAtLeast("purge.interval", SHORTEST_PAUSE, properties.purge().interval(), off);
            requireAtLeast("purge.batch", 1, properties.purge().batch(), off);
        }
        if (properties.metrics().pending()) {
            requireAtLeast(
                    "metrics.pending-interval",
                    SHORTEST_PAUSE,
                    properties.metrics().pendingInterval(),
                    "remove it to get its default, or set idempotency.metrics.pending=false to switch the gauges off");
        }
        if (properties.health().maxClockSkew() != null) {
            requireAtLeast(
                    "health.max-clock-skew",
                    Duration.ZERO,
                    properties.health().maxClockSkew(),
                    "or remove it to allow any difference");
        }
        String[] names = beans.getBeanNamesForType(Idempotency.class);
        if (names.length == 0 || Arrays.stream(names).anyMatch(this::isConfiguredHere)) {
            return;
        }
        DEFAULTS.stream()
                .map(name -> "idempotency." + name)
                .filter(name -> binder.bind(name, String.class).isBound())
                .findFirst()
                .ifPresent(name -> {
                    throw new IdempotencyStartException(
                            name + " is set, but the application defines its own bean of type "
                                    + Idempotency.class.getSimpleName() + ", which ignores the property.",
                            "Remove the property, and call Idempotency.builder(store).defaults(…) for that bean.");
                });
    }

    private static <T extends Comparable<T>> void requireAtLeast(String name, T least, T value, String otherwise) {
        if (value.compareTo(least) < 0) {
            throw new IdempotencyStartException(
                    "idempotency." + name + "=" + value + " is not valid: it must be at least " + least + ".",
                    "Correct the property, " + otherwise + ".");
        }
    }

    private boolean isConfiguredHere(String name) {
        return beans.containsBeanDefinition(name)
                && IdempotencyAutoConfiguration.class
                        .getName()
                        .equals(beans.getBeanDefinition(name).getFactoryBeanName());
    }
}
