package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What makes a request the same, who may see its answer again, and what a browser shows of it. */
@ParameterizedClass
@EnumSource(Container.Kind.class)
class RepeatedRequestTest {

    private static final String PARTS = String.join(
            "\r\n",
            "--abc",
            "Content-Disposition: form-data; name=\"note\"",
            "",
            "hello",
            "--abc",
            "Content-Disposition: form-data; name=\"file\"; filename=\"f.txt\"",
            "Content-Type: text/plain",
            "",
            "content",
            "--abc--",
            "");

    private final Idempotency<InMemoryIdempotencyStore.Transaction> idempotency =
            Idempotency.on(new InMemoryIdempotencyStore());
    private volatile boolean revoked;
    private final List<String> effects = new CopyOnWriteArrayList<>();
    private final TestServer server;

    RepeatedRequestTest(Container.Kind container) {
        RoutePolicy policy = RoutePolicy.required()
                .responses(FilterManaged.storedIn(idempotency, "repeated")
                        .replayOnlyIf(request -> !revoked)
                        .build());
        server = new TestServer(container)
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                        .elsewhere(policy)
                        .build())
                .handleMultipart("/*", (request, response) -> {
                    effects.add("an effect");
                    response.setStatus(201);
                    response.getWriter().write("done");
                })
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private RawExchange post(String key, String type) {
        return RawExchange.post("/r?q=1").header("Idempotency-Key", key).header("Content-Type", type);
    }

    private Answer send(String key, String type, String body) throws Exception {
        return post(key, type).body(body).send(server.port());
    }

    @Test
    void otherMediaTypeUnderTheKeyIsRefused() throws Exception {
        assertThat(send("k", "application/json; charset=utf-8", "{}").status()).isEqualTo(201);

        assertThat(send("k", "Application/JSON;charset=\"UTF-8\"", "{}").replayed())
                .isTrue();
        for (String other :
                List.of("text/plain; charset=utf-8", "application/json; charset=utf-16", "application/json; v=1")) {
            assertThat(send("k", other, "{}").problem()).as(other).isEqualTo("key-reused");
        }
        assertThat(effects).hasSize(1);
    }

    @Test
    void jsonIsTheSameWithItsCharsetAndWithout() throws Exception {
        for (String type : List.of("application/json", "application/vnd.api+json")) {
            String named = type + ";charset=UTF-8";
            assertThat(send("plain" + type, type, "{}").status()).isEqualTo(201);
            assertThat(send("plain" + type, named, "{}").replayed()).isTrue();
            assertThat(send("named" + type, named, "{}").status()).isEqualTo(201);
            assertThat(send("named" + type, type, "{}").replayed()).isTrue();
        }
        assertThat(send("text", "text/plain", "{}").status()).isEqualTo(201);
        assertThat(send("text", "text/plain;charset=utf-8", "{}").problem()).isEqualTo("key-reused");
    }

    @Test
    void otherRangeUnderTheKeyIsRefused() throws Exception {
        assertThat(ranged("k", "bytes=0-1").status()).isEqualTo(201);

        assertThat(ranged("k", "bytes=0-1").replayed()).isTrue();
        assertThat(ranged("k", "bytes=2-3").problem()).isEqualTo("key-reused");
        assertThat(send("k", "text/plain", "a").problem()).isEqualTo("key-reused");
        assertThat(send("whole", "text/plain", "a").status()).isEqualTo(201);
        assertThat(ranged("whole", "bytes=0-1").problem()).isEqualTo("key-reused");
    }

    private Answer ranged(String key, String range) throws Exception {
        return post(key, "text/plain").header("Range", range).body("a").send(server.port());
    }

    @Test
    void multipartBodyIsTheSameUnderAnotherBoundary() throws Exception {
        assertThat(send("k", "multipart/form-data; boundary=abc", PARTS).status())
                .isEqualTo(201);
        assertThat(send("k", "multipart/form-data; boundary=\"x-y\"", PARTS.replace("abc", "x-y"))
                        .replayed())
                .isTrue();
    }

    /** Written as the version before did, which compared no media type. */
    @Test
    void recordOfTheVersionBeforeIsReplayed() throws Exception {
        byte[] form = "a=1&b=2".getBytes(StandardCharsets.US_ASCII);
        List<Object> parts = new ArrayList<>();
        parts.add(List.of("note", Fingerprint.ofBytes(sha256("hello"))));
        parts.add(null);
        parts.add(null);
        parts.add(List.of("file", Fingerprint.ofBytes(sha256("content"))));
        parts.add("f.txt");
        parts.add("text/plain");
        var pieces = MessageDigest.getInstance("SHA-256");
        for (String piece : PARTS.split("--abc", -1)) {
            pieces.update(sha256(piece));
        }
        String multipart = "multipart/form-data; boundary=abc";
        assertReplays("raw", "application/json", "{}", "{ }", Fingerprint.ofBytes(sha256("{}")));
        assertReplays(
                "form",
                "application/x-www-form-urlencoded",
                "a=1&b=2",
                "a=1&b=3",
                Fingerprint.ofBytes(MessageDigest.getInstance("SHA-256").digest(form)));
        assertReplays("parts", multipart, PARTS, PARTS.replace("hello", "jello"), Fingerprint.ofParts(parts));
        assertReplays(
                "pieces",
                multipart,
                PARTS,
                PARTS.replace("hello", "jello"),
                Fingerprint.ofParts("multipart", pieces.digest()));
        assertThat(effects).isEmpty();
    }

