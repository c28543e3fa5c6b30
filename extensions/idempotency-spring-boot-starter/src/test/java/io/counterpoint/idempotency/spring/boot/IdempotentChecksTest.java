package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.analysisOf;
import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.util.ClassUtils.isPresent;

import io.counterpoint.idempotency.annotation.Idempotent;
import jakarta.servlet.http.HttpServletRequest;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.http.HttpEntity;
import org.springframework.web.servlet.function.ServerRequest;
import reactor.core.publisher.Mono;

/** A wrong use of the annotation keeps the application from starting, with a message that says what to do. */
public class IdempotentChecksTest {

    /** What is wrong, and words of its description. */
    record Wrong(Class<?> service, List<String> words) {
        Wrong(Class<?> service, String... words) {
            this(service, List.of(words));
        }

        @Override
        public String toString() {
            return service.getSimpleName();
        }
    }

    static Wrong[] wrongUses() {
        return new Wrong[] {
            new Wrong(PrivateMethod.class, "PrivateMethod.go", "private"),
            new Wrong(FinalMethod.class, "FinalMethod.go", "final method"),
            new Wrong(StaticMethod.class, "StaticMethod.go", "static"),
            new Wrong(FinalClass.class, "FinalClass.go", "FinalClass is final"),
            new Wrong(Reactive.class, "Reactive.go", "reactor.core.publisher.Mono"),
            new Wrong(Later.class, "Later.go", "CompletableFuture"),
            new Wrong(BlankKey.class, "BlankKey.go", "key is blank"),
            new Wrong(NoExpression.class, "NoExpression.go", "[#key +] is not a valid expression"),
            new Wrong(UnknownName.class, "UnknownName.go", "uses #id", "[key]"),
            new Wrong(UnknownNameInRequest.class, "request [#order.id] uses #order"),
            new Wrong(SumInAList.class, "SumInAList.go", "[{'a' + #key}.toString()] uses +"),
            new Wrong(ScopeOfAnAttempt.class, "ScopeOfAnAttempt.go", "[#attempt] is an attempt", "ignored"),
            new Wrong(RequestOfAPart.class, "RequestOfAPart.go", "is an attempt", "ignored"),
            new Wrong(BadOperation.class, "BadOperation.go", "its operation name is not valid"),
            new Wrong(Incomparable.class, "Incomparable.go", "parameter order", "java.util.Map"),
            new Wrong(UnstorableResult.class, "UnstorableResult.go", "java.lang.Object", "cannot be stored"),
            new Wrong(RefusedOption.class, "RefusedOption.go", "its options are not valid", "retries"),
            new Wrong(RefusedDuration.class, "RefusedDuration.go", "soon"),
            new Wrong(DurationWithoutUnit.class, "DurationWithoutUnit.go", "such as 24h or 24ms"),
            new Wrong(ReadOncePart.class, "ReadOncePart.go", "can be read once only"),
            new Wrong(ReadOnceVariable.class, "ReadOnceVariable.go", "can be read once only"),
            new Wrong(ReadOnceWildcard.class, "ReadOnceWildcard.go", "can be read once only"),
            new Wrong(ReadOnceValue.class, "ReadOnceValue.go", "can be read once only"),
            new Wrong(ReadOnceEntity.class, "ReadOnceEntity.go", "can be read once only"),
            new Wrong(ReadOnceFunctional.class, "ReadOnceFunctional.go", "can be read once only"),
            new Wrong(ReadOnceRequest.class, "ReadOnceRequest.go", "can be read once only"),
            new Wrong(TwoOfOneName.class, "operation same already belongs to", "TwoOfOneName"),
            new Wrong(LazyService.class, "LazyService.go", "key is blank"),
        };
    }

