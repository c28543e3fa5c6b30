package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.UnstableTextException;
import io.counterpoint.idempotency.annotation.internal.StableText;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import java.security.Principal;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Uses the identity authenticated by Spring Security as the scope, in the same form as the filter. The name must be the
 * same in every request: for a principal without a name, Spring Security uses its text.
 */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(SecurityContextHolder.class)
class SecurityScopeConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CallerScope authenticatedCallerScope(IdempotencyProperties properties) {
        return () -> scopeOf(SecurityContextHolder.getContext().getAuthentication())
                .or(() -> properties.anonymous() ? Optional.of("anonymous") : Optional.empty());
    }

    /** For the filter, to which the authentication is available as the request's principal. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(ScopeResolver.class)
    static class OverHttp {

        /** On a thread that serves no request, a missing authentication does not mean an anonymous caller. */
        @Bean
        @ConditionalOnMissingBean
        CallerScope servedCallerScope(IdempotencyProperties properties) {
            return () -> {
                Authentication caller = SecurityContextHolder.getContext().getAuthentication();
                boolean isAnonymous = properties.anonymous()
                        && (caller != null || RequestContextHolder.getRequestAttributes() != null);
                return scopeOf(caller).or(() -> isAnonymous ? Optional.of("anonymous") : Optional.empty());
            };
        }

        @Bean
        @ConditionalOnMissingBean
        ScopeResolver authenticatedScopeResolver(IdempotencyProperties properties) {
            ScopeResolver others = ScopeResolver.principal();
            return request -> (request.getUserPrincipal() instanceof Authentication caller
                            ? scopeOf(caller)
                            : others.scopeOf(request))
                    .or(() -> properties.anonymous() ? Optional.of("anonymous") : Optional.empty());
        }
    }

    private static Optional<String> scopeOf(@Nullable Authentication caller) {
        if (caller == null || !caller.isAuthenticated() || caller instanceof AnonymousAuthenticationToken) {
            return Optional.empty();
        }
        String name = nameOf(caller);
        return name == null ? Optional.empty() : IdempotencyKey.scopeOf("user", name);
    }

    private static @Nullable String nameOf(Authentication caller) {
        Object principal = caller.getPrincipal();
        String name = caller.getName();
        boolean named = principal == null
                || principal instanceof UserDetails
                || principal instanceof AuthenticatedPrincipal
                || principal instanceof Principal
                || StableText.of(principal).isPresent();
        // An authentication can have its own name, like that of a token. Otherwise it uses the principal's text.
        if (!named && principal.toString().equals(name)) {
            throw new UnstableTextException("The authenticated principal has no stable name: it is an object of "
                    + principal.getClass().getName() + ", whose text may differ between requests. Nothing was"
                    + " claimed, and nothing ran. Use text, a number, UserDetails, an AuthenticatedPrincipal or a"
                    + " Principal, or define beans of type CallerScope and ScopeResolver.");
        }
        return name;
    }
}
