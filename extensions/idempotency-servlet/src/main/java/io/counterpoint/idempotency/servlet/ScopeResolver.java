package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.IdempotencyKey;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Optional;

/**
 * Identifies the caller of a request: who may see the answer. There is no default: one scope for all would let each
 * caller read the answers of the others.
 *
 * <p>Take the scope from what was authenticated, never from what the client can choose, and give its kind with it:
 * {@code user:42}, {@code tenant:7}. The filter must run after authentication.
 */
@FunctionalInterface
public interface ScopeResolver {

    /**
     * Returns the scope of a request.
     *
     * @param request the request, whose body must not be read
     * @return 1 to 255 visible characters; empty if nobody is authenticated, and the request is then refused with 401
     */
    Optional<String> scopeOf(HttpServletRequest request);

    /**
     * The container's principal: {@code user:} and its name, or {@code user-sha256:} and a digest where the name is too
     * long or has other characters than visible ASCII. A principal whose name has no visible character is nobody: all such
     * callers would share their keys. A name that is an object's identity, {@code com.acme.Person@1b2c3d}, is another in
     * every request: the resolver throws an {@link IllegalStateException}, and nothing is claimed.
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
     * Returns a resolver with one scope for all callers. A caller that learns or guesses a key reads its answer: only
     * for services whose callers are all the same.
     *
     * @return the resolver
     */
    static ScopeResolver anonymous() {
        return request -> Optional.of("anonymous");
    }
}
