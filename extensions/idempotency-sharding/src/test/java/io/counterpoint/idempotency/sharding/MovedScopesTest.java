package io.counterpoint.idempotency.sharding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Fingerprint;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.spi.Durability;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Pending;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Protocol;
import io.counterpoint.idempotency.spi.Session;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Scopes move from one database to another while two processes call in all of them. */
@Tag("thorough")
class MovedScopesTest {

    private static final Duration WAIT = Duration.ofSeconds(1);

    private String urlOfA;
    private String urlOfB;
    private Shard a;
    private Shard b;

    @BeforeEach
    void open() {
        urlOfA = PostgresServer.shared().createDatabase();
        urlOfB = PostgresServer.shared().createDatabase();
        a = Shard.on(urlOfA).prepared();
        b = Shard.on(urlOfB).prepared();
        for (Shard shard : List.of(a, b)) {
            shard.jdbi()
                    .useHandle(handle -> handle.execute("CREATE TABLE payment (scope varchar(255) NOT NULL,"
                            + " key_value varchar(255) NOT NULL, answer varchar(255) NOT NULL)"));
        }
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
        PostgresServer.shared().giveBack(urlOfA);
        PostgresServer.shared().giveBack(urlOfB);
    }

    /** A node in another process. */
    private record Node(Process process, BufferedReader output, PrintStream input) implements AutoCloseable {

        static Node start(String... arguments) {
            try {
                Process process = new ProcessBuilder(command(arguments))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
                return new Node(
                        process,
                        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)),
                        new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private static List<String> command(String... arguments) {
            List<String> command = new ArrayList<>(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xmx128m",
                    "-cp",
                    System.getProperty("java.class.path"),
                    MovingNode.class.getName()));
            command.addAll(List.of(arguments));
            return command;
        }

        String ask(String command) {
            input.println(command);
            return line();
        }

        String line() {
            try {
                return String.valueOf(output.readLine());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            process.destroyForcibly().onExit().join();
        }
    }

    @Test
    void scopesThatMoveUnderLoadHaveOneEffectAndOneAnswerForEachKey() {
        move(8, 100);
    }

    @Test
    @Tag("matrix")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void hundredScopesThatMoveUnderLoadHaveOneEffectAndOneAnswerForEachKey() {
        move(100, 1_000);
    }

    private void move(int scopes, int keys) {
        long start = System.nanoTime();
        Map<String, String> answers = new HashMap<>();
        long calls = 0;
        long refused = 0;
        try (Node one = node(scopes, keys, 1);
                Node other = node(scopes, keys, 2)) {
            for (int i = 0; i < scopes; i++) {
                awaitCalls(one);
                awaitCalls(other);
                moveScope("user:" + i, List.of(one, other));
            }
            for (Node node : List.of(one, other)) {
                String line = node.ask("stop");
                for (; line.startsWith("answer "); line = node.line()) {
                    String[] answer = line.split(" ", -1);
                    String before = answers.putIfAbsent(answer[1] + " " + answer[2], answer[3]);
                    assertThat(before).isIn(null, answer[3]);
                }
                assertThat(line).startsWith("end ");
                calls += Long.parseLong(line.split(" ", -1)[1]);
                refused += Long.parseLong(line.split(" ", -1)[2]);
            }
        }
        assertThat(payments(b)).isEqualTo(answers);
        System.out.printf(
                "Moved %d scopes under %d calls of two processes, %d refused meanwhile: %d keys, one effect and one"
                        + " answer each, in %d ms.%n",
                scopes, calls, refused, answers.size(), (System.nanoTime() - start) / 1_000_000);
    }

    private Node node(int scopes, int keys, int seed) {
        return Node.start(urlOfA, urlOfB, Integer.toString(scopes), Integer.toString(keys), Integer.toString(seed));
    }

    /** Until it has made calls since it was asked first. */
    private static void awaitCalls(Node node) {
        long before = Long.parseLong(node.ask("made"));
        long now = before;
        while (now < before + 20) {
            now = Long.parseLong(node.ask("made"));
        }
    }

