package io.quarkus.security.runtime.interceptor;

import jakarta.annotation.Priority;
import jakarta.interceptor.Interceptor;

/** As in Quarkus 3.30, whose interceptor runs after those of transactions. */
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public final class RolesAllowedInterceptor {
    private RolesAllowedInterceptor() {}
}
