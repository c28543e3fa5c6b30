package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.servlet.FilterManaged;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import io.counterpoint.idempotency.servlet.Meaning;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import io.counterpoint.idempotency.servlet.ScopeResolver;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

/**
 * What an error of a handler of Spring MVC says of its effect, on a route whose responses the filter stores: it frees the key
 * only if the handler has chosen it, and nothing is known to be committed.
 */
@Tag("thorough")
class StatusesTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final ConfigurableApplicationContext APPLICATION = SpringApplication.run(
            Application.class,
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=ERROR",
            "--spring.datasource.url=jdbc:h2:mem:statuses",
            "--spring.flyway.enabled=false",
            "--spring.liquibase.enabled=false",
            "--idempotency.create-table=true");

    @AfterAll
    static void stop() {
        APPLICATION.close();
    }

    /** Each path with its first status, the rows it leaves, and whether a retry may run the handler. */
    @ParameterizedTest
    @CsvSource(textBlock = """
            /not-acceptable,  406, 1, false
            /bad-range,       416, 1, false
            /refuses,         404, 0, true
            /status,          409, 0, true
            /problem,         422, 0, true
            /missing,         400, 0, true
            /throws,          400, 0, true
            /throws-later,    400, 0, true
            /refuses-later,   404, 0, true
            /rolled-back,     404, 0, true
            /read-only,       404, 0, true
            /committed,       404, 1, false
            /throws-after,    400, 1, false
            /separate,        404, 1, false
            /means-nothing,   410, 1, true
            /task-committed,  404, 1, false
            /elsewhere,       404, 1, false
            /elsewhere-soon,  404, 1, false
            /returns-nothing, 412, 1, false
            /model,           409, 0, true
            /forwards,        400, 0, true
            /two-refusals,    406, 0, true
            /denied-after,    403, 1, false
            /denied-started,  403, 1, false
            /task-denied,     403, 1, false
            /stream-throws,   400, 1, false
            /status-first,    409, 1, false
            """)
    void errorFreesTheKeyOnlyIfTheHandlerHasChosenItAndNothingIsCommitted(
            String path, int status, int rows, boolean frees) throws Exception {
        JdbcTemplate jdbc = APPLICATION.getBean(JdbcTemplate.class);
        jdbc.execute("delete from transfers");

        HttpResponse<String> first = post(path);

        assertThat(first.statusCode()).as(first.body()).isEqualTo(status);
        assertThat(first.headers().firstValue("Idempotency-May-Have-Effect").isPresent())
                .isNotEqualTo(frees);
        assertThat(jdbc.queryForObject("select count(*) from transfers", Integer.class))
                .isEqualTo(rows);
        HttpResponse<String> retry = post(path);
        while (frees && retry.body().contains("#request-outstanding")) {
            // The answer of an asynchronous handler can be here before its record.
            retry = post(path);
        }
        if (frees) {
            assertThat(retry.statusCode()).isEqualTo(status);
        } else {
            assertThat(retry.body()).contains("#request-outstanding");
            assertThat(jdbc.queryForObject("select count(*) from transfers", Integer.class))
                    .isEqualTo(rows);
        }
    }

    /** The store has committed the failure, and the call says that it has no effect. */
    @Test
    void keyOfAHandlerWhoseCallHasFailedIsFree() throws Exception {
        HttpResponse<String> first = post("/task-call-fails");
        HttpResponse<String> retry;
        do {
            // The answer of an asynchronous handler can be here before its record.
            retry = post("/task-call-fails");
        } while (retry.body().contains("#request-outstanding"));

        assertThat(first.statusCode()).isEqualTo(400);
        assertThat(first.headers().firstValue("Idempotency-May-Have-Effect")).isEmpty();
        assertThat(retry.body()).contains("#attempt-failed");
    }

    @Test
    void responseThatATaskOutlastsProvesNothing() throws Exception {
        HttpResponse<String> first = post("/task-goes-on");
        HttpResponse<String> retry = post("/task-goes-on");
        APPLICATION.getBean(Transfers.class).answered.countDown();

        assertThat(first.statusCode()).isEqualTo(409);
        assertThat(first.headers().firstValue("Idempotency-May-Have-Effect")).contains("true");
        assertThat(retry.body()).contains("#request-outstanding");
    }

    /** A job calls an operation meanwhile, on a thread that serves no request. */
    @Test
    void callsOfOthersKeepNoKey() throws Exception {
        Transfers transfers = APPLICATION.getBean(Transfers.class);
        FutureTask<HttpResponse<String>> first = new FutureTask<>(() -> post("/refuses-meanwhile"));
        new Thread(first, "client").start();
        transfers.refusing.await();
        assertThat(transfers
                        .call
                        .execute(Attempt.inScope("job").key("k").request("r"), connection -> "done")
                        .asOptional())
                .contains("done");
        transfers.called.countDown();
        assertThat(first.get().statusCode()).isEqualTo(404);
        assertThat(first.get().headers().firstValue("Idempotency-May-Have-Effect"))
                .isEmpty();
        HttpResponse<String> retry;
        do {
            retry = post("/refuses-meanwhile");
        } while (retry.body().contains("#request-outstanding"));
        assertThat(retry.statusCode()).isEqualTo(404);
    }

    private static HttpResponse<String> post(String path) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(
                        "http://localhost:" + APPLICATION.getEnvironment().getProperty("local.server.port") + path))
                .header("Idempotency-Key", "\"" + path + "\"")
                .POST(HttpRequest.BodyPublishers.noBody());
        if (path.equals("/not-acceptable") || path.equals("/two-refusals")) {
            request.header("Accept", "application/pdf");
        } else if (path.equals("/bad-range")) {
            request.header("Range", "bytes=900-");
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

        @Bean
        WebMvcConfigurer interceptors() {
            return new WebMvcConfigurer() {
                @Override
                public void addInterceptors(InterceptorRegistry registry) {
                    registry.addInterceptor(new HandlerInterceptor() {
                                @Override
                                public void postHandle(
                                        HttpServletRequest request,
                                        HttpServletResponse response,
                                        Object handler,
                                        @Nullable ModelAndView model) {
                                    throw new ResponseStatusException(HttpStatus.PRECONDITION_FAILED);
                                }
                            })
                            .addPathPatterns("/returns-nothing");
                }
            };
        }

        @Bean
        FilterRegistrationBean<IdempotencyFilter> filter(Idempotency<?> idempotency) {
            FilterManaged stored = FilterManaged.storedIn(idempotency, "transfer")
                    .means(Meaning.NO_EFFECT, 410)
                    .build();
            var filter = new FilterRegistrationBean<>(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                    .elsewhere(RoutePolicy.required().responses(stored))
                    .build());
            filter.setDispatcherTypes(DispatcherType.REQUEST, DispatcherType.FORWARD, DispatcherType.ASYNC);
            return filter;
        }
    }

    @RestController
    static class Transfers {
        private final JdbcTemplate jdbc;
        private final PlatformTransactionManager manager;
        private final Operation<?, String> call;
        private final CountDownLatch refusing = new CountDownLatch(1);
        private final CountDownLatch called = new CountDownLatch(1);
        private final CountDownLatch answered = new CountDownLatch(1);

        Transfers(JdbcTemplate jdbc, PlatformTransactionManager manager, Idempotency<?> idempotency) {
            this.call = idempotency.operation("call", ResultCodec.string()).build();
            this.jdbc = jdbc;
            this.manager = manager;
            jdbc.execute("create table if not exists transfers (id int)");
        }

        private void transfer() {
            in(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> insert());
        }

        private void insert() {
            jdbc.update("insert into transfers values (1)");
        }

        private TransactionTemplate in(int propagation) {
            TransactionTemplate template = new TransactionTemplate(manager);
            template.setPropagationBehavior(propagation);
            return template;
        }

        /** Spring Security answers it, in front of the filter. */
        @PostMapping("/denied-after")
        void deniedAfter() {
            transfer();
            throw new AccessDeniedException("denied");
        }

        @PostMapping("/denied-started")
        void deniedOnceStarted(HttpServletRequest request) {
            insert();
            request.startAsync();
            throw new AccessDeniedException("denied");
        }

        @PostMapping("/task-denied")
        Callable<String> deniedInATask() {
            return () -> {
                insert();
                throw new AccessDeniedException("denied");
            };
        }

        @PostMapping("/stream-throws")
        StreamingResponseBody throwsInAStream() {
            return out -> {
                insert();
                throw new IllegalArgumentException("no");
            };
        }

        /** Nothing says yet that the handler goes on elsewhere. */
        @PostMapping("/status-first")
        CompletableFuture<Void> statusFirst(HttpServletResponse response) {
            CompletableFuture<Void> ended = CompletableFuture.runAsync(() -> {
                transfer();
                response.setStatus(409);
            });
            ended.join();
            return ended;
        }

        @PostMapping(path = "/not-acceptable")
        Map<String, Integer> notAcceptable() {
            transfer();
            return Map.of("transfer", 1);
        }

        @PostMapping(path = "/bad-range", produces = MediaType.APPLICATION_OCTET_STREAM_VALUE)
        Resource badRange() {
            transfer();
            return new ByteArrayResource("receipt".getBytes(StandardCharsets.UTF_8));
        }

        @PostMapping("/refuses")
        ResponseEntity<String> refuses() {
            return ResponseEntity.notFound().build();
        }

        @PostMapping("/status")
        @ResponseStatus(HttpStatus.CONFLICT)
        String status() {
            return "no";
        }

        @PostMapping("/problem")
        ProblemDetail problem() {
            return ProblemDetail.forStatus(422);
        }

        @PostMapping("/missing")
        void missing(@RequestParam String amount) {
            transfer();
        }

        @PostMapping("/throws")
        void fails() {
            throw new IllegalArgumentException("no");
        }

        @PostMapping("/throws-later")
        Callable<String> failsLater() {
            return () -> {
                throw new IllegalArgumentException("no");
            };
        }

        @PostMapping("/refuses-later")
        Callable<ResponseEntity<String>> refusesLater() {
            return () -> ResponseEntity.notFound().build();
        }

        @PostMapping("/refuses-meanwhile")
        Callable<ResponseEntity<String>> refusesMeanwhile() {
            return () -> {
                refusing.countDown();
                called.await();
                return ResponseEntity.notFound().build();
            };
        }

        @PostMapping("/rolled-back")
        ResponseEntity<String> rolledBack() {
            in(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
                insert();
                status.setRollbackOnly();
            });
            return ResponseEntity.notFound().build();
        }

        @PostMapping("/read-only")
        ResponseEntity<String> readOnly() {
            TransactionTemplate template = in(TransactionDefinition.PROPAGATION_REQUIRED);
            template.setReadOnly(true);
            template.executeWithoutResult(status -> jdbc.queryForList("select * from transfers"));
            return ResponseEntity.notFound().build();
        }

        @PostMapping("/committed")
        ResponseEntity<String> committed() {
            transfer();
            return ResponseEntity.notFound().build();
        }

        @PostMapping("/throws-after")
        void failsAfter() {
            transfer();
            throw new IllegalArgumentException("no");
        }

        @PostMapping("/separate")
        ResponseEntity<String> separate() {
            in(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(status -> {
                in(TransactionDefinition.PROPAGATION_REQUIRES_NEW).executeWithoutResult(inner -> insert());
                status.setRollbackOnly();
            });
            return ResponseEntity.notFound().build();
        }

        @PostMapping("/means-nothing")
        ResponseEntity<String> meansNothing() {
            transfer();
            throw new ResponseStatusException(HttpStatus.GONE);
        }

        @PostMapping("/task-committed")
        Callable<ResponseEntity<String>> commitsInATask() {
            return () -> {
                transfer();
                return ResponseEntity.notFound().build();
            };
        }

        @PostMapping("/task-call-fails")
        Callable<String> callFailsInATask(HttpServletRequest request) {
            Attempt attempt = IdempotentRequest.of(request).attempt();
            return () -> call.execute(attempt, connection -> {
                        insert();
                        throw new IllegalArgumentException("no");
                    })
                    .orElseThrow();
        }

        /** It can still commit after its response. */
        @PostMapping("/task-goes-on")
        WebAsyncTask<ResponseEntity<String>> goesOnAfterItsTimeout() {
            var task = new WebAsyncTask<ResponseEntity<String>>(1L, () -> {
                while (answered.getCount() > 0) {
                    // As most work, it is not interrupted by the timeout.
                    Thread.onSpinWait();
                }
                return ResponseEntity.ok("done");
            });
            task.onTimeout(() -> ResponseEntity.status(409).body("too slow"));
            return task;
        }

        @PostMapping("/elsewhere")
        CompletableFuture<ResponseEntity<String>> commitsElsewhere() {
            return CompletableFuture.supplyAsync(() -> {
                transfer();
                return ResponseEntity.notFound().build();
            });
        }

        /** Its result is already available when it returns. */
        @PostMapping("/elsewhere-soon")
        CompletableFuture<ResponseEntity<String>> hasCommittedElsewhere() {
            CompletableFuture<ResponseEntity<String>> ended = commitsElsewhere();
            ended.join();
            return ended;
        }

        /** An interceptor throws afterwards. */
        @PostMapping("/returns-nothing")
        @ResponseStatus(HttpStatus.CREATED)
        void returnsNothing() {
            insert();
        }

        @PostMapping("/model")
        ModelAndView model() {
            View view = (model, request, response) -> response.getWriter().write("no");
            ModelAndView refusal = new ModelAndView(view);
            refusal.setStatus(HttpStatus.CONFLICT);
            return refusal;
        }

        @PostMapping("/forwards")
        ModelAndView forwards() {
            return new ModelAndView("forward:/throws");
        }

        @PostMapping("/two-refusals")
        ResponseEntity<Map<String, Integer>> twoRefusals() {
            return ResponseEntity.status(404).body(Map.of("transfer", 0));
        }

        @ExceptionHandler
        ResponseEntity<String> refused(IllegalArgumentException thrown) {
            return ResponseEntity.badRequest().body(thrown.getMessage());
        }
    }
}
