package io.counterpoint.idempotency.spring.shapes;

import io.counterpoint.idempotency.spring.shapes.web.Bank;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** An application of two databases that has run, with the library or without it, and what its requests led to. */
final class Trial {

    /**
     * What a request led to.
     *
     * @param answer its status and body
     * @param changes rows that are there since, and that are not there any more
     */
    record Seen(String answer, List<String> changes) {
        boolean isSuccess() {
            return answer.startsWith("2");
        }
    }

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final List<JdbcTemplate> databases = new ArrayList<>();
    private List<String> rows = List.of();

    /** For each shape: what its request led to, and then the same request again. */
    static Map<String, List<Seen>> run(Kind kind, boolean onPostgres, boolean withLibrary) throws Exception {
        Trial trial = new Trial();
        List<String> urls = List.of(create(onPostgres), create(onPostgres));
        List<SingleConnectionDataSource> sources = urls.stream()
                .map(url -> new SingleConnectionDataSource(url, onPostgres ? null : "sa", "", true))
                .toList();
        sources.forEach(source -> trial.databases.add(new JdbcTemplate(source)));
        trial.databases.forEach(database -> database.execute("CREATE TABLE note (text VARCHAR(200) NOT NULL)"));
        try (ConfigurableApplicationContext application =
                new SpringApplication(kind.application()).run(arguments(kind, urls, withLibrary))) {
            return trial.requests(kind, application);
        } finally {
            sources.forEach(SingleConnectionDataSource::destroy);
            urls.stream().filter(url -> onPostgres).forEach(PostgresServer.shared()::giveBack);
        }
    }

    private static String create(boolean onPostgres) {
        return onPostgres
                ? PostgresServer.shared().createDatabase()
                : "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    }

    private static String[] arguments(Kind kind, List<String> urls, boolean withLibrary) {
        List<String> arguments = new ArrayList<>(List.of(
                "--server.port=0",
                "--spring.main.banner-mode=off",
                "--logging.level.root=ERROR",
                "--logging.level.org.springframework=OFF",
                "--logging.level.org.hibernate=OFF",
                "--spring.datasource.url=" + urls.get(0),
                "--second.url=" + urls.get(1),
                "--spring.datasource.hikari.maximum-pool-size=" + (kind == Kind.BANK_WITH_ONE_CONNECTION ? 1 : 4),
                "--spring.datasource.hikari.connection-timeout=250",
                "--spring.task.execution.pool.core-size=1",
                "--spring.jpa.hibernate.ddl-auto=create",
                "--spring.data.jpa.repositories.enabled=" + (kind.application() == Bank.class),
                "--spring.flyway.enabled=false",
                "--spring.liquibase.enabled=false",
                "--idempotency.enabled=" + withLibrary,
                "--idempotency.create-table=true",
                "--idempotency.table=public.idempotency_record",
                "--idempotency.anonymous=true",
                "--idempotency.purge.enabled=false"));
        arguments.addAll(kind.arguments());
        return arguments.toArray(String[]::new);
    }

    private Map<String, List<Seen>> requests(Kind kind, ConfigurableApplicationContext application) throws Exception {
        String server = "http://localhost:" + application.getEnvironment().getProperty("local.server.port") + "/";
        Routes<?> routes = application.getBean(Routes.class);
        Map<String, List<Seen>> seen = new LinkedHashMap<>();
        rows = rows();
        for (int use = 0; use < routes.shapes().size(); use++) {
            List<Seen> ofShape = new ArrayList<>();
            for (String named : kind.named(use)) {
                ofShape.add(send(server + use + "/" + named, "\"k" + use + "\"", named));
                ofShape.add(send(server + use + "/" + named, "\"k" + use + "\"", named));
            }
            seen.put(routes.shapes().get(use), ofShape);
        }
        return seen;
    }

    private Seen send(String url, String key, String tenant) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .headers("Idempotency-Key", key, "X-Tenant", tenant)
                .POST(BodyPublishers.noBody())
                .build();
        HttpResponse<String> response = CLIENT.send(request, BodyHandlers.ofString());
        List<String> before = rows;
        rows = rows();
        List<String> changes = new ArrayList<>(without(rows, before));
        without(before, rows).forEach(row -> changes.add("no " + row));
        return new Seen(response.statusCode() + " " + response.body(), changes);
    }

    private static List<String> without(List<String> rows, List<String> others) {
        List<String> rest = new ArrayList<>(rows);
        others.forEach(rest::remove);
        rest.sort(null);
        return rest;
    }

    /** All rows of all tables but the library's. */
    private List<String> rows() {
        List<String> all = new ArrayList<>();
        for (JdbcTemplate database : databases) {
            String prefix = databases.indexOf(database) + " ";
            List<String> tables = database.queryForList(
                    "SELECT table_schema || '.' || table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE'"
                            + " AND lower(table_name) <> 'idempotency_record'"
                            + " AND lower(table_schema) NOT IN ('information_schema', 'pg_catalog')",
                    String.class);
            tables.forEach(table -> database.queryForList("SELECT * FROM " + table)
                    .forEach(row -> all.add(prefix + table + " " + row)));
        }
        return all;
    }
}
