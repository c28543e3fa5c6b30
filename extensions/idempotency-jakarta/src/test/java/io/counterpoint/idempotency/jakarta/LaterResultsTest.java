package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods whose work goes on after they have returned are refused at the start. Libraries are played by types of their names. */
class LaterResultsTest {

    @TempDir
    Path folder;

    interface OfTheJdk {
        @Idempotent(operation = "a", key = "'k'")
        CompletableFuture<String> future();

        @Idempotent(operation = "b", key = "'k'")
        CompletionStage<String> stage();

        @Idempotent(operation = "c", key = "'k'")
        List<Future<String>> futures();

        @Idempotent(operation = "d", key = "'k'")
        Flow.Publisher<String> publisher();

        @Idempotent(operation = "e", key = "'k'")
        Stream<String> stream();
    }

    @Test
    void resultsOfTheJdkThatComeLaterAreRefused() {
        for (Method method : OfTheJdk.class.getDeclaredMethods()) {
            assertThatThrownBy(() -> new IdempotentMethod(method))
                    .as("%s", method)
                    .isInstanceOf(InvalidIdempotentMethodException.class)
                    .hasMessageContaining("continues after the method has returned");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.reactivestreams.Publisher",
                "io.reactivex.SingleSource",
                "io.reactivex.rxjava3.core.CompletableSource",
                "io.reactivex.rxjava3.core.MaybeSource",
                "io.reactivex.rxjava3.core.ObservableSource",
                "io.reactivex.rxjava3.core.SingleSource",
                "io.smallrye.mutiny.Uni",
                "io.vertx.core.Future",
                "jakarta.ws.rs.core.StreamingOutput",
                "kotlin.sequences.Sequence",
                "kotlinx.coroutines.Job",
                "kotlinx.coroutines.flow.Flow",
                "org.springframework.web.context.request.async.DeferredResult"
            })
    void resultsOfLibrariesThatComeLaterAreRefused(String type) throws Exception {
        for (String result : List.of("Sub<String>", "java.util.List<Sub<String>>")) {
            Method method = compiled(type, "public interface Sub<T> extends " + type + "<T> {}", result + " work()");
            assertThatThrownBy(() -> new IdempotentMethod(method))
                    .isInstanceOf(InvalidIdempotentMethodException.class)
                    .hasMessageContaining("continues after the method has returned")
                    .hasMessageContaining("Return the result itself.");
        }
    }

    @Test
    void suspendingFunctionIsRefused() throws Exception {
        String type = "kotlin.coroutines.Continuation";
        Method method = compiled(type, "public interface Sub {}", "Object work(" + type + "<? super String> next)");
        assertThatThrownBy(() -> new IdempotentMethod(method))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .hasMessageContaining(
                        "a suspending function returns before its work ends. Make it a regular function.");
    }

    /** A method of an interface that names a type of a library. */
    private Method compiled(String type, String sub, String method) throws Exception {
        int dot = type.lastIndexOf('.');
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-d", folder.toString(), "-cp", annotations()));
        arguments.add(written(
                "package " + type.substring(0, dot) + "; public interface " + type.substring(dot + 1) + "<T> {}",
                type.substring(dot + 1)));
        arguments.add(written(sub, "Sub"));
        arguments.add(written(
                "public interface Service { @" + Idempotent.class.getName()
                        + "(operation = \"o\", key = \"'k'\", request = \"'r'\") " + method + "; }",
                "Service"));
        assertThat(ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new)))
                .isZero();
        ClassLoader loader = new FoundHereFirst(folder.toUri().toURL());
        return loader.loadClass("Service").getDeclaredMethods()[0];
    }

    private String written(String source, String name) throws IOException {
        return Files.writeString(folder.resolve(name + ".java"), source).toString();
    }

    /** Where the annotation is, and the types that it names. */
    private static String annotations() throws Exception {
        List<String> paths = new ArrayList<>();
        for (Class<?> type : List.of(Idempotent.class, Operation.class)) {
            paths.add(Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString());
        }
        return String.join(File.pathSeparator, paths);
    }

    /** The libraries may be on the class path too. */
    private static final class FoundHereFirst extends URLClassLoader {
        FoundHereFirst(URL folder) {
            super(new URL[] {folder}, LaterResultsTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null && findResource(name.replace('.', '/') + ".class") != null) {
                    loaded = findClass(name);
                }
                return loaded == null ? super.loadClass(name, resolve) : loaded;
            }
        }
    }
}
