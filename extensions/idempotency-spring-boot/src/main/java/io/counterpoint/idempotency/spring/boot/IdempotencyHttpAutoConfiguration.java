package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.IdempotencyStartException.apply;

import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.Problems;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import io.counterpoint.idempotency.servlet.UnusedKey;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Http;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.KeyPolicy;
import io.counterpoint.idempotency.spring.boot.IdempotencyProperties.Mode;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.MultipartConfigElement;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.web.filter.FormContentFilter;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Registers the filter for the header {@code Idempotency-Key} and turns the library's exceptions into problems. */
@AutoConfiguration(
        after = IdempotencyAutoConfiguration.class,
        beforeName = {
            "org.springframework.boot.autoconfigure.web.servlet.WebMvcAutoConfiguration",
            "org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration"
        })
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnClass(IdempotencyFilter.class)
@ConditionalOnProperty(name = "idempotency.enabled", matchIfMissing = true)
@EnableConfigurationProperties(IdempotencyProperties.class)
public class IdempotencyHttpAutoConfiguration {

    /** Called by Spring. */
    public IdempotencyHttpAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    ScopeResolver idempotencyScopeResolver(IdempotencyProperties properties) {
        ScopeResolver principal = ScopeResolver.principal();
        return request -> principal
                .scopeOf(request)
                .or(() -> properties.anonymous() ? Optional.of("anonymous") : Optional.empty());
    }

    @Bean
    @ConditionalOnMissingBean(value = IdempotencyFilter.class, parameterizedContainer = FilterRegistrationBean.class)
    FilterRegistrationBean<IdempotencyFilter> idempotencyFilter(
            ScopeResolver scopes,
            IdempotencyProperties properties,
            ObjectProvider<MultipartConfigElement> uploads,
            ObjectProvider<FilterCustomizer> customizers) {
        Http http = properties.http();
        UnaryOperator<RoutePolicy> limits = uploadLimits(uploads.getIfUnique());
        IdempotencyFilter.Builder filter = IdempotencyFilter.scopedBy(scopes);
        if (http.enabled()) {
            RoutePolicy required = limits.apply(policy(KeyPolicy.REQUIRED, http));
            RoutePolicy optional = limits.apply(policy(KeyPolicy.OPTIONAL, http));
            http.required().forEach(path -> apply("http.required", path, () -> filter.route(path, required)));
            http.optional().forEach(path -> apply("http.optional", path, () -> filter.route(path, optional)));
            http.off().forEach(path -> apply("http.off", path, () -> filter.route(path, RoutePolicy.off())));
            filter.elsewhere(limits.apply(policy(http.elsewhere(), http)));
        } else {
            // Its problems still have to take all calls of a request into account.
            filter.elsewhere(RoutePolicy.off());
        }
        apply("http.retry-after", http.retryAfter(), () -> filter.retryAfter(http.retryAfter()));
        apply("http.documentation", documentation(http), () -> filter.documentation(documentation(http)));
        filter.unusedKey(UnusedKey.valueOf(http.unusedKey().name()));
        if (properties.mode() == Mode.COUNT) {
            filter.passRefused();
        }
        customizers.orderedStream().forEach(customizer -> customizer.customize(filter));
        FilterRegistrationBean<IdempotencyFilter> registration = new FilterRegistrationBean<>(filter.build());
        registration.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
        registration.setOrder(http.order());
        return registration;
    }

    @Bean
    FilterOrderCheck idempotencyFilterOrderCheck(
            ConfigurableListableBeanFactory beans, IdempotencyProperties properties) {
        return new FilterOrderCheck(beans, properties);
    }

    /** Replaces Spring Boot's own filter. */
    @Bean
    @ConditionalOnMissingBean(FormContentFilter.class)
    @ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
    @ConditionalOnProperty(name = "spring.mvc.formcontent.filter.enabled", matchIfMissing = true)
    KeyedForms formContentFilter(
            ObjectProvider<FilterRegistrationBean<IdempotencyFilter>> registered,
            ObjectProvider<IdempotencyFilter> filters) {
        return new KeyedForms(all(registered, filters));
    }

    private static List<IdempotencyFilter> all(
            ObjectProvider<FilterRegistrationBean<IdempotencyFilter>> registered,
            ObjectProvider<IdempotencyFilter> filters) {
        return Stream.concat(registered.stream().map(FilterRegistrationBean::getFilter), filters.stream())
                .toList();
    }

    /** Requires Spring MVC, whose types no method of the outer class may use. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springframework.web.servlet.DispatcherServlet")
    static class Mvc {
        @Bean
        static WatchedHandlers idempotencyWatchedHandlers() {
            return new WatchedHandlers();
        }

        /** The context of a DispatcherServlet that is not a bean, unless it configures Spring MVC itself. */
        @Bean
        WebMvcConfigurer idempotencyHandlersOfContextsBelow() {
            return new WebMvcConfigurer() {
                @Override
                public void addInterceptors(InterceptorRegistry registry) {
                    registry.addInterceptor(new ChosenStatus()).order(Ordered.LOWEST_PRECEDENCE);
                }
            };
        }

        @Bean
        @ConditionalOnMissingBean
        IdempotencyExceptionResolver idempotencyExceptionResolver(
                IdempotencyProperties properties, ApplicationContext context) {
            Http http = properties.http();
            return new IdempotencyExceptionResolver(new Problems(documentation(http), http.retryAfter()), context);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "org.springdoc.core.customizers.GlobalOpenApiCustomizer")
    static class OpenApi {
        @Bean
        OpenApiDescription idempotencyOpenApiDescription(
                ObjectProvider<FilterRegistrationBean<IdempotencyFilter>> registered,
                ObjectProvider<IdempotencyFilter> filters) {
            return new OpenApiDescription(all(registered, filters));
        }
    }

    /** Whether a bean of the application's context is the starter's own. */
    static boolean isDefinedHere(ConfigurableListableBeanFactory beans, String name) {
        return beans.containsBeanDefinition(name)
                && IdempotencyHttpAutoConfiguration.class
                        .getName()
                        .equals(beans.getBeanDefinition(name).getFactoryBeanName());
    }

    private static URI documentation(Http http) {
        return http.documentation() == null ? Problems.PAGE : http.documentation();
    }

    /** The filter parses uploads before the servlet does, which then no longer enforces its limits. */
    private static UnaryOperator<RoutePolicy> uploadLimits(@Nullable MultipartConfigElement uploads) {
        return policy -> uploads == null
                ? policy
                : policy.maxUpload(bytes(uploads.getMaxFileSize()), bytes(uploads.getMaxRequestSize()));
    }

    /** -1 means no limit. */
    private static long bytes(long most) {
        return most < 0 ? Long.MAX_VALUE : most;
    }

    private static RoutePolicy policy(KeyPolicy keys, Http http) {
        RoutePolicy policy = switch (keys) {
            case REQUIRED -> RoutePolicy.required();
            case OPTIONAL -> RoutePolicy.optional();
            case OFF -> RoutePolicy.off();
        };
        RoutePolicy limited = apply(
                "http.max-request-body",
                http.maxRequestBody(),
                () -> policy.maxRequestBody(http.maxRequestBody().toBytes()));
        Duration lifetime = http.keyLifetime();
        RoutePolicy lasting =
                lifetime == null ? limited : apply("http.key-lifetime", lifetime, () -> limited.keyLifetime(lifetime));
        return http.strictKeys() ? lasting.strictKeys() : lasting;
    }
}
