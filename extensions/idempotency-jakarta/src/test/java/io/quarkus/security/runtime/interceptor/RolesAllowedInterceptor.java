package io.quarkus.security.runtime.interceptor;

import jakarta.annotation.Priority;
import jakarta.interceptor.Interceptor;

/** Stands in for that of Quarkus 3.30, which runs after those of transactions. */
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public final class RolesAllowedInterceptor {
    private RolesAllowedInterceptor() {}
}
