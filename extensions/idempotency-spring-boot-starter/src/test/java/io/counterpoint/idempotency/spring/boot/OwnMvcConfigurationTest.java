package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.servlet.FilterManaged;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.support.AnnotationConfigWebApplicationContext;
import org.springframework.web.servlet.DispatcherServlet;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurationSupport;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

/** An application that configures Spring MVC itself, which then asks no WebMvcConfigurer. */
@Tag("thorough")
class OwnMvcConfigurationTest {

    private static final ConfigurableApplicationContext APPLICATION = SpringApplication.run(
            Application.class,
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=ERROR",
            "--spring.datasource.url=jdbc:h2:mem:own-mvc",
            "--spring.flyway.enabled=false",
            "--spring.liquibase.enabled=false",
            "--idempotency.anonymous=true",
            "--idempotency.create-table=true");

    @AfterAll
    static void stop() {
        APPLICATION.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/function",
                "/function-soon",
                "/future",
                "/task",
                "/below/function",
                "/below/future",
                "/below/task"
            })
    void errorAfterACommitOnAnotherThreadKeepsTheKey(String path) throws Exception {
        HttpResponse<String> first = post(path);

        assertThat(first.statusCode()).isEqualTo(409);
        assertThat(first.headers().firstValue("Idempotency-May-Have-Effect")).contains("true");
        assertThat(post(path).body()).contains("#request-outstanding");
    }

    /** The handlers choose 200, and their effect cannot be observed. */
    @ParameterizedTest
    @ValueSource(strings = {"/unwritable", "/unwritable-function", "/below/unwritable", "/below/unwritable-function"})
    void errorOfAnAnswerThatCannotBeWrittenKeepsTheKey(String path) throws Exception {
        HttpResponse<String> first = post(path);

        assertThat(first.statusCode()).isEqualTo(406);
        assertThat(first.headers().firstValue("Idempotency-May-Have-Effect")).contains("true");
        assertThat(post(path).body()).contains("#request-outstanding");
    }

    private static HttpResponse<String> post(String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "http://localhost:" + APPLICATION.getEnvironment().getProperty("local.server.port") + path))
                .header("Idempotency-Key", "\"" + path + "\"")
                .header("Accept", path.contains("unwritable") ? "application/pdf" : "*/*")
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Transfers.class)
    static class Application extends WebMvcConfigurationSupport {
        @Bean
        SecurityFilterChain open(HttpSecurity http) throws Exception {
            return http.csrf(csrf -> csrf.disable())
                    .authorizeHttpRequests(all -> all.anyRequest().permitAll())
                    .build();
        }

        @Bean
        FilterCustomizer storesResponses(Idempotency<?> idempotency) {
            RoutePolicy stored = RoutePolicy.required()
                    .responses(FilterManaged.storedIn(idempotency, "transfer").build());
            return filter -> filter.elsewhere(stored);
        }

        @Bean
        ServletRegistrationBean<DispatcherServlet> below() {
            var context = new AnnotationConfigWebApplicationContext();
            context.register(Below.class);
            var below = new ServletRegistrationBean<>(new DispatcherServlet(context), "/below/*");
            below.setName("below");
            return below;
        }

        @Bean
        RouterFunction<ServerResponse> function(Transfers transfers) {
            return RouterFunctions.route()
                    .POST(
                            "/function",
                            request -> ServerResponse.async(CompletableFuture.supplyAsync(() -> {
                                transfers.transfer();
                                return ServerResponse.status(409).build();
                            })))
                    .POST("/function-soon", request -> {
                        var ended = CompletableFuture.supplyAsync(() -> {
                            transfers.transfer();
                            return ServerResponse.status(409).build();
                        });
                        ended.join();
                        return ServerResponse.async(ended);
                    })
                    .POST(
                            "/unwritable-function",
                            request -> ServerResponse.ok()
                                    .contentType(MediaType.APPLICATION_PDF)
                                    .body(transfers.unwritable()))
                    .build();
        }
    }

    /** A second DispatcherServlet, with a context of its own below that of the application. */
    @Configuration(proxyBeanMethods = false)
    static class Below extends WebMvcConfigurationSupport {
        @Bean
        Transfers transfers(PlatformTransactionManager manager) {
            return new Transfers(manager);
        }

        @Bean
        RouterFunction<ServerResponse> function(Transfers transfers) {
            return new Application().function(transfers);
        }
    }

    @RestController
    static class Transfers {
        private final TransactionTemplate transaction;

        Transfers(PlatformTransactionManager manager) {
            transaction = new TransactionTemplate(manager);
        }

        ResponseEntity<Void> transfer() {
            transaction.executeWithoutResult(status -> {});
            return ResponseEntity.status(409).build();
        }

        @PostMapping("/unwritable")
        Map<String, Integer> unwritable() {
            return Map.of("transfer", 1);
        }

        @PostMapping("/future")
        CompletableFuture<ResponseEntity<Void>> future() {
            return CompletableFuture.supplyAsync(this::transfer);
        }

        @PostMapping("/task")
        Callable<ResponseEntity<Void>> task() {
            return this::transfer;
        }
    }
}