    private void assertReplays(String key, String type, String body, String other, Fingerprint formerBody)
            throws Exception {
        ExternalOperation<StoredResponse> before = idempotency
                .external(
                        "repeated",
                        ResultCodec.of(StoredResponse::encode, StoredResponse::decode),
                        unresolved -> Lookup.notYet())
                .build();
        Attempt attempt = Attempt.inScope("anonymous").key(key).request("POST", "/r", "q=1", formerBody);
        assertThat(before.execute(
                                attempt,
                                claimed -> StoredResponse.of(
                                        202, "text/plain", "before".getBytes(StandardCharsets.US_ASCII)))
                        .orElseThrow()
                        .status())
                .isEqualTo(202);

        Answer answer = send(key, type, body);
        assertThat(answer.status()).as(key).isEqualTo(202);
        assertThat(answer.body()).isEqualTo("before");
        assertThat(send(key, type, other).problem()).isEqualTo("key-reused");
    }

    /** During a rolling upgrade, older nodes answer retries of what newer ones have recorded. */
    @Test
    void recordForNodesOfTheVersionBeforeIsReplayedByBoth() throws Exception {
        IdempotencyFilter upgrading = IdempotencyFilter.scopedBy(ScopeResolver.anonymous())
                .elsewhere(RoutePolicy.required()
                        .responses(
                                FilterManaged.storedIn(idempotency, "repeated").build()))
                .writeFormerFingerprints()
                .build();
        try (TestServer newer = new TestServer()
                .filter(upgrading)
                .handle("/*", (request, response) -> response.setStatus(201))
                .start()) {
            assertThat(post("k", "application/json")
                            .body("{}")
                            .send(newer.port())
                            .status())
                    .isEqualTo(201);
            assertThat(post("k", "application/json")
                            .body("{}")
                            .send(newer.port())
                            .replayed())
                    .isTrue();
        }
        assertThat(send("k", "application/json", "{}").replayed()).isTrue();
        var before = idempotency
                .external(
                        "repeated",
                        ResultCodec.of(StoredResponse::encode, StoredResponse::decode),
                        unresolved -> Lookup.notYet())
                .build();
        Attempt attempt =
                Attempt.inScope("anonymous").key("k").request("POST", "/r", "q=1", Fingerprint.ofBytes(sha256("{}")));
        assertThat(before.execute(attempt, claimed -> StoredResponse.of(500, (String) null, new byte[0]))
                        .orElseThrow()
                        .status())
                .isEqualTo(201);
    }

    private static byte[] sha256(String text) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void replayIsRefusedToWhoMayNotSeeItAnyMore() throws Exception {
        assertThat(send("k", "text/plain", "a").status()).isEqualTo(201);
        revoked = true;

        Answer refused = send("k", "text/plain", "a");
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.problem()).isEqualTo("replay-refused");
        assertThat(refused.replayed()).isFalse();
        assertThat(refused.body()).doesNotContain("done");
        assertThat(send("new", "text/plain", "a").status()).isEqualTo(201);
        revoked = false;
        assertThat(send("k", "text/plain", "a").replayed()).isTrue();
        assertThat(effects).hasSize(2);
    }

    @Test
    void browsersOfOtherOriginsSeeTheHeadersOfTheFilter() throws Exception {
        for (String key : List.of("k", "k", "malformed,")) {
            Answer answer = post(key, "text/plain")
                    .header("Origin", "https://shop.example")
                    .body("a")
                    .send(server.port());
            assertThat(answer.header("Access-Control-Expose-Headers"))
                    .contains("Idempotent-Replayed")
                    .contains("Retry-After");
        }
        assertThat(send("k", "text/plain", "a").header("Access-Control-Expose-Headers"))
                .isEmpty();
    }

    @Test
    void methodThatNoRequestHasIsRefusedWhereItIsSet() {
        for (String name : List.of("post", "Patch", "", "PO ST", "POST,PUT")) {
            assertThatThrownBy(() -> RoutePolicy.required().methods(name))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("upper case");
        }
        assertThatThrownBy(() -> RoutePolicy.required().methods()).isInstanceOf(IllegalArgumentException.class);
    }
}
