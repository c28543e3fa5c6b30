package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jackson.autoconfigure.JsonMapperBuilderCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.type.LogicalType;

/**
 * Groups and their members, and payments. The starter configures the library, so no wiring is needed here.
 *
 * <p>By default the application starts its own PostgreSQL, or MariaDB with {@code --spring.profiles.active=mariadb}.
 * The profile {@code h2} uses H2 in memory. To use a server that is already running, set the profile {@code mysql} or
 * {@code --spring.datasource.url=…}. Payments go to a provider in this process unless you set
 * {@code --payments.provider=…}.
 */
@SpringBootApplication
public class Application {

    public static void main(String[] args) {
        start(args);
        if (Boolean.getBoolean("ends-with-parent")) {
            // Terminating Maven does not terminate its child processes.
            ProcessHandle.current().parent().ifPresent(maven -> {
                var unused = maven.onExit().thenRun(() -> System.exit(143));
            });
        }
    }

    /**
     * Rejects numbers and booleans in place of strings. application.properties contains the other strictness settings.
     */
    @Bean
    JsonMapperBuilderCustomizer textsAreTexts() {
        return json -> json.withCoercionConfig(
                LogicalType.Textual,
                text -> Stream.of(CoercionInputShape.Integer, CoercionInputShape.Float, CoercionInputShape.Boolean)
                        .forEach(shape -> text.setCoercion(shape, CoercionAction.Fail)));
    }

    static ConfigurableApplicationContext start(String... args) {
        SpringApplication application = new SpringApplication(Application.class);
        application.addInitializers(context -> {
            ConfigurableEnvironment environment = context.getEnvironment();
            if (!environment.containsProperty("spring.datasource.url")) {
                String url = environment.matchesProfiles("mariadb")
                        ? MariaDbServer.shared().createDatabase()
                        : PostgresServer.shared().createDatabase();
                addProperty(environment, "spring.datasource.url", url);
            }
            if (!environment.containsProperty("payments.provider")) {
                addProperty(environment, "payments.provider", new DemoProvider().start());
            }
        });
        return application.run(args);
    }

    private static void addProperty(ConfigurableEnvironment environment, String name, String value) {
        environment.getPropertySources().addLast(new MapPropertySource(name, Map.of(name, value)));
    }
}
