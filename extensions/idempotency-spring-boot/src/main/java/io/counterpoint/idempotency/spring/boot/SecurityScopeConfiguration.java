package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.IdempotencyKey.InvalidKeyException;
import io.counterpoint.idempotency.spring.annotation.CallerScope;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;

/** Takes the authenticated principal of Spring Security as the scope, in the form that the filter uses. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass(SecurityContextHolder.class)
class SecurityScopeConfiguration {

    @Bean
    @ConditionalOnMissingBean
    CallerScope authenticatedCallerScope(IdempotencyProperties properties) {
        return () -> scopeOf(SecurityContextHolder.getContext().getAuthentication())
                .or(() -> properties.anonymous() ? Optional.of("anonymous") : Optional.empty());
    }

    private static Optional<String> scopeOf(@Nullable Authentication caller) {
        if (caller == null || !caller.isAuthenticated() || caller instanceof AnonymousAuthenticationToken) {
            return Optional.empty();
        }
        String name = caller.getName();
        if (name == null || name.isBlank()) {
            return Optional.empty();
        }
        return Optional.of(isAcceptable("user:" + name) ? "user:" + name : digested(name));
    }

    private static String digested(String name) {
        return "user-sha256:" + HexFormat.of().formatHex(Fingerprint.of(name).toBytes());
    }

    private static boolean isAcceptable(String scope) {
        try {
            return Attempt.in(scope) != null;
        } catch (InvalidKeyException refused) {
            return false;
        }
    }
}