    private void moveScope(String scope, List<Node> nodes) {
        ScopeMove move = new ScopeMove(scope, a.jdbi(), b.jdbi());
        nodes.forEach(node -> assertThat(node.ask("moving " + scope)).isEqualTo("quiet"));
        move.constrain();
        assertThat(move.pending()).isZero();
        move.copy();
        nodes.forEach(node -> assertThat(node.ask("on " + scope + " b")).isEqualTo("switched"));
        move.rename();
    }

    /** Fails if a key has two. */
    private static Map<String, String> payments(Shard shard) {
        Map<String, String> payments = new HashMap<>();
        shard.jdbi()
                .useHandle(handle -> handle.createQuery("SELECT scope, key_value, answer FROM payment")
                        .map((row, context) -> List.of(row.getString(1) + " " + row.getString(2), row.getString(3)))
                        .forEach(row -> assertThat(payments.put(row.get(0), row.get(1)))
                                .as("payments of %s", row.get(0))
                                .isNull()));
        return payments;
    }

    // ---- late nodes ------------------------------------------------------------------------------------------------

    private static void pay(Handle handle, String scope) {
        handle.execute("INSERT INTO payment (scope, key_value, answer) VALUES (?, 'k', 'late')", scope);
    }

    @Test
    void nodeThatDoesNotKnowOfTheMoveFailsInsteadOfLeading() {
        Attempt attempt = Attempt.inScope("user:1").key("k").request("r");
        var late = Idempotency.on(ShardedIdempotencyStore.<Handle>byScope(
                        Shards.of(Map.<String, JdbiIdempotencyStore>of("a", a.store())),
                        scope -> ScopeLocation.on("a")))
                .operation("pay", ResultCodec.string())
                .build();
        assertThat(late.execute(attempt, handle -> "paid").orElseThrow()).isEqualTo("paid");
        ScopeMove move = new ScopeMove("user:1", a.jdbi(), b.jdbi());
        move.constrain();
        move.copy();
        move.rename();

        for (String key : List.of("k", "another")) {
            assertThatThrownBy(() ->
                            late.execute(Attempt.inScope("user:1").key(key).request("r"), handle -> {
                                pay(handle, "user:1");
                                return "late";
                            }))
                    .isInstanceOf(NotStartedException.class);
        }
        assertThat(payments(a)).isEmpty();
        assertThat(b.store()
                        .read(IdempotencyKey.inScope("user:1").operation("pay").value("k")))
                .isPresent();
    }

    @Test
    void leaderWhoseClaimIsOlderThanTheConstraintCannotCommit() {
        IdempotencyKey key = IdempotencyKey.inScope("user:1").operation("pay").value("k");
        Pending claim = new Pending(
                key,
                Protocol.CLAIM_FIRST,
                UUID.randomUUID(),
                Fingerprint.ofParts("r"),
                Optional.empty(),
                Duration.ZERO);
        ScopeMove move = new ScopeMove("user:1", a.jdbi(), b.jdbi());
        try (Session<Handle> session = a.store().open(key)) {
            Optional<IdempotencyRecord> found =
                    session.autoCommit(steps -> steps.claim(claim, Duration.ofDays(1), WAIT, Durability.DURABLE));
            assertThat(found).isEmpty();
            move.constrain();

            assertThatThrownBy(() -> session.inTransaction((steps, scope) -> {
                        assertThat(steps.lock(key, WAIT)).isPresent();
                        scope.handle().execute("INSERT INTO effect (id) VALUES ('late')");
                        return steps.succeed(key, claim.token(), Optional.empty());
                    }))
                    .satisfies(thrown -> assertThat(a.store().classify(thrown)).isEqualTo(Fault.STATEMENT_REFUSED));
        }
        assertThat(a.effects()).isEmpty();
        assertThat(move.pending()).isEqualTo(1);
    }
}
