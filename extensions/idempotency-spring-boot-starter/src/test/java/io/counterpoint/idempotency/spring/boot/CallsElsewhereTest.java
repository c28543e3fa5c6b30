package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;

/** Handlers of Spring MVC that go on in another thread: what a call of theirs has done there is not denied. */
@Tag("thorough")
class CallsElsewhereTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final ConfigurableApplicationContext APPLICATION = SpringApplication.run(
            Application.class,
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=ERROR",
            "--spring.datasource.url=jdbc:h2:mem:elsewhere",
            "--spring.flyway.enabled=false",
            "--spring.liquibase.enabled=false",
            "--idempotency.anonymous=true",
            "--idempotency.create-table=true");

    @BeforeAll
    static void takeTheKey() {
        assertThat(APPLICATION.getBean(Transfers.class).call("taken", "first")).isEqualTo("first");
    }

    @AfterAll
    static void stop() {
        APPLICATION.close();
    }

    @ParameterizedTest
    @CsvSource({
        "/callable, true", "/callable, false",
        "/task,     true", "/task,     false",
        "/deferred, true", "/deferred, false",
        "/future,   true", "/future,   false",
        "/soon,     true", "/soon,     false",
        "/emitter,  true", "/emitter,  false"
    })
    void refusalSaysWhetherAnotherCallMayHaveHadItsEffect(String path, boolean effect) throws Exception {
        for (String key : new String[] {"", UUID.randomUUID().toString()}) {
            assertThat(post(path + "?effect=" + effect, key).body())
                    .contains(effect ? "#outcome-unresolved" : "#key-reused");
        }
    }

    /** Its request has timed out, so that the container takes it for another one. */
    @Test
    void taskThatOutlivesItsRequestLeavesItsThreadBoundToNothing() throws Exception {
        assertThat(post("/outlives").statusCode()).isEqualTo(503);
        Transfers transfers = APPLICATION.getBean(Transfers.class);
        transfers.outlived.countDown();
        assertThat(transfers.pool.submit(() -> "over").get()).isEqualTo("over");
        assertThat(post("/pool").body()).contains("#outcome-unresolved");
    }

    @Test
    void errorWhoseStatusWasSetBeforeTheEffectIsMarked() throws Exception {
        HttpResponse<String> answer = post("/status-first");
        assertThat(answer.statusCode()).isEqualTo(409);
        assertThat(answer.headers().firstValue("Idempotency-May-Have-Effect")).contains("true");
    }

    /** Spring Security makes a 403 of it, in front of the filter. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void errorThatAFilterInFrontMakesIsMarkedIfThereIsAnEffect(boolean effect) throws Exception {
        HttpResponse<String> answer = post("/denied?effect=" + effect);
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(answer.headers().firstValue("Idempotency-May-Have-Effect").isPresent())
                .isEqualTo(effect);
    }

    /** A problem in the middle of a stream would be taken for a part of it. The container breaks it off. */
    @Test
    void streamThatHasBegunGetsNoProblem() {
        assertThatThrownBy(() -> post("/begun", "")).isInstanceOf(IOException.class);
    }

    private static HttpResponse<String> post(String path) throws Exception {
        return post(path, UUID.randomUUID().toString());
    }

    private static HttpResponse<String> post(String path, String key) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://localhost:" + APPLICATION.getEnvironment().getProperty("local.server.port") + path))
                .POST(HttpRequest.BodyPublishers.noBody());
        if (!key.isEmpty()) {
            request.header("Idempotency-Key", key);
        }
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Transfers.class)
    static class Application {
        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .build();
        }
    }

    @RestController
    static class Transfers {
        private final Operation<?, String> transfer;
        private final CountDownLatch outlived = new CountDownLatch(1);
        private final ThreadPoolTaskExecutor pool = new ThreadPoolTaskExecutor();

        Transfers(Idempotency<?> idempotency) {
            transfer = idempotency.operation("transfer", ResultCodec.string()).build();
            pool.setCorePoolSize(1);
            pool.setDaemon(true);
            pool.initialize();
        }

        /** Under keys of their own: the second one is refused. */
        private String calls(boolean effect) {
            return (effect ? call(UUID.randomUUID().toString(), "own") : "") + call("taken", "second");
        }

        private String call(String key, String request) {
            return transfer.execute(Attempt.inScope("transfers").key(key).request(request), connection -> request)
                    .orElseThrow();
        }

        @PostMapping("/callable")
        Callable<String> callable(@RequestParam boolean effect) {
            return () -> calls(effect);
        }

        @PostMapping("/task")
        WebAsyncTask<String> task(@RequestParam boolean effect) {
            return new WebAsyncTask<>(() -> calls(effect));
        }

        @PostMapping("/future")
        CompletableFuture<String> future(@RequestParam boolean effect) {
            return CompletableFuture.supplyAsync(() -> calls(effect));
        }

        /** Its result is already available when it returns. */
        @PostMapping("/soon")
        CompletableFuture<String> soon(@RequestParam boolean effect) {
            CompletableFuture<String> ended = future(effect);
            var unused = ended.handle((result, thrown) -> thrown).join();
            return ended;
        }

        @PostMapping("/deferred")
        DeferredResult<String> deferred(@RequestParam boolean effect) {
            DeferredResult<String> deferred = new DeferredResult<>();
            var unused = future(effect).whenComplete((result, thrown) -> deferred.setErrorResult(thrown.getCause()));
            return deferred;
        }

        @PostMapping("/outlives")
        WebAsyncTask<String> outlives() {
            return new WebAsyncTask<>(1L, pool, () -> {
                while (true) {
                    try {
                        outlived.await();
                        return "late";
                    } catch (InterruptedException timedOut) {
                        // It goes on.
                    }
                }
            });
        }

        @PostMapping("/pool")
        CompletableFuture<String> inThePool() {
            return CompletableFuture.supplyAsync(() -> calls(true), pool);
        }

        @PostMapping("/denied")
        void denied(@RequestParam boolean effect) {
            String unused = effect ? call(UUID.randomUUID().toString(), "own") : "";
            throw new AccessDeniedException("denied");
        }

        @PostMapping("/status-first")
        CompletableFuture<ResponseEntity<Void>> statusFirst(HttpServletResponse response) {
            response.setStatus(409);
            return CompletableFuture.runAsync(() -> call(UUID.randomUUID().toString(), "own"))
                    .thenApply(done -> null);
        }

        @PostMapping("/begun")
        ResponseBodyEmitter begun() throws IOException {
            ResponseBodyEmitter emitter = new ResponseBodyEmitter();
            emitter.send("begun");
            var unused = future(false).whenComplete((result, thrown) -> emitter.completeWithError(thrown.getCause()));
            return emitter;
        }

        @PostMapping("/emitter")
        ResponseBodyEmitter emitter(@RequestParam boolean effect) {
            ResponseBodyEmitter emitter = new ResponseBodyEmitter();
            var unused = future(effect).whenComplete((result, thrown) -> emitter.completeWithError(thrown.getCause()));
            return emitter;
        }
    }
}
