package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.Map;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Groups and their members. Nothing here is wired for the library: the starter does that.
 *
 * <p>It starts a PostgreSQL of its own. {@code --spring.profiles.active=h2} takes H2 in memory instead, and {@code
 * --spring.datasource.url=…} a server that runs already.
 */
@SpringBootApplication
public class Application {

    public static void main(String[] args) {
        start(args);
    }

    static ConfigurableApplicationContext start(String... args) {
        SpringApplication application = new SpringApplication(Application.class);
        application.addInitializers(context -> {
            if (!context.getEnvironment().containsProperty("spring.datasource.url")) {
                Map<String, Object> url =
                        Map.of("spring.datasource.url", PostgresServer.shared().createDatabase());
                context.getEnvironment().getPropertySources().addLast(new MapPropertySource("postgresql", url));
            }
        });
        return application.run(args);
    }
}
