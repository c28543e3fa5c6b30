package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyKey;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;

/**
 * Identifies the caller of a request, who may see the response. There is no default: a single scope for everyone would
 * let each caller read the responses of the others.
 *
 * <p>Derive the scope from the authenticated identity, never from anything the client can choose, and include its kind:
 * {@code user:42}, {@code tenant:7}. The filter must run after authentication.
 */
@FunctionalInterface
public interface ScopeResolver {

    /**
     * Returns the scope of a request.
     *
     * @param request the request, whose body must not be read
     * @return the scope, 1 to 255 visible characters; empty if nobody is authenticated, in which case the request is
     *     rejected with 401
     */
    Optional<String> scopeOf(HttpServletRequest request);

    /**
     * Returns a resolver that uses the container's principal: {@code user:} and its name, or {@code user-sha256:} and a
     * digest if the name is too long or contains anything other than visible ASCII characters. A principal whose name
     * has no visible character counts as unauthenticated, because all such callers would share their keys. For a name
     * that is an identity hash, such as {@code com.acme.Person@1b2c3d}, which differs in every request, the resolver
     * throws an {@link IllegalStateException} and nothing is claimed.
     *
     * @return the resolver
     */
    static ScopeResolver principal() {
        return request -> Optional.ofNullable(request.getUserPrincipal())
                .map(Principal::getName)
                .map(IdentityText::refused)
                .flatMap(name -> IdempotencyKey.scopeOf("user", name));
    }

    /**
     * Returns a resolver with one scope for all callers. A caller that learns or guesses a key can read its response,
     * so use this only for services that need not distinguish their callers.
     *
     * @return the resolver
     */
    static ScopeResolver anonymous() {
        return request -> Optional.of("anonymous");
    }
}
