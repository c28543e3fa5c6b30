package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.lang.reflect.Method;
import java.util.List;
import org.hibernate.SessionFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.TypeReference;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.javapoet.ClassName;

/** What Spring tells a native image of an application with an annotated method. No native image is built. */
class NativeHintsTest {

    private static RuntimeHints hints;

    record Place(String id, List<Line> lines) {}

    record Line(String item) {}

    record Placed(long number) {}

    static class Service {
        @Idempotent(operation = "place", key = "#request.id", scope = "'test'")
        public Placed place(Place request) {
            return new Placed(1);
        }
    }

    @BeforeAll
    static void processAheadOfTime() {
        var generation = new DefaultGenerationContext(
                new ClassNameGenerator(ClassName.get("ahead", "Application")), new InMemoryGeneratedFiles());
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(Contexts.OneDataSource.class, Service.class, IdempotencyAutoConfiguration.class);
            new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
        }
        hints = generation.getRuntimeHints();
    }

    private static List<String> invoked(Class<?> type) {
        return hints.reflection()
                .getTypeHint(TypeReference.of(type))
                .methods()
                .map(ExecutableHint::getName)
                .toList();
    }

    @Test
    void migrationsAreKept() {
        for (String file : List.of(
                "db/idempotency/changelog.xml",
                "db/idempotency/h2/R__idempotency_record.sql",
                "db/idempotency/mariadb/R__idempotency_record.sql",
                "db/idempotency/mysql/R__idempotency_record.sql",
                "db/idempotency/postgresql/R__idempotency_record.sql")) {
            assertThat(RuntimeHintsPredicates.resource().forResource(file))
                    .as(file)
                    .accepts(hints);
            assertThat(getClass().getClassLoader().getResource(file)).as(file).isNotNull();
        }
    }

    @Test
    void annotationIsKept() throws Exception {
        Method place = Service.class.getMethod("place", Place.class);
        assertThat(invoked(Service.class)).contains(place.getName());
        assertThat(RuntimeHintsPredicates.reflection().onType(Idempotent.class)).accepts(hints);
        assertThat(RuntimeHintsPredicates.proxies().forInterfaces(Idempotent.class))
                .accepts(hints);
    }

    @Test
    void partsOfAnAttemptAreKept() {
        assertThat(RuntimeHintsPredicates.reflection()
                        .onType(Attempt.class)
                        .withMemberCategory(MemberCategory.INVOKE_PUBLIC_METHODS))
                .accepts(hints);
    }

    @Test
    void componentsThatExpressionsAndCodecsReadAreKept() {
        assertThat(invoked(Place.class)).contains("id", "lines");
        assertThat(invoked(Line.class)).contains("item");
        assertThat(invoked(Placed.class)).contains("number");
    }

    @Test
    void classesThatAreFoundByNameAreKept() {
        assertThat(RuntimeHintsPredicates.reflection().onType(SessionFactory.class))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onType(KeyRecords.View.class))
                .accepts(hints);
    }

    @Test
    void annotatedClassHasItsProxyMadeAheadOfTime() {
        assertThat(hints.reflection().typeHints().map(hint -> hint.getType().getName()))
                .anyMatch(name -> name.startsWith(Service.class.getName() + "$$SpringCGLIB"));
    }
}
