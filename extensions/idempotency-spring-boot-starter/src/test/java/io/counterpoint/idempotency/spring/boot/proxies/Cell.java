package io.counterpoint.idempotency.spring.boot.proxies;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.springframework.util.ClassUtils;

/**
 * One bean with an annotated method.
 *
 * @param name of its package
 * @param shape of the bean
 * @param result of the method
 * @param companion the annotation beside ours
 */
record Cell(String name, String shape, Result result, Companion companion) {

    /**
     * What a method returns.
     *
     * @param type as it is declared
     * @param value an expression for it, of a parameter key
     */
    record Result(String type, String value) {
        static final Result TEXT = new Result("String", "Effects.of(key)");
        static final Result NOTHING = new Result("void", "Effects.of(key)");

        String boxed() {
            return switch (type) {
                case "void" -> "Void";
                case "int" -> "Integer";
                default -> type;
            };
        }
    }

    /**
     * Another annotation of the method.
     *
     * @param name of the column
     * @param onMethod the annotation
     * @param enabling what makes it work
     */
    record Companion(String name, String onMethod, String enabling) {}

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.annotation.Idempotent;
            import io.counterpoint.idempotency.spring.boot.proxies.Effects;
            import java.lang.reflect.Proxy;
            import java.util.*;
            import java.util.concurrent.*;
            import java.util.function.*;
            import java.util.stream.*;
            import org.aspectj.lang.ProceedingJoinPoint;
            import org.aspectj.lang.annotation.Around;
            import org.aspectj.lang.annotation.Aspect;
            import org.springframework.beans.factory.*;
            import org.springframework.beans.factory.annotation.*;
            import org.springframework.beans.factory.config.*;
            import org.springframework.beans.factory.support.*;
            import org.springframework.cache.annotation.*;
            import org.springframework.context.annotation.*;
            import org.springframework.context.annotation.Scope;
            import org.springframework.core.*;
            import org.springframework.core.annotation.Order;
            import org.springframework.retry.annotation.*;
            import org.springframework.scheduling.annotation.*;
            import org.springframework.security.access.prepost.*;
            import org.springframework.security.config.annotation.method.configuration.*;
            import org.springframework.transaction.annotation.*;
            """;
    private static final Pattern PARTS = Pattern.compile("(?=package [.;])");
    private static final String PLAIN_SETUP = " @Import(Target.class) class Setup { }";

    private static final List<Companion> COMPANIONS = List.of(
            new Companion("none", "", ""),
            new Companion("@Transactional", "@Transactional", "@EnableTransactionManagement"),
            new Companion("@Retryable", "@Retryable(backoff = @Backoff(delay = 1))", "@EnableRetry(order = 0)"),
            new Companion("@Async", "@Async", "@EnableAsync"),
            new Companion("@Cacheable", "@Cacheable(\"answers\")", "@EnableCaching(order = 0)"),
            new Companion("@PreAuthorize", "@PreAuthorize(\"hasRole('BUYER')\")", "@EnableMethodSecurity"));

    /** Those whose place, or whose kind, is another than the usual. */
    private static List<Companion> unusual() {
        List<Companion> all = new ArrayList<>();
        all.add(new Companion("@Transactional in front", "@Transactional", "@EnableTransactionManagement(order = 0)"));
        for (String kind : List.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER", "NESTED", "SUPPORTS", "MANDATORY")) {
            all.add(new Companion(
                    "@Transactional " + kind,
                    "@Transactional(propagation = Propagation." + kind + ")",
                    "@EnableTransactionManagement"));
        }
        all.add(new Companion("@Retryable behind", "@Retryable(backoff = @Backoff(delay = 1))", "@EnableRetry"));
        all.add(new Companion("@Cacheable behind", "@Cacheable(\"answers\")", "@EnableCaching"));
        all.add(new Companion("@CachePut behind", "@CachePut(\"answers\")", "@EnableCaching"));
        all.add(new Companion(
                "@PreAuthorize behind",
                "@PreAuthorize(\"hasRole('BUYER')\")",
                "@EnableMethodSecurity(offset = Integer.MAX_VALUE - 500)"));
        all.add(new Companion(
                "@Async of the first order", "@Async", "@EnableAsync(order = Ordered.HIGHEST_PRECEDENCE)"));
        all.add(aspect("counting aspect", "", "return point.proceed();"));
        String retry =
                "try { return point.proceed(); } catch (IllegalStateException failed) { return point.proceed(); }";
        all.add(aspect("retrying aspect behind", "", retry));
        all.add(aspect("retrying aspect in front", "@Order(0)", retry));
        if (ClassUtils.isPresent("org.springframework.resilience.annotation.Retryable", Cell.class.getClassLoader())) {
            String resilience = "@org.springframework.resilience.annotation.";
            all.add(new Companion(
                    "@Retryable of Spring 7",
                    resilience + "Retryable(delay = 1)",
                    resilience + "EnableResilientMethods"));
        }
        return all;
    }

    private static Companion aspect(String name, String order, String advice) {
        return new Companion(
                name,
                "",
                order + " @Aspect class Advice { @Around(\"execution(* cell..Target.run(..))\")"
                        + " Object around(ProceedingJoinPoint point) throws Throwable { " + advice + " } }"
                        + " @EnableAspectJAutoProxy @Import(Advice.class)");
    }

    private static final List<Result> RESULTS = List.of(
            Result.NOTHING,
            new Result("int", "Effects.of(key).hashCode()"),
            new Result("UUID", "UUID.fromString(Effects.of(key))"),
            new Result("Optional<String>", "Optional.of(Effects.of(key))"),
            new Result("List<String>", "List.of(Effects.of(key))"),
            new Result("Map<String, List<UUID>>", "Map.of(key, List.of(UUID.fromString(Effects.of(key))))"),
            new Result("Object", "Effects.of(key)"),
            new Result("reactor.core.publisher.Mono<String>", "reactor.core.publisher.Mono.fromSupplier(LATER)"),
            new Result("reactor.core.publisher.Flux<String>", "reactor.core.publisher.Mono.fromSupplier(LATER).flux()"),
            new Result("Flow.Publisher<String>", "subscriber -> Effects.of(key)"),
            new Result("CompletableFuture<String>", "CompletableFuture.supplyAsync(LATER)"),
            new Result("CompletionStage<String>", "CompletableFuture.supplyAsync(LATER)"),
            new Result("Future<String>", "CompletableFuture.supplyAsync(LATER)"),
            new Result("CompletableFuture<String>[]", "new CompletableFuture[] {CompletableFuture.supplyAsync(LATER)}"),
            new Result("List<CompletableFuture<String>>", "List.of(CompletableFuture.supplyAsync(LATER))"),
            new Result("Optional<Callable<String>>", "Optional.of(() -> Effects.of(key))"),
            new Result("Callable<String>", "() -> Effects.of(key)"),
            new Result("Supplier<String>", "() -> Effects.of(key)"),
            new Result("Runnable", "() -> Effects.of(key)"),
            new Result("Stream<String>", "Stream.of(key).map(Effects::of)"),
            new Result("IntStream", "IntStream.of(1).peek(each -> Effects.of(key))"),
            new Result("Iterator<String>", "Stream.of(key).map(Effects::of).iterator()"),
            new Result("Iterable<String>", "() -> Stream.of(key).map(Effects::of).iterator()"),
            new Result("Spliterator<String>", "Stream.of(key).map(Effects::of).spliterator()"),
            new Result("java.io.InputStream", "new java.io.ByteArrayInputStream(Effects.of(key).getBytes())"),
            web("context.request.async.DeferredResult<String>", "new TYPE(1L, LATER)"),
            web("context.request.async.WebAsyncTask<String>", "new TYPE(() -> Effects.of(key))"));

    private static Result web(String type, String value) {
        String full = "org.springframework.web." + type;
        return new Result(full, value.replace("TYPE", full));
    }

    /** All cells. */
    static List<Cell> all() {
        List<Cell> cells = new ArrayList<>();
        for (String shape : Shapes.all().keySet()) {
            for (Companion companion : COMPANIONS) {
                Result usual = companion.name().equals("@Async") ? Result.NOTHING : Result.TEXT;
                add(cells, shape, usual, companion);
            }
        }
        for (String shape : List.of("class", "interface", "generic result")) {
            for (Companion companion : unusual()) {
                add(cells, shape, companion.name().startsWith("@Async") ? Result.NOTHING : Result.TEXT, companion);
            }
        }
        for (String shape : List.of("class", "generic result", "generic template")) {
            for (Result result : RESULTS) {
                add(cells, shape, result, COMPANIONS.get(0));
            }
        }
        add(cells, "class", Result.TEXT, COMPANIONS.get(3));
        return cells;
    }

    private static void add(List<Cell> cells, String shape, Result result, Companion companion) {
        cells.add(new Cell("cell.c" + cells.size(), shape, result, companion));
    }

    /** Whether it is one of the many whose parts other cells have too. */
    boolean isProductOfUsual() {
        boolean many =
                COMPANIONS.indexOf(companion) > 0 || (companion.equals(COMPANIONS.get(0)) && RESULTS.contains(result));
        return many && !shape.equals("class");
    }

    /** The source files of this cell, by their names. */
    Map<String, String> sources() {
        String code = Shapes.all().get(shape);
        if (!code.contains("class Setup")) {
            code += code.contains("package .heir") ? PLAIN_SETUP.replace(" class", " public class") : PLAIN_SETUP;
        }
        code += "\npackage .enabling;\n" + companion.enabling() + " public class Enabling { }";
        Map<String, String> files = new LinkedHashMap<>();
        for (String part : PARTS.splitAsStream("package ;\n" + code).toList()) {
            int end = part.indexOf(';');
            String suffix = part.substring("package ".length(), end).strip();
            if (!part.substring(end + 1).isBlank()) {
                files.put(
                        name + suffix + ".java",
                        "package " + name + suffix + ";\n" + IMPORTS + filled(part.substring(end + 1)));
            }
        }
        return files;
    }

    private String filled(String code) {
        boolean nothing = result.type().equals("void");
        String value = result.value().replace("LATER", "() -> Effects.of(key)");
        return code.replaceAll("(?<![\\w.])cell\\.", name + ".")
                .replace("(* cell..", "(* " + name + "..")
                .replace(
                        "@@",
                        "@Idempotent(operation = \"" + name + "\", key = KEY, scope = \"'test'\") "
                                + companion.onMethod())
                .replace(
                        "KEY",
                        code.contains("String key = \"made") || code.contains("afterPropertiesSet")
                                ? "\"'made'\""
                                : "\"#key\"")
                .replace("WORK_BOXED(key)", nothing ? value + "; return null;" : "return " + value + ";")
                .replace("WORK(key)", nothing ? value + ";" : "return " + value + ";")
                .replaceAll("CALL_SELF\\((.*?\\))\\) \\}", nothing ? "$1; }" : "return $1; }")
                .replaceAll("CALL\\((.*?\\))\\) \\}", nothing ? "$1; return null; }" : "return $1; }")
                .replaceAll("CALL\\((.*?\\))\\)\\s*\\}", nothing ? "$1; return null; }" : "return $1; }")
                .replace("RESULT", result.type())
                .replace("BOXED", result.boxed());
    }

    /** The package of the class that makes its beans. */
    String setup() {
        return Shapes.all().get(shape).contains("package .heir") ? name + ".heir.Setup" : name + ".Setup";
    }

    /** Where its routes may be. */
    List<String> routes() {
        return List.of(name + ".Routes", name + ".base.Routes");
    }
}
