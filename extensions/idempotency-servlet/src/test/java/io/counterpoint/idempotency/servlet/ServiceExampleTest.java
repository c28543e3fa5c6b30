package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The service of the documentation does what is said there, and is what is shown there. */
class ServiceExampleTest {

    private static final Path SOURCE = Path.of("src/test/java/io/counterpoint/idempotency/servlet/ServiceExample.java");
    private static final Path PAGE = Path.of("../../docs/http.md");

    @Test
    void bothStylesRunOnceAndReplay() throws Exception {
        var idempotency = ServiceExample.idempotency();
        ServiceExample.Gateway gateway = new ServiceExample.Gateway();
        ServiceExample.BOOKED.clear();
        try (TestServer server = new TestServer()
                .filter((request, response, chain) -> chain.doFilter(
                        new HttpServletRequestWrapper((HttpServletRequest) request) {
                            @Override
                            public Principal getUserPrincipal() {
                                return () -> "ann";
                            }
                        },
                        response))
                .filter(ServiceExample.filter(idempotency, gateway))
                .servlet("/payments", new ServiceExample.BookPayment(idempotency))
                .servlet("/cards/*", new ServiceExample.ChargeCard(gateway))
                .start()) {
            for (String path : List.of("/payments", "/cards/1")) {
                List<Answer> answers = new ArrayList<>();
                for (int times = 1; times <= 3; times++) {
                    answers.add(Client.JDK.send(
                            Request.to(server.uri(path)).key("\"k\"").body("coffee")));
                }
                assertThat(answers).extracting(Answer::status).containsOnly(201);
                assertThat(answers).extracting(Answer::replayed).containsExactly(false, true, true);
                assertThat(answers.stream().map(Answer::body).distinct()).hasSize(1);
            }
        }
        assertThat(ServiceExample.BOOKED).containsExactly("coffee");
        assertThat(gateway.payments).hasSize(1);
    }

    @Test
    void pageShowsThisService() throws Exception {
        String source = Files.readString(SOURCE);
        List<String> regions = new ArrayList<>();
        Pattern region = Pattern.compile(" *// region [a-z-]+\n(.*?) *// endregion\n", Pattern.DOTALL);
        for (Matcher matcher = region.matcher(source); matcher.find(); ) {
            regions.add(matcher.group(1).stripTrailing().stripIndent() + "\n");
        }
        List<String> shown = new ArrayList<>();
        Pattern java = Pattern.compile("```java\n(.*?)```\n", Pattern.DOTALL);
        for (Matcher matcher = java.matcher(Files.readString(PAGE)); matcher.find(); ) {
            shown.add(matcher.group(1));
        }
        assertThat(shown).isEqualTo(regions);
    }
}
