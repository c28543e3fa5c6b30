package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.io.File;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Programs that would be wrong do not compile, or are refused when they are built. None waits for its first call. */
class WrongUsesTest {

    private static final String PROGRAM = """
            import io.counterpoint.idempotency.*;
            import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
            import java.time.Duration;

            class Program {
                Idempotency<InMemoryIdempotencyStore.Transaction> idempotency =
                        Idempotency.on(new InMemoryIdempotencyStore());
                Operation.Builder<InMemoryIdempotencyStore.Transaction, String> builder =
                        idempotency.operation("pay", ResultCodec.string());
                Operation<InMemoryIdempotencyStore.Transaction, String> pay = builder.build();
                PlannedOperation<InMemoryIdempotencyStore.Transaction, String> planned = builder.planned().build();
                ExternalOperation.Builder<InMemoryIdempotencyStore.Transaction, String> external =
                        idempotency.external("mail", ResultCodec.string(), unresolved -> Lookup.notYet());
                Attempt attempt = Attempt.inScope("user:42").key("k").request("7 EUR");

                Object use() throws Exception {
                    return EXPRESSION;
                }
            }
            """;

    @TempDir
    private File classes;

    static Stream<Arguments> wrong() {
        return Stream.of(
                Arguments.of("a plan is forgotten", "planned.execute(attempt, handle -> \"paid\")"),
                Arguments.of("a plan is looked for that nobody makes", "builder.lookUpByPlan((handle, plan) -> true)"),
                Arguments.of("a batch has no plans", "Batch.inOneTransaction(planned)"),
                Arguments.of("parts of a key change places", "new IdempotencyKey(\"pay\", \"user:42\", \"k\")"),
                Arguments.of("a key lacks its operation", "IdempotencyKey.inScope(\"user:42\").value(\"k\")"),
                Arguments.of("an attempt lacks its scope", "Attempt.key(\"k\").request(\"7 EUR\")"),
                Arguments.of("a request has no parts", "Attempt.inScope(\"user:42\").key(\"k\").request()"),
                Arguments.of(
                        "a request is left out",
                        "pay.execute(Attempt.inScope(\"user:42\").key(\"k\"), handle -> \"paid\")"),
                Arguments.of("an outcome is taken for a result", "(String) pay.execute(attempt, handle -> \"paid\")"),
                Arguments.of(
                        "an external effect is thought abandoned",
                        "external.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofMinutes(1))"),
                Arguments.of(
                        "a release is promised of an effect that may be there", "external.releaseOn(thrown -> true)"));
    }

    static Stream<Arguments> right() {
        return Stream.of(
                        "planned.execute(attempt, () -> \"plan\", (handle, plan) -> {})",
                        "builder.planned().lookUpByPlan((handle, plan) -> true)",
                        "Batch.inOneTransaction(pay)",
                        "IdempotencyKey.inScope(\"user:42\").operation(\"pay\").value(\"k\")",
                        "Attempt.inScope(\"user:42\").key(\"k\").withoutRequest()",
                        "pay.execute(attempt, handle -> \"paid\").orElseThrow()",
                        "builder.whenAbandoned(Operation.Abandoned.TAKE_OVER, Duration.ofMinutes(1))",
                        "external.releaseWhenNoEffect(thrown -> true)")
                .map(Arguments::of);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("wrong")
    void wrongUseDoesNotCompile(String what, String use) {
        assertThat(errors(use))
                .as(what)
                .isNotEmpty()
                .allSatisfy(error ->
                        assertThat(error).as("the only line that differs").startsWith("line 17: "));
    }

    @ParameterizedTest
    @MethodSource("right")
    void rightUseCompiles(String use) {
        assertThat(errors(use)).isEmpty();
    }

    @Test
    void whatTheCompilerCannotSeeIsRefusedWhereItIsBuilt() {
        var idempotency = Idempotency.on(new InMemoryIdempotencyStore());
        Supplier<Operation.Builder<?, String>> last =
                () -> idempotency.operation("pay", ResultCodec.string()).protocol(Operation.Protocol.RECORD_LAST);
        assertThatThrownBy(() -> last.get().releaseOn(thrown -> true).build()).hasMessageContaining("releaseOn");
        assertThatThrownBy(() -> last.get().retention(Duration.ofSeconds(1)).build())
                .hasMessageContaining("retention");
        var provider =
                idempotency.provider("charge", ResultCodec.string(), ResultCodec.string(), (key, request) -> "charged");
        assertThatThrownBy(provider::build).hasMessageContaining("rememberedFor");
        assertThatThrownBy(() -> provider.rememberedFor(Duration.ofDays(2)).build())
                .hasMessageContaining("at least as long as the provider remembers a key, 2 days, found 1 day");
    }

    private List<String> errors(String use) {
        DiagnosticCollector<JavaFileObject> found = new DiagnosticCollector<>();
        JavaFileObject source =
                new SimpleJavaFileObject(URI.create("string:///Program.java"), JavaFileObject.Kind.SOURCE) {
                    @Override
                    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                        return PROGRAM.replace("EXPRESSION", use);
                    }
                };
        String library = Attempt.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .getPath();
        boolean unused = ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        found,
                        List.of("-classpath", library, "-d", classes.getPath(), "-proc:none"),
                        null,
                        List.of(source))
                .call();
        return found.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getKind() == Diagnostic.Kind.ERROR)
                .map(diagnostic -> "line " + diagnostic.getLineNumber() + ": " + diagnostic.getMessage(null))
                .collect(Collectors.toList());
    }
}
