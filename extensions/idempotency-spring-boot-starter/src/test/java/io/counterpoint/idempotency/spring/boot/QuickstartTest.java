package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart.PaymentRequest;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart.PaymentService;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart.Receipt;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;

/** The lines that the page shows, in an application that has no others. */
class QuickstartTest {

    private static final Path PAGE = Path.of("../../docs/spring-boot.md");
    private static final Path README = Path.of("../../README.md");
    private static final Path SOURCE = Path.of(
            "../../extensions/idempotency-spring-boot-starter/src/test/java",
            Quickstart.class.getName().replace('.', '/') + ".java");

    @Test
    void linesOfThePageProtectAUseCase() throws Exception {
        List<String> lines = linesOfThePage();
        assertThat(lines).hasSizeLessThanOrEqualTo(5);
        assertThat(lines.get(0)).contains("<artifactId>idempotency-spring-boot-starter</artifactId>");
        String properties = lines.get(1);
        assertThat(Files.readString(SOURCE)).contains(lines.get(2));
        assertThat(Files.readString(README)).contains("idempotency-spring-boot-starter", properties, lines.get(2));

        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Quickstart.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--" + properties,
                        "--spring.datasource.url=jdbc:h2:mem:quickstart",
                        "--spring.jpa.hibernate.ddl-auto=create",
                        "--spring.flyway.baseline-on-migrate=true",
                        "--spring.liquibase.enabled=false",
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=ERROR")) {
            requireOneEffectOfEachCaller(application);
        }
    }

    static void requireOneEffectOfEachCaller(ConfigurableApplicationContext application) {
        PaymentService payments = application.getBean(PaymentService.class);
        PaymentRequest request = new PaymentRequest("p-1", "Ann");

        Receipt anns = as("ann", () -> payments.pay(request));
        assertThat(as("ann", () -> payments.pay(request))).isEqualTo(anns);
        assertThat(payments.count()).isEqualTo(1);
        // The same request of another caller, who may have made it up.
        assertThat(as("bob", () -> payments.pay(request))).isNotEqualTo(anns);
        assertThat(payments.count()).isEqualTo(2);
    }

    private static <T> T as(String user, Supplier<T> call) {
        SecurityContextHolder.getContext()
                .setAuthentication(UsernamePasswordAuthenticationToken.authenticated(user, "", List.of()));
        try {
            return call.get();
        } finally {
            SecurityContextHolder.clearContext();
        }
    }

    @Test
    void codeOfThePageIsThatOfTheApplication() throws Exception {
        String page = Files.readString(PAGE);
        int start = page.indexOf("<!-- end -->");
        Matcher block =
                Pattern.compile("(?s)```java\n(.*?)```").matcher(page.substring(start, page.indexOf("\n## ", start)));
        List<String> lines = block.results()
                .flatMap(found -> found.group(1).lines())
                .map(String::strip)
                .toList();
        assertThat(lines).hasSizeGreaterThan(5);
        assertThat(Files.readString(SOURCE).lines().map(String::strip)).containsAll(lines);
    }

    @Test
    void codeOfTheEndpointIsThatOfTheShop() throws Exception {
        String page = Files.readString(PAGE);
        int start = page.indexOf("## A protected endpoint");
        assertThat(start).isPositive();
        List<String> lines = Pattern.compile("(?s)```java\n(.*?)```")
                .matcher(page.substring(start, page.indexOf("\n## ", start)))
                .results()
                .flatMap(found -> found.group(1).lines())
                .map(String::strip)
                .toList();
        Path shop = SOURCE.resolveSibling("../shop").normalize();
        String sources = Files.readString(shop.resolve("Counter.java")) + Files.readString(shop.resolve("Orders.java"));

        assertThat(lines).hasSizeGreaterThan(10);
        assertThat(sources.lines().map(String::strip)).containsAll(lines);
    }

    private static List<String> linesOfThePage() throws Exception {
        String page = Files.readString(PAGE);
        int start = page.indexOf("<!-- the lines of a protected use case -->");
        assertThat(start).isPositive();
        Matcher block = Pattern.compile("(?s)```\\w+\n(.*?)```")
                .matcher(page.substring(start, page.indexOf("<!-- end -->", start)));
        return block.results()
                .flatMap(found -> found.group(1).lines())
                .filter(line -> !line.isBlank())
                .toList();
    }
}
