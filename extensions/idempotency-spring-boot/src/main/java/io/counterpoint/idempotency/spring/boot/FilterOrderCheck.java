package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import java.util.List;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.web.servlet.AbstractFilterRegistrationBean;
import org.springframework.boot.web.servlet.DelegatingFilterProxyRegistrationBean;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletContextInitializerBeans;

/**
 * Rejects a registration of the filter in front of Spring Security, which has not authenticated the caller yet, even if
 * the application makes it, unless it defines its own bean that resolves the scope.
 */
record FilterOrderCheck(ConfigurableListableBeanFactory beans, IdempotencyProperties properties)
        implements SmartInitializingSingleton {

    private static final String SECURITY = "springSecurityFilterChain";

    @Override
    public void afterSingletonsInstantiated() {
        if (!beans.containsBean("authenticatedScopeResolver")) {
            return;
        }
        List<? extends AbstractFilterRegistrationBean<?>> all = new ServletContextInitializerBeans(
                        beans, FilterRegistrationBean.class, DelegatingFilterProxyRegistrationBean.class)
                .stream()
                        .filter(AbstractFilterRegistrationBean.class::isInstance)
                        .map(it -> (AbstractFilterRegistrationBean<?>) it)
                        .filter(AbstractFilterRegistrationBean::isEnabled)
                        .toList();
        for (AbstractFilterRegistrationBean<?> ours : all) {
            if (ours.getFilter() instanceof IdempotencyFilter && !isOff(ours)) {
                all.stream().filter(this::isSecurity).forEach(security -> requireOrder(ours, security));
            }
        }
    }

    /** Whether it is the starter's own, which then handles no request. */
    private boolean isOff(AbstractFilterRegistrationBean<?> registration) {
        return !properties.http().enabled()
                && IdempotencyHttpAutoConfiguration.isDefinedHere(beans, "idempotencyFilter")
                && registration == beans.getBean("idempotencyFilter");
    }

    private boolean isSecurity(AbstractFilterRegistrationBean<?> registration) {
        return registration.getFilterName().equals(SECURITY)
                || (beans.containsBean(SECURITY) && registration.getFilter() == beans.getBean(SECURITY));
    }

    private static void requireOrder(
            AbstractFilterRegistrationBean<?> ours, AbstractFilterRegistrationBean<?> security) {
        if (ours.getOrder() <= security.getOrder()) {
            throw new IdempotencyStartException(
                    "The filter " + ours.getFilterName() + " for Idempotency-Key would run before Spring Security has"
                            + " authenticated the caller: its order " + ours.getOrder() + " is not above the order "
                            + security.getOrder() + " of Spring Security.",
                    "Set idempotency.http.order, or the order of your own FilterRegistrationBean, to a higher value,"
                            + " or define a bean of type ScopeResolver.");
        }
    }
}
