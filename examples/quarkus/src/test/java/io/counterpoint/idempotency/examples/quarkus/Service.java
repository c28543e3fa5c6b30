package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

/** The service in a process of its own: of Quarkus, or of the server whose program a test names. */
final class Service {

    private static final String PROGRAM = System.getProperty("service.jar", "target/quarkus-app/quarkus-run.jar");

    private Service() {}

    static Process start(String database, int port, Redirect output) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dquarkus.http.port=" + port,
                "-Dquarkus.datasource.jdbc.url=" + database,
                "-Djboss.http.port=" + port,
                "-Didempotency.create-table=true",
                "-Didempotency.http.required=/groups",
                "-Didempotency.anonymous=" + isAnonymous(),
                "-jar",
                PROGRAM);
        builder.environment().put("POSTGRESQL_URL", database);
        return builder.redirectErrorStream(true).redirectOutput(output).start();
    }

    /** Only the service of Quarkus has users. */
    static boolean isAnonymous() {
        return !PROGRAM.endsWith("quarkus-run.jar");
    }

    /** Runs it beside a PostgreSQL from Maven Central, until it is stopped. */
    public static void main(String[] arguments) throws Exception {
        Process service = start(PostgresServer.shared().createDatabase(), 8080, Redirect.INHERIT);
        Runtime.getRuntime().addShutdownHook(new Thread(service::destroy));
        System.exit(service.waitFor());
    }
}
