package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Path;
import java.util.List;

/** The service in a process of its own: of Quarkus, or of the server whose program a test names. */
final class Service {

    private static final Path PROGRAM = Path.of(System.getProperty("service.jar", "target/quarkus-app/quarkus-run.jar"))
            .toAbsolutePath();

    private Service() {}

    static List<String> program(String database, int port) {
        return List.of(
                "env",
                "POSTGRESQL_URL=" + database,
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dquarkus.http.port=" + port,
                "-Dquarkus.datasource.jdbc.url=" + database,
                "-Djboss.http.port=" + port,
                "-Didempotency.create-table=true",
                "-Didempotency.http.required=/groups",
                "-Didempotency.anonymous=" + isAnonymous(),
                "-jar",
                PROGRAM.toString());
    }

    /** Only the service of Quarkus has users. */
    static boolean isAnonymous() {
        return !PROGRAM.endsWith("quarkus-run.jar");
    }

    /** Runs it beside a PostgreSQL from Maven Central, until it is stopped. */
    public static void main(String[] arguments) throws Exception {
        Process service = new ProcessBuilder(program(PostgresServer.shared().createDatabase(), 8080))
                .inheritIO()
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(service::destroy));
        System.exit(service.waitFor());
    }
}
