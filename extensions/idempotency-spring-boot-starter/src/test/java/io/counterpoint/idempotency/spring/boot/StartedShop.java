package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.spring.boot.shop.Shop;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.function.Supplier;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;

/** The shop on PostgreSQL, started once for all tests of this JVM. */
final class StartedShop {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    static final ConfigurableApplicationContext SHOP = SpringApplication.run(
            Shop.class,
            "--server.port=0",
            "--spring.main.banner-mode=off",
            "--logging.level.root=ERROR",
            "--spring.datasource.url=" + PostgresServer.shared().createDatabase(),
            "--spring.datasource.hikari.maximum-pool-size=4",
            "--spring.datasource.hikari.data-source-properties.socketTimeout=120",
            "--spring.jpa.hibernate.ddl-auto=validate",
            "--spring.flyway.locations=classpath:db/migration,classpath:db/idempotency/{vendor}",
            "--spring.liquibase.enabled=false",
            "--idempotency.http.key-lifetime=12h",
            "--idempotency.http.required=/purchases,/open/purchases",
            "--idempotency.http.off=/actuator/*,/named/*",
            "--management.endpoints.web.exposure.include=health,idempotency,idempotencydoctor",
            "--management.endpoint.idempotency.access=unrestricted",
            "--management.endpoint.health.show-details=always");

    private StartedShop() {}

    static <T> T bean(Class<T> type) {
        return SHOP.getBean(type);
    }

    static HttpResponse<String> post(String user, String path, String key, String json) throws Exception {
        return post(SHOP, user, path, key, json);
    }

    /** As {@link #post(String, String, String, String)}, to another shop. */
    static HttpResponse<String> post(
            ConfigurableApplicationContext shop, String user, String path, String key, String json) throws Exception {
        HttpRequest.Builder request = request(shop, user, path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json));
        return send(key.isEmpty() ? request : request.header("Idempotency-Key", key));
    }

    static HttpResponse<String> upload(String user, String path, String key, String form, String boundary)
            throws Exception {
        return send(request(SHOP, user, path)
                .header("Content-Type", "multipart/form-data; boundary=" + boundary)
                .header("Idempotency-Key", key)
                .POST(HttpRequest.BodyPublishers.ofString(form)));
    }

    static HttpResponse<String> form(String method, String path, String header, String key, String form)
            throws Exception {
        return send(request(SHOP, "ann", path)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .header(header, key)
                .method(method, HttpRequest.BodyPublishers.ofString(form)));
    }

    static HttpResponse<String> get(String path) throws Exception {
        return send(request(SHOP, "ann", path));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpRequest.Builder request(ConfigurableApplicationContext shop, String user, String path) {
        String port = shop.getEnvironment().getProperty("local.server.port");
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + path));
        if (user.isEmpty()) {
            return request;
        }
        String credentials = user + ":" + user.charAt(0);
        return request.header(
                "Authorization",
                "Basic " + Base64.getEncoder().encodeToString(credentials.getBytes(StandardCharsets.UTF_8)));
    }

    /** A call in the name of a user. */
    static <T> T as(String user, String role, Supplier<T> call) {
        SecurityContextHolder.getContext()
                .setAuthentication(UsernamePasswordAuthenticationToken.authenticated(
                        user, "", AuthorityUtils.createAuthorityList("ROLE_" + role)));
        try {
            return call.get();
        } finally {
            SecurityContextHolder.clearContext();
        }
    }
}
