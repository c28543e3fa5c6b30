package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Path;
import java.util.List;

/**
 * The service in its own process: the Quarkus one, or the server whose jar is in the system property
 * {@code service.jar}.
 */
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

    /** Only the Quarkus service has users. */
    static boolean isAnonymous() {
        return !PROGRAM.endsWith("quarkus-run.jar");
    }

    /** Runs the service with its own PostgreSQL server until it is stopped. */
    public static void main(String[] arguments) throws Exception {
        Process service = new ProcessBuilder(program(PostgresServer.shared().createDatabase(), 8080))
                .inheritIO()
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(service::destroy));
        System.exit(service.waitFor());
    }
}
