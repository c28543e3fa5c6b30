package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Whose a key is, and who gets to see it. */
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#present")
class SecretsTest {

    private static final String KEY = "key-that-nobody-sees";
    private static final String SCOPE = "user:scope-that-nobody-sees";
    private static final String BODY = "body-that-nobody-sees";

    private final Client client;

    SecretsTest(Client client) {
        this.client = client;
    }

    @Test
    void principalsShareNoKeyWhateverTheirNames() throws Exception {
        List<String> names = List.of("1", "2", "sha256:1", "with blanks", "with  blanks", "ümlaut", "x".repeat(400));
        IdempotencyFilter filter =
                IdempotencyFilter.scopedBy(ScopeResolver.principal()).build();
        List<String> scopes = new CopyOnWriteArrayList<>();
        try (TestServer server = new TestServer()
                .filter((request, response, chain) -> authenticated(names, request, response, chain))
                .filter(filter)
                .handle(
                        "/*",
                        (request, response) -> scopes.add(
                                ScopeResolver.principal().scopeOf(request).orElseThrow()))
                .start()) {
            for (int i = 0; i < names.size(); i++) {
                assertThat(client.send(Request.to(server.uri("/")).key("k").header("User", "" + i))
                                .status())
                        .isEqualTo(200);
            }
            assertThat(client.send(Request.to(server.uri("/")).key("k")).problem())
                    .isEqualTo("caller-unknown");
        }
        assertThat(scopes).hasSize(names.size()).doesNotHaveDuplicates().allMatch(it -> it.startsWith("user"));
    }

    private static void authenticated(
            List<String> names, ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        String number = ((HttpServletRequest) request).getHeader("User");
        chain.doFilter(
                new HttpServletRequestWrapper((HttpServletRequest) request) {
                    @Override
                    public Principal getUserPrincipal() {
                        return number == null ? null : () -> names.get(Integer.parseInt(number));
                    }
                },
                response);
    }

    @Test
    void keyScopeAndBodyAreNeitherLoggedNorSentNorThrown() throws Exception {
        List<String> shown = new CopyOnWriteArrayList<>();
        Handler log = new Handler() {
            @Override
            public void publish(LogRecord line) {
                shown.add(line.getMessage() + line.getThrown());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger root = Logger.getLogger("io.counterpoint");
        root.setLevel(Level.ALL);
        root.addHandler(log);
        PrintStream out = System.out;
        PrintStream err = System.err;
        ByteArrayOutputStream console = new ByteArrayOutputStream();
        PrintStream captured = new PrintStream(console, true, StandardCharsets.UTF_8);
        System.setOut(captured);
        System.setErr(captured);
        List<String> problems;
        try (Payments payments = new Payments()) {
            problems = everythingThatGoesWrong(payments, shown);
            shown.addAll(payments.thrown);
        } finally {
            System.setOut(out);
            System.setErr(err);
            root.removeHandler(log);
        }
        shown.add(console.toString(StandardCharsets.UTF_8));

        assertThat(problems)
                .contains(
                        "key-invalid",
                        "key-reused",
                        "body-too-large",
                        "attempt-failed",
                        "store-unavailable",
                        "outcome-unknown",
                        "request-outstanding",
                        "result-unreadable",
                        "result-unstorable",
                        "answer-not-kept");
        assertThat(String.join("\n", shown)).doesNotContain(KEY, SCOPE, SCOPE.substring(5), BODY);
    }

    private List<String> everythingThatGoesWrong(Payments payments, List<String> shown) throws Exception {
        List<Answer> answers = new ArrayList<>();
        payments.before = (request, response) -> shown.add(IdempotentRequest.of(request)
                + " "
                + IdempotentRequest.of(request).attempt()
                + IdempotentRequest.of(request).key());
        answers.add(send(payments, "/badly-read", KEY, BODY));
        answers.add(send(payments, "/badly-read", KEY, BODY));
        answers.add(send(payments, "/badly-written", KEY, BODY));
        payments.work = () -> {
            throw new IllegalStateException("the work's own");
        };
        answers.add(send(payments, "/payments", KEY, BODY));
        answers.add(send(payments, "/payments", KEY, BODY));
        answers.add(send(payments, "/payments", KEY, BODY + "2"));
        answers.add(send(payments, "/payments", KEY + ",", BODY));
        answers.add(send(payments, "/payments", "\"" + KEY, BODY));
        answers.add(send(payments, "/payments", KEY + "3", BODY.repeat(1000)));
        payments.store.at(StoreCall.OPEN).fails(Fault.STATEMENT_REFUSED);
        answers.add(send(payments, "/payments", KEY + "4", BODY));
        payments.work = () -> {
            payments.store.at(StoreCall.COMMIT).losesAnswer();
            payments.storeIsGone();
        };
        answers.add(send(payments, "/payments", KEY + "7", BODY));
        payments.store.disarm();
        payments.transfer = (request, response) -> {
            throw new IllegalStateException("the handler's own");
        };
        answers.add(send(payments, "/transfers/1", KEY + "5", BODY));
        answers.add(send(payments, "/transfers/1", KEY + "5", BODY));
        payments.transfer = (request, response) -> response.getWriter().write("x".repeat(5000));
        answers.add(send(payments, "/transfers/1", KEY + "6", BODY));
        answers.add(send(payments, "/transfers/1", KEY + "6", BODY));
        // Of the requests that a problem answers; what the service's own handlers echo is theirs.
        answers.stream()
                .filter(answer -> !answer.problem().isEmpty())
                .forEach(answer -> shown.add(answer.headers() + answer.body()));
        return answers.stream().map(Answer::problem).toList();
    }

    private Answer send(Payments payments, String path, String key, String body) throws Exception {
        return client.send(payments.request(path, body).key(key).header("Caller", SCOPE));
    }
}
