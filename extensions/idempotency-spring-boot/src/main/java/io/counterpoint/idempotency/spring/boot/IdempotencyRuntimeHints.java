package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/**
 * Registers what a native image has to keep in addition to what Spring finds in the beans: files, the annotation, the
 * methods of an attempt that expressions call, the endpoint's responses, and the class by which Hibernate is
 * recognised.
 */
final class IdempotencyRuntimeHints implements RuntimeHintsRegistrar {

    /** Migrations. The statements that they consist of are registered in the jars of the stores. */
    private static final List<String> FILES = List.of(
            "db/idempotency/changelog.xml",
            "db/idempotency/h2/R__idempotency_record.sql",
            "db/idempotency/mariadb/R__idempotency_record.sql",
            "db/idempotency/mysql/R__idempotency_record.sql",
            "db/idempotency/postgresql/R__idempotency_record.sql");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        FILES.forEach(hints.resources()::registerPattern);
        hints.reflection().registerType(Idempotent.class, MemberCategory.INVOKE_DECLARED_METHODS);
        hints.proxies().registerJdkProxy(Idempotent.class);
        // The end of a captured response on Tomcat.
        hints.proxies().registerJdkProxy(TypeReference.of("jakarta.servlet.http.HttpServletResponse"));
        hints.reflection().registerType(Attempt.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), KeyRecords.View.class);
        hints.reflection().registerTypeIfPresent(classLoader, "org.hibernate.SessionFactory", hint -> {});
    }
}
