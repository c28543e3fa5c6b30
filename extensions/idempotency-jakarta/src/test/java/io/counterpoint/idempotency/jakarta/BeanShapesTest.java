package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jakarta.shapes.BeanShapes;
import io.counterpoint.idempotency.jakarta.shapes.BeanShapes.Shape;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In Weld, each shape of a bean is protected, or refused at the start. */
@Tag("thorough")
@Timeout(60)
class BeanShapesTest {

    private static Database database;

    @BeforeAll
    static void open() throws Exception {
        database = Database.open(Database.Way.AGROAL);
        BeanShapes.idempotency = Idempotency.on(database.store());
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    static Stream<Shape> shapes() {
        return Stream.concat(BeanShapes.all(), BeanShapes.ofFullCdi());
    }

    private static SeContainer start(Shape shape) {
        return AnnotatedMethodsTest.initializer()
                .addBeanClasses(BeanShapes.Store.class)
                .addBeanClasses(shape.classes().toArray(Class<?>[]::new))
                .initialize();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shapeIsProtectedOrRefused(Shape shape) {
        database.empty();
        if (!shape.refusal().isEmpty()) {
            assertThatThrownBy(() -> start(shape).close())
                    .hasStackTraceContaining(shape.refusal())
                    .hasStackTraceContaining("#method-refused");
            return;
        }
        try (SeContainer container = start(shape)) {
            BeanShapes.manager = container.getBeanManager();
            assertThat(shape.callTwice(UUID.randomUUID().toString())).isEmpty();
        }
    }

    /** Adds a bean whose object it makes itself. */
    static class MakingExtension implements Extension {
        void make(@Observes AfterBeanDiscovery beans) {
            beans.addBean()
                    .addTransitiveTypeClosure(BeanShapes.OfExtension.class)
                    .createWith(context -> new BeanShapes.OfExtension());
        }
    }

    @Test
    void beanThatAnExtensionMakesIsRefused() {
        assertThatThrownBy(() -> AnnotatedMethodsTest.initializer()
                        .addBeanClasses(BeanShapes.Store.class)
                        .addExtensions(new MakingExtension())
                        .initialize()
                        .close())
                .hasStackTraceContaining("is created by a producer or an extension")
                .hasStackTraceContaining("#method-refused");
    }

    @Test
    void annotationIsRefusedWhereItsInterceptorIsNoBean() {
        assertThatThrownBy(() -> SeContainerInitializer.newInstance()
                        .disableDiscovery()
                        .addBeanClasses(BeanShapes.Plain.class)
                        .initialize()
                        .close())
                .hasStackTraceContaining("the interceptor of idempotency-jakarta is not a bean")
                .hasStackTraceContaining("#method-refused");
    }
}
