package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.jakarta.shapes.BeanShapes;
import io.counterpoint.idempotency.jakarta.shapes.BeanShapes.Shape;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.quarkus.arc.Arc;
import io.quarkus.arc.processor.BeanArchives;
import io.quarkus.arc.processor.BeanProcessor;
import io.quarkus.arc.processor.bcextensions.ExtensionsEntryPoint;
import jakarta.enterprise.event.Startup;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jboss.jandex.IndexView;
import org.jboss.jandex.Indexer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** In Quarkus' own CDI, each shape of a bean is protected, or refused while the application is built. */
@Tag("thorough")
@Timeout(60)
class ArcShapesTest {

    private static Database database;

    @TempDir
    private Path generated;

    @BeforeAll
    static void open() throws Exception {
        database = Database.open(Database.Way.AGROAL);
    }

    @AfterAll
    static void close() throws Exception {
        database.close();
    }

    static Stream<Shape> shapes() {
        return BeanShapes.all();
    }

    @ParameterizedTest
    @MethodSource("shapes")
    void shapeIsProtectedOrRefused(Shape shape) throws Exception {
        database.empty();
        if (!shape.refusal().isEmpty()) {
            assertThatThrownBy(() -> started(shape).close())
                    .hasStackTraceContaining(shape.refusal())
                    .hasStackTraceContaining("#method-refused");
            return;
        }
        try (Application application = started(shape)) {
            assertThat(application.callTwice(shape, UUID.randomUUID().toString()))
                    .isEmpty();
        }
    }

    /** Weld sees such a class only where all classes are beans. */
    @Test
    void annotationInAClassThatIsNoBeanIsRefused() {
        Shape shape = new Shape("no bean", "", key -> key, List.of(BeanShapes.NoBean.class));
        assertThatThrownBy(() -> build(shape))
                .hasMessageContaining("the class is not a bean")
                .hasMessageContaining("#method-refused");
    }

    /** Quarkus drops such a bean if nobody uses it. */
    @Test
    void beanOfALibraryWhoseInterfaceIsAbsentDoesNotStopTheBuild() throws Exception {
        build(
                new Shape("of a library", "", key -> key, List.of(BeanShapes.OfALibrary.class)),
                without("BeanShapes$Call"));
        assertThat(generated).isNotEmptyDirectory();
    }

    @Test
    void annotationThatIsAbsentDoesNotStopTheBuild() throws Exception {
        build(new Shape("marked", "", key -> key, List.of(BeanShapes.Marked.class)), without("api/Disabled"));
        assertThat(generated).isNotEmptyDirectory();
    }

    private static ClassLoader without(String absent) {
        return new ClassLoader(ArcShapesTest.class.getClassLoader()) {
            @Override
            public @Nullable InputStream getResourceAsStream(String name) {
                return name.contains(absent) ? null : super.getResourceAsStream(name);
            }
        };
    }

    private Application started(Shape shape) throws Exception {
        build(shape);
        return new Application(generated);
    }

    private void build(Shape shape) throws Exception {
        build(shape, getClass().getClassLoader());
    }

    /** As Quarkus does, but that it makes no class proxyable. */
    private void build(Shape shape, ClassLoader loader) throws Exception {
        Indexer indexer = new Indexer();
        Stream.of(
                        shape.classes().stream(),
                        Stream.of(BeanShapes.class.getDeclaredClasses()).filter(Class::isAnnotation),
                        Stream.of(
                                BeanShapes.Store.class,
                                IdempotentBinding.class,
                                IdempotentMethods.class,
                                IdempotentInterceptor.class,
                                OneCall.class,
                                ConfiguredStore.class))
                .flatMap(it -> it)
                .forEach(type -> index(indexer, type));
        IndexView index = BeanArchives.buildImmutableBeanArchiveIndex(indexer.complete());
        ExtensionsEntryPoint extensions = new ExtensionsEntryPoint();
        extensions.runDiscovery(index, new HashSet<>());
        BeanProcessor.builder()
                .setName("Shape")
                .setImmutableBeanArchiveIndex(index)
                .setComputingBeanArchiveIndex(
                        BeanArchives.buildComputingBeanArchiveIndex(loader, new ConcurrentHashMap<>(), index))
                .setBuildCompatibleExtensions(extensions)
                .setRemoveUnusedBeans(false)
                .setOutput(resource -> {
                    switch (resource.getType()) {
                        case JAVA_CLASS -> resource.writeTo(generated.toFile());
                        case SERVICE_PROVIDER ->
                            resource.writeTo(Files.createDirectories(generated.resolve("META-INF/services"))
                                    .toFile());
                        default -> throw new IllegalStateException(resource.getName());
                    }
                })
                .build()
                .process();
    }

    private static void index(Indexer indexer, Class<?> type) {
        try (InputStream in = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
            indexer.index(in);
        } catch (IOException thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    /** Has the classes of this library anew, beside those that were generated for them. */
    private static final class Application extends URLClassLoader {

        private final ClassLoader before = Thread.currentThread().getContextClassLoader();

        Application(Path generated) throws Exception {
            super(
                    new URL[] {generated.toUri().toURL(), sourceOf(BeanShapes.class), sourceOf(IdempotentMethods.class)
                    },
                    ArcShapesTest.class.getClassLoader());
            IdempotencyStore<?> store = (IdempotencyStore<?>) loadClass(JakartaIdempotencyStore.class.getName())
                    .getMethod(
                            "on", TransactionManager.class, TransactionSynchronizationRegistry.class, DataSource.class)
                    .invoke(null, Database.TRANSACTIONS, Database.REGISTRY, database.dataSource());
            set("idempotency", Idempotency.on(store));
            Thread.currentThread().setContextClassLoader(this);
            try {
                BeanManager manager = Arc.initialize().beanManager();
                set("manager", manager);
                manager.getEvent().fire(new Startup());
            } catch (RuntimeException | Error refused) {
                close();
                throw refused;
            }
        }

        private void set(String field, Object value) throws Exception {
            loadClass(BeanShapes.class.getName()).getField(field).set(null, value);
        }

        private static URL sourceOf(Class<?> type) {
            return type.getProtectionDomain().getCodeSource().getLocation();
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded != null) {
                    return loaded;
                }
                return name.startsWith("io.counterpoint.idempotency.jakarta.")
                        ? findClass(name)
                        : super.loadClass(name, resolve);
            }
        }

        String callTwice(Shape shape, String key) throws Exception {
            Stream<?> shapes = (Stream<?>)
                    loadClass(BeanShapes.class.getName()).getMethod("all").invoke(null);
            Object same = shapes.filter(it -> it.toString().equals(shape.toString()))
                    .findAny()
                    .orElseThrow();
            return (String) same.getClass().getMethod("callTwice", String.class).invoke(same, key);
        }

        @Override
        public void close() throws IOException {
            Arc.shutdown();
            Thread.currentThread().setContextClassLoader(before);
            super.close();
        }
    }
}
