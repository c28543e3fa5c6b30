package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import io.counterpoint.idempotency.testing.PageProject;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of the page on HTTP run as the page describes, and the page shows them. */
class ServiceExampleTest {

    private static final Path SOURCE = Path.of("src/test/java/io/counterpoint/idempotency/servlet/ServiceExample.java");
    private static final Path PAGE = Path.of("../../docs/http.md");

    @Test
    void firstProgramOfThePageBooksOnceAndReplays(@TempDir Path folder) throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Process server = PageProject.of(PAGE, folder, entry -> true).start("-Dport=" + port, "PaymentServer");
        try {
            assertThat(server.inputReader().readLine()).isEqualTo("Listening");
            assertOneEffect(URI.create("http://127.0.0.1:" + port + "/payments"));
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void filterManagedStyleRunsOnceAndReplays() throws Exception {
        ServiceExample.Gateway gateway = new ServiceExample.Gateway();
        try (TestServer server = new TestServer()
                .filter((request, response, chain) -> chain.doFilter(
                        new HttpServletRequestWrapper((HttpServletRequest) request) {
                            @Override
                            public Principal getUserPrincipal() {
                                return () -> "ann";
                            }
                        },
                        response))
                .filter(ServiceExample.filter(ServiceExample.idempotency(), gateway))
                .servlet("/cards/*", new ServiceExample.ChargeCard(gateway))
                .start()) {
            assertOneEffect(server.uri("/cards/1"));
        }
        assertThat(gateway.payments).hasSize(1);
    }

    private static void assertOneEffect(URI uri) throws Exception {
        List<Answer> answers = new ArrayList<>();
        for (int times = 1; times <= 3; times++) {
            answers.add(Client.JDK.send(Request.to(uri).key("\"k\"").body("coffee")));
        }
        assertThat(answers).extracting(Answer::status).containsOnly(201);
        assertThat(answers).extracting(Answer::replayed).containsExactly(false, true, true);
        assertThat(answers.stream().map(Answer::body).distinct()).hasSize(1);
    }

    @Test
    void pageShowsThisService() throws Exception {
        List<String> regions = new ArrayList<>();
        Pattern region = Pattern.compile(" *// region [a-z-]+\n(.*?) *// endregion\n", Pattern.DOTALL);
        for (Matcher matcher = region.matcher(Files.readString(SOURCE)); matcher.find(); ) {
            regions.add(matcher.group(1).stripTrailing().stripIndent() + "\n");
        }
        List<String> shown = new ArrayList<>();
        Pattern java = Pattern.compile("```java\n(.*?)```\n", Pattern.DOTALL);
        for (Matcher matcher = java.matcher(Files.readString(PAGE)); matcher.find(); ) {
            shown.add(matcher.group(1));
        }
        assertThat(shown.subList(1, shown.size())).isEqualTo(regions);
    }
}
