package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.Finding;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.spring.boot.quickstart.Quickstart;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The starter on each database, whose table a tool for migrations makes. MariaDB is MySQL where the environment names one. */
@Tag("thorough")
class EveryDatabaseTest {

    @ParameterizedTest
    @CsvSource({
        "H2, liquibase, H2Dialect",
        "PostgreSQL, liquibase, PostgreSqlDialect",
        "PostgreSQL, flyway, PostgreSqlDialect",
        "MariaDB, flyway, MariaDbDialect",
        "MariaDB, liquibase, MariaDbDialect"
    })
    void callsHaveOneEffectAndOperatorsSeeTheirRecords(String database, String tool, String dialect) {
        String url = create(database);
        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(Quickstart.class)
                .web(WebApplicationType.NONE)
                .run(
                        "--spring.datasource.url=" + url,
                        "--spring.jpa.hibernate.ddl-auto=create",
                        "--spring.flyway.enabled=" + tool.equals("flyway"),
                        "--spring.flyway.baseline-on-migrate=true",
                        "--spring.flyway.locations=classpath:db/idempotency/{vendor}",
                        "--spring.liquibase.enabled=" + tool.equals("liquibase"),
                        "--spring.liquibase.change-log=classpath:db/idempotency/changelog.xml",
                        "--management.endpoints.web.exposure.include=idempotency,idempotencydoctor",
                        "--spring.main.banner-mode=off",
                        "--logging.level.root=ERROR")) {
            QuickstartTest.requireOneEffectOfEachCaller(application);

            assertThat(application.getBean(IdempotencyStore.class)).asString().contains("[" + dialect + ",");
            requireOperable(application);
        } finally {
            giveBack(url);
        }
    }

    private static void requireOperable(ConfigurableApplicationContext application) {
        assertThat(application.getBean(TableHealth.class).check().up()).isTrue();
        IdempotencyEndpoint records = application.getBean(IdempotencyEndpoint.class);
        assertThat(records.record(IdempotencyKey.inScope("user:ann")
                        .operation("pay")
                        .value("p-1")
                        .hash()))
                .asString()
                .contains("state=succeeded");
        assertThat(records.pending("0s")).hasToString("{pending=[]}");
        Administration doctor = application.getBean(KeyRecords.class).administration();
        assertThat(Stream.concat(doctor.examineDatabase().stream(), doctor.examineClient().stream()))
                .as("the tests' PostgreSQL has no fsync")
                .allMatch(finding -> finding.severity() == Finding.Severity.WARNING
                        || finding.code().equals("fsync-off"))
                .extracting(Finding::code)
                .doesNotContain("not-examined", "driver-unknown", "table-layout", "purge-index-missing");
    }

    private static String create(String database) {
        return switch (database) {
            case "H2" -> "jdbc:h2:mem:" + UUID.randomUUID();
            case "PostgreSQL" -> PostgresServer.shared().createDatabase();
            default -> MariaDbServer.shared().createDatabase();
        };
    }

    private static void giveBack(String url) {
        if (url.startsWith("jdbc:postgresql")) {
            PostgresServer.shared().giveBack(url);
        } else if (!url.startsWith("jdbc:h2")) {
            MariaDbServer.shared().drop(url);
        }
    }
}