    @ParameterizedTest
    @MethodSource("wrongUses")
    void wrongUseIsToldAtTheStart(Wrong wrong) {
        onH2().withUserConfiguration(wrong.service()).run(context -> {
            FailureAnalysis analysis = analysisOf(context.getStartupFailure());
            assertThat(analysis.getDescription()).contains("@Idempotent on").contains(wrong.words());
            assertThat(analysis.getAction()).isNotBlank();
        });
    }

    @Test
    void parameterThatMakesANewStreamEachTimeIsAccepted() {
        onH2().withBean(MadeEachTime.class).run(context -> assertThat(context).hasNotFailed());
    }

    /** Whose currencies or tenants may differ. */
    @Test
    void beansOfOneClassAreToldAtTheStart() {
        onH2().withBean("euros", Right.class, Right::new)
                .withBean("dollars", Right.class, Right::new)
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("Right.go", "the beans euros and dollars", "replay the results of the other"));
    }

    /** The second call of a request with its attempt is rejected. */
    @Test
    void beansOfOneClassMayUseTheAttemptOfTheRequest() {
        onH2().withPropertyValues("idempotency.anonymous=true")
                .withBean("euros", OfRequest.class, OfRequest::new)
                .withBean("dollars", OfRequest.class, OfRequest::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void scopedProxyAndItsTargetAreOneBean() {
        onH2().withUserConfiguration(ScopedService.class).run(context -> {
            assertThat(context).hasNotFailed();
            Right right = context.getBean(Right.class);
            assertThat(right.go("k")).isEqualTo(right.go("k"));
        });
    }

    @Test
    void resultWithoutJacksonIsToldAtTheStart() {
        onH2().withClassLoader(new FilteredClassLoader("tools.jackson", "com.fasterxml.jackson"))
                .withUserConfiguration(Stored.class)
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("Stored.go", "Jackson is not on the class path", "spring-boot-starter-jackson"));
    }

    /** Here it is springdoc that brings both. */
    @Test
    void newestJacksonIsTakenWhereAnotherLibraryBringsThatBeforeItToo() {
        assertThat(isPresent("com.fasterxml.jackson.databind.json.JsonMapper", null))
                .isTrue();
        String newest = isPresent("tools.jackson.databind.json.JsonMapper", null) ? "Jackson3" : "Jackson2";

        onH2().withUserConfiguration(Right.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBeanFactory()
                            .getMergedBeanDefinition("idempotencyResultCodecs")
                            .getFactoryBeanName())
                    .contains(newest);
        });
    }

    @Test
    void jacksonWithoutItsModulesIsNoJackson() {
        onH2().withClassLoader(new FilteredClassLoader("tools.jackson", "com.fasterxml.jackson.datatype.jdk8"))
                .withUserConfiguration(Stored.class)
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("Stored.go", "Jackson is not on the class path"));
    }

    @Test
    void scopeIsNeededWhereNobodyIsAuthenticated() {
        onH2().withClassLoader(new FilteredClassLoader("org.springframework.security"))
                .withUserConfiguration(NoScope.class)
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getDescription())
                        .contains("NoScope.go", "its scope is not set"));
    }

    @Test
    void annotatedMethodWithoutADatabaseIsToldAtTheStart() {
        Contexts.bare()
                .withUserConfiguration(Right.class)
                .run(context -> assertThat(
                                analysisOf(context.getStartupFailure()).getAction())
                        .contains("DataSource"));
    }

    @Configuration(proxyBeanMethods = false)
    static class ScopedService {
        @Bean
        @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
        Right right() {
            return new Right();
        }
    }

    static class Right {
        private int runs;

        @Idempotent(operation = "right", key = "#key", scope = "'test'")
        public int go(String key) {
            return ++runs;
        }
    }

    @SuppressWarnings({"UnusedMethod", "UnusedVariable"}) // Nobody could call it.
    static class PrivateMethod {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        private void go(String key) {}
    }

    static class FinalMethod {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public final void go(String key) {}
    }

    static class StaticMethod {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public static void go(String key) {}
    }

    static final class FinalClass {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public void go(String key) {}
    }

    static class Reactive {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public Mono<String> go(String key) {
            return Mono.just(key);
        }
    }

    static class Later {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public CompletableFuture<String> go(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }

    static class BlankKey {
        @Idempotent(operation = "x", key = " ", scope = "'s'")
        public void go(String key) {}
    }

    static class NoExpression {
        @Idempotent(operation = "x", key = "#key +", scope = "'s'")
        public void go(String key) {}
    }

    static class UnknownName {
        @Idempotent(operation = "x", key = "#id", scope = "'s'")
        public void go(String key) {}
    }

    static class UnknownNameInRequest {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", request = "#order.id")
        public void go(String key) {}
    }

    public static class NoScope {
        @Idempotent(operation = "x", key = "#key")
        public void go(String key) {}
    }

    static class BadOperation {
        @Idempotent(operation = "place order", key = "#key", scope = "'s'")
        public void go(String key) {}
    }

    static class Incomparable {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public void go(String key, Map<String, String> order) {}
    }

    static class UnstorableResult {
        @Idempotent(operation = "x", key = "#key", scope = "'s'")
        public Object go(String key) {
            return key;
        }
    }

    static class RefusedOption {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", maxRetries = 1000)
        public void go(String key) {}
    }

    static class RefusedDuration {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", retention = "soon")
        public void go(String key) {}
    }

    static class DurationWithoutUnit {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", retention = "24")
        public void go(String key) {}
    }

    record Upload(String id, Optional<InputStream> content) {}

    static class ReadOncePart {
        @Idempotent(operation = "x", key = "#uploads[0].id", scope = "'s'", request = "#uploads[0].id")
        public void go(List<Upload> uploads) {}
    }

    static class ReadOnceVariable {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", request = "#key")
        public <T extends InputStream> void go(String key, T content) {}
    }

    static class ReadOnceWildcard {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", request = "#key")
        public void go(String key, List<? extends InputStream> contents) {}
    }

    static class ReadOnceValue {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", request = "#key")
        public void go(String key, Map<String, InputStream> contents) {}
    }

    static class ReadOnceEntity {
        @Idempotent(operation = "x", key = "#attempt")
        public void go(HttpEntity<InputStream> entity) {}
    }

    static class ReadOnceFunctional {
        @Idempotent(operation = "x", key = "#attempt")
        public void go(ServerRequest request) {}
    }

    static class MadeEachTime {
        @Idempotent(operation = "x", key = "#key", scope = "'s'", request = "#key")
        public void go(String key, Supplier<InputStream> content) {}
    }

    static class ReadOnceRequest {
        @Idempotent(operation = "x", key = "#attempt")
        public void go(HttpServletRequest request) {}
    }

    static class OfRequest {
        @Idempotent(operation = "x", key = "#attempt.derive('1')")
        public void go() {}
    }

    static class TwoOfOneName {
        @Idempotent(operation = "same", key = "#key", scope = "'s'")
        public void go(String key) {}

        @Idempotent(operation = "same", key = "#key", scope = "'s'")
        public void stay(String key) {}
    }

    @Lazy
    static class SumInAList {
        @Idempotent(operation = "x", key = "{'a' + #key}.toString()", scope = "'s'")
        public void go(String key) {}
    }

    static class ScopeOfAnAttempt {
        @Idempotent(operation = "x", key = "#attempt", scope = "'tenant:' + #tenant")
        public void go(String tenant) {}
    }

    static class RequestOfAPart {
        @Idempotent(operation = "x", key = "#attempt.derive('p')", request = "#item")
        public void go(String item) {}
    }

    static class LazyService {
        @Idempotent(operation = "x", key = " ", scope = "'s'")
        public void go(String key) {}
    }

    /** Visible to the proxy of another class loader. */
    public static class Stored {
        @Idempotent(operation = "stored", key = "#key", scope = "'test'")
        public String go(String key) {
            return key;
        }
    }
}
