package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Idempotency;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/**
 * Rejects properties for all operations that would have no effect because the application creates its {@link
 * Idempotency} itself.
 */
record DefaultsCheck(ConfigurableListableBeanFactory beans, Environment environment)
        implements SmartInitializingSingleton {

    private static final List<String> DEFAULTS =
            List.of("retention", "max-waiting", "wait-at-most", "settle-within", "max-retries", "max-result-size");

    @Override
    public void afterSingletonsInstantiated() {
        String[] names = beans.getBeanNamesForType(Idempotency.class);
        if (names.length == 0 || Arrays.stream(names).anyMatch(this::isConfiguredHere)) {
            return;
        }
        Binder binder = Binder.get(environment);
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

    private boolean isConfiguredHere(String name) {
        return beans.containsBeanDefinition(name)
                && IdempotencyAutoConfiguration.class
                        .getName()
                        .equals(beans.getBeanDefinition(name).getFactoryBeanName());
    }
}
