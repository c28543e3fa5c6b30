package io.counterpoint.idempotency.admin.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.admin.PlantedDatabase;
import io.counterpoint.idempotency.admin.PlantedDatabase.Kind;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every command on real databases, as a table and as JSON. No output has what is secret. */
class CommandLineTest {

    private final List<String> outputs = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();

    private record Answer(int code, String out, String err) {}

    private Answer run(String... arguments) {
        return run(List.of(), arguments);
    }

    private Answer run(List<? extends Resolvable<?>> operations, String... arguments) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Main.run(
                operations,
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                environment,
                () -> PlantedDatabase.PASSWORD.toCharArray(),
                arguments);
        Answer answer = new Answer(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        outputs.add(answer.toString());
        return answer;
    }

    /** As JSON; the table of the same command has the same code. */
    private JsonNode json(int code, String... arguments) throws Exception {
        Answer table = run(arguments);
        assertThat(table.code()).as(table.toString()).isEqualTo(code);
        String[] more = java.util.Arrays.copyOf(arguments, arguments.length + 1);
        more[arguments.length] = "--format=json";
        Answer answer = run(more);
        assertThat(answer.code()).as(answer.toString()).isEqualTo(code);
        JsonNode rows = new ObjectMapper().readTree(answer.out()).elements().next();
        for (JsonNode row : rows) {
            row.fieldNames().forEachRemaining(column -> assertThat(table.out()).contains(column));
        }
        return rows;
    }

    private void use(PlantedDatabase database) {
        environment.put(Main.URL, database.url());
        if (!database.user().isEmpty()) {
            environment.put(Main.USER, database.user());
            environment.put(Main.PASSWORD, PlantedDatabase.PASSWORD);
        }
    }

    private void nothingSecretWasPrinted() {
        assertThat(outputs)
                .isNotEmpty()
                .allSatisfy(
                        output -> assertThat(output).doesNotContain(PlantedDatabase.SECRETS.toArray(String[]::new)));
    }

    @ParameterizedTest
    @EnumSource
    void everyCommandAnswersAsATableAndAsJsonAndShowsNothingSecret(Kind kind) throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(kind)) {
            use(database);
            IdempotencyKey succeeded = database.succeeded("1");
            IdempotencyKey failed = database.failed("2");
            IdempotencyKey open = database.unresolved("3");
            IdempotencyKey planned = database.unresolvedPlan("4");
            IdempotencyKey late = database.succeeded("5");
            database.age(open, Duration.ofMinutes(10));
            database.age(late, Duration.ofDays(3));

            JsonNode found =
                    json(0, "lookup", succeeded.hash().substring(0, 16)).get(0);
            assertThat(found.get("hash").asText()).isEqualTo(succeeded.hash());
            assertThat(found.get("state").asText()).isEqualTo("succeeded");
            assertThat(found.get("payloadBytes").asInt()).isEqualTo(PlantedDatabase.PAYLOAD.length());
            JsonNode byKey =
                    json(0, "lookup", "--scope", failed.scope(), "--operation", "charge", "--key", failed.value());
            assertThat(byKey.get(0).get("failureCode").asText()).isEqualTo("IllegalArgumentException");
            assertThat(json(0, "lookup", failed.hash()).get(0)).isNotNull();

            JsonNode pending = json(0, "pending", "--abandoned-after=PT5M");
            assertThat(pending.findValuesAsText("hash")).containsExactly(open.hash(), planned.hash());
            assertThat(pending.findValuesAsText("abandoned")).containsExactly("true", "false");
            assertThat(json(0, "pending", "--unchanged-for=PT5M").findValuesAsText("hash"))
                    .containsExactly(open.hash());

            JsonNode groups = json(0, "statistics");
            assertThat(groups.findValuesAsText("records")).containsExactly("1", "2", "2");
            assertThat(groups.findValuesAsText("expired")).containsExactly("0", "1", "1");

            JsonNode findings = json(kind == Kind.POSTGRESQL ? 1 : 0, "doctor");
            assertThat(findings.findValuesAsText("code")).contains("purge-behind", "external-pending");

            database.audit().createIfMissing();
            JsonNode resolved =
                    json(0, "resolve", planned.hash(), "--as=succeeded", "--operator=eve", "--reason=receipt 7");
            assertThat(resolved.get(0).get("retriesGet").asText()).isEqualTo("Replayed");
            assertThat(json(0, "resolve", open.hash(), "--as=failed", "--operator=eve", "--reason=no receipt")
                            .get(0)
                            .get("retriesGet")
                            .asText())
                    .isEqualTo("Rejected");
            assertThat(database.pay()
                            .execute(PlantedDatabase.attempt("4"), it -> "twice")
                            .orElseThrow())
                    .isEqualTo(PlantedDatabase.PAYLOAD);
            assertThat(audited(database))
                    .contains(planned.hash() + " succeeded Replayed eve", open.hash() + " failed Rejected eve")
                    .hasSize(4);

            assertThat(json(0, "purge", "--batch=1").get(0).get("deleted").asInt())
                    .isZero();
            assertThat(database.administration().find(late)).isEmpty();
            assertThat(run("lookup", late.hash()).code()).isEqualTo(4);
            assertThat(run("audit-schema").out()).contains("CREATE TABLE IF NOT EXISTS idempotency_audit (");

            nothingSecretWasPrinted();
        }
    }

    private static List<String> audited(PlantedDatabase database) throws Exception {
        List<String> rows = new ArrayList<>();
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM idempotency_audit")) {
            while (row.next()) {
                rows.add(row.getString("key_hash") + " " + row.getString("verdict") + " " + row.getString("outcome")
                        + " " + row.getString("operator"));
                for (int column = 1; column <= row.getMetaData().getColumnCount(); column++) {
                    assertThat(String.valueOf(row.getString(column)))
                            .doesNotContain(PlantedDatabase.SECRETS.toArray(String[]::new));
                }
            }
        }
        return rows;
    }

    @Test
    void keysAndPayloadsAreShownWhereTheyAreAskedFor() throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            IdempotencyKey key = database.succeeded("1");

            Answer keys = run("lookup", key.hash(), "--show-keys");
            assertThat(keys.out()).contains(key.scope(), key.value()).doesNotContain(PlantedDatabase.PAYLOAD);
            Answer payloads = run("lookup", key.hash(), "--show-payloads");
            assertThat(payloads.out()).contains(PlantedDatabase.PAYLOAD).doesNotContain(key.scope(), key.value());
            database.execute("UPDATE idempotency_record SET payload = X'1b5b324aff'");
            assertThat(run("lookup", key.hash(), "--show-payloads").out())
                    .contains("base64:G1sySv8=")
                    .doesNotContain("\u001b");
        }
    }

    @ParameterizedTest
    @EnumSource
    void resolutionIsNotMadeWithoutAnAudit(Kind kind) throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(kind)) {
            use(database);
            IdempotencyKey key = database.unresolved("1");

            Answer refused = run("resolve", key.hash(), "--as=failed", "--operator=eve", "--reason=none");

            assertThat(refused.code()).isEqualTo(3);
            assertThat(refused.err())
                    .contains("Nothing was changed", "idempotency_audit", "SQLSTATE", "does not exist", "audit-schema");
            assertThat(database.administration().find(key).orElseThrow().isPending())
                    .isTrue();
        }
    }

    @Test
    void refusedCommandsChangeNothingAndRepeatNothing(@TempDir Path folder) throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            IdempotencyKey open = database.unresolved("1");
            IdempotencyKey local = database.succeeded("2");
            String secret = "PLANTEDKEY";
            for (String[] wrong : new String[][] {
                {"lookup", secret},
                {"lookup", "--key", secret},
                {"lookup", "--scope", "", "--operation", "pay", "--key", secret},
                {"lookup", open.hash(), secret},
                {secret},
                {"--" + secret},
                {"pending", "--limit", secret},
                {"pending", "--limit=0"},
                {"pending", "--unchanged-for", secret},
                {"purge", "--batch=0"},
                {"statistics", "--format", secret},
                {"statistics", "--ask-password=" + PlantedDatabase.PASSWORD},
                {"statistics", "--password=" + PlantedDatabase.PASSWORD},
                {"statistics", "--url=jdbc:h2:mem:x;PASSWORD=" + PlantedDatabase.PASSWORD},
                {"statistics", "--url=jdbc:postgresql://ann:" + PlantedDatabase.PASSWORD + "@localhost:1/x"},
                {"statistics", "--table=" + PlantedDatabase.PASSWORD + "'"},
                {"statistics", "--url=" + secret},
                {"resolve", open.hash(), "--as=failed", "--operator=eve"},
                {"resolve", open.hash(), "--as=failed", "--operator=eve", "--reason= "},
                {"resolve", open.hash(), "--as=" + secret, "--operator=eve", "--reason=a guess"},
                {"resolve", open.hash(), "--as=succeeded", "--operator=eve", "--reason=no result given"},
                {
                    "resolve",
                    open.hash(),
                    "--as=succeeded",
                    "--operator=eve",
                    "--reason=r",
                    "--result-file=" + folder.resolve(secret)
                },
                {"resolve", local.hash(), "--as=failed", "--operator=eve", "--reason=not external"},
                {"resolve", open.hash(), "--as=failed", "--operator=eve", "--reason=r", "--result=" + secret},
                {"resolve", open.hash(), "--as=settle", "--operator=eve", "--reason=r", "--result-file=" + folder},
                {
                    "resolve",
                    open.hash(),
                    "--as=succeeded",
                    "--operator=eve",
                    "--reason=r",
                    "--result=" + secret,
                    "--result-file=" + Files.writeString(folder.resolve("result"), "paid")
                },
                {},
            }) {
                Answer answer = run(wrong);
                assertThat(answer.code()).as(String.join(" ", wrong) + answer).isEqualTo(2);
                assertThat(answer.err()).isNotBlank();
                assertThat(answer.out()).isEmpty();
            }
            assertThat(run("resolve", local.hash(), "--as=failed", "--operator=eve", "--reason=not external")
                            .err())
                    .contains("Only external attempts can be resolved by hand. This attempt has already ended.");
            assertThat(database.administration().find(open).orElseThrow().isPending())
                    .isTrue();
            assertThat(audited(database)).isEmpty();
            nothingSecretWasPrinted();
        }
    }

    /** The jar of the program without those of its folder. */
    @ParameterizedTest
    @CsvSource({"idempotency.jdbc., 2", "DriverDataSource, 3"})
    void missingJarsAreNamedWithTheRemedy(String missing, int expected) throws Exception {
        List<URL> path = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            path.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader =
                new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader()) {
                    @Override
                    protected Class<?> findClass(String name) throws ClassNotFoundException {
                        if (name.contains(missing)) {
                            throw new ClassNotFoundException(name);
                        }
                        return super.findClass(name);
                    }
                }) {
            ByteArrayOutputStream err = new ByteArrayOutputStream();
            Supplier<char[]> prompt = () -> new char[0];
            Method run = loader.loadClass(Main.class.getName())
                    .getDeclaredMethod(
                            "run",
                            List.class,
                            PrintStream.class,
                            PrintStream.class,
                            Map.class,
                            Supplier.class,
                            String[].class);
            run.setAccessible(true);
            Object code = run.invoke(
                    null,
                    List.of(),
                    System.out,
                    new PrintStream(err, true, StandardCharsets.UTF_8),
                    Map.of(),
                    prompt,
                    new String[] {"statistics", "--url=jdbc:h2:mem:nowhere"});

            assertThat(code).as(err.toString(StandardCharsets.UTF_8)).isEqualTo(expected);
            assertThat(err.toString(StandardCharsets.UTF_8))
                    .contains("A class is missing (io/counterpoint/idempotency/")
                    .contains("command-line/*");
        }
    }

    @Test
    void purgeOfPostgreSqlNeedsTheDocumentedPrivilegesAndNamesTheirLack() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.POSTGRESQL)) {
            database.age(database.succeeded("1"), Duration.ofDays(3));
            database.execute(
                    "DO $$ BEGIN CREATE ROLE purger LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$",
                    "GRANT SELECT, DELETE ON idempotency_record TO purger");
            environment.put(Main.URL, database.url().replace("user=postgres", "user=purger"));

            Answer refused = run("purge");
            assertThat(refused.code()).isEqualTo(3);
            assertThat(refused.err()).contains("SQLSTATE 42501", "lacks a privilege", "operate-reference.md#commands");

            database.execute("GRANT UPDATE ON idempotency_record TO purger");
            Answer purged = run("purge");
            assertThat(purged.code()).as(purged.toString()).isZero();
        }
    }

    /** An application may have raised maxResultBytes. */
    @Test
    void resultThatIsLargerThanTheDefaultLimitIsStored(@TempDir Path folder) throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            IdempotencyKey open = database.unresolved("1");
            Path result = Files.writeString(folder.resolve("result"), "x".repeat(100_000));

            Answer answer = run(
                    "resolve",
                    open.hash(),
                    "--as=succeeded",
                    "--operator=eve",
                    "--reason=receipt 7",
                    "--result-file=" + result);

            assertThat(answer.code()).as(answer.toString()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"statistics", "pending", "purge", "lookup 0123456789abcdef"})
    void tableThatIsNotThereIsNamedWithTheSqlState(String command) {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);

            Answer none = run((command + " --table=elsewhere").split(" ", -1));

            assertThat(none.code()).isEqualTo(3);
            assertThat(none.err()).contains("SQLSTATE 42S02", "The table does not exist");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"statistics", "pending", "purge", "doctor", "audit-schema", "lookup 0123456789abcdef"})
    void databaseThatDoesNotAnswerIsAnExitCodeOfItsOwn(String command) {
        environment.put(Main.URL, "jdbc:postgresql://127.0.0.1:1/nowhere");

        Answer none = run(command.split(" ", -1));

        assertThat(none.code()).isEqualTo(3);
        assertThat(none.err()).contains("SQLSTATE 08001");
    }

    @Test
    void passwordMayComeFromAPrompt() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            environment.remove(Main.PASSWORD);
            assertThat(run("statistics").code()).isEqualTo(3);
            assertThat(run("statistics", "--ask-password").code()).isZero();
            nothingSecretWasPrinted();
        }
    }

    @Test
    void resultOfAFileIsWhatRetriesGet(@TempDir Path folder) throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            IdempotencyKey open = database.unresolved("1");
            Path file = Files.writeString(folder.resolve("result"), "paid");

            assertThat(run(
                                    "resolve",
                                    open.hash(),
                                    "--as=succeeded",
                                    "--operator=eve",
                                    "--reason=r",
                                    "--result-file=" + file)
                            .code())
                    .isZero();

            Outcome<String> retry = database.pay().execute(PlantedDatabase.attempt("1"), it -> "twice");
            assertThat(retry.orElseThrow()).isEqualTo("paid");
            // What has ended is not changed, and the exit code says so.
            assertThat(run("resolve", open.hash(), "--as=failed", "--operator=eve", "--reason=r")
                            .code())
                    .isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"T, external with follow-up", "K, follow-up owed", "B, follow-up broken off"})
    void attemptWithAFollowUpIsListedAndEndedInTheApplicationOnly(String protocol, String words) throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            IdempotencyKey open = database.unresolved("1");
            database.execute("UPDATE idempotency_record SET protocol = '" + protocol + "'");

            assertThat(json(0, "pending").get(0).get("protocol").asText()).isEqualTo(words);
            assertThat(json(0, "statistics").get(0).get("protocol").asText()).isEqualTo(words);
            for (String verdict : List.of("failed", "succeeded", "succeeded --result=paid", "settle")) {
                Answer refused =
                        run(("resolve " + open.hash() + " --operator=eve --reason=r --as=" + verdict).split(" ", -1));
                assertThat(refused.code()).as(refused.toString()).isEqualTo(2);
                assertThat(refused.err())
                        .contains("Only the application has the code of this operation's follow-up.")
                        .contains("/actuator/idempotency/", "Nothing was changed.");
            }
            assertThat(database.administration().find(open).orElseThrow().isPending())
                    .isTrue();
            assertThat(audited(database)).isEmpty();
        }
    }

    @Test
    void programHasNoLookupToSettleWith() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            IdempotencyKey open = database.unresolved("1");

            Answer refused = run("resolve", open.hash(), "--as=settle", "--operator=eve", "--reason=r");

            assertThat(refused.code()).isEqualTo(2);
            assertThat(refused.err()).contains("Only the application has the code of this operation's lookup.");
        }
    }

    /** As a main class of its own does. */
    @Test
    void programOfAnApplicationSettlesAndFollowsUpByItsOwnCode() throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            database.execute("CREATE TABLE booking (what VARCHAR(100))");
            List<Lookup<String>> known = new ArrayList<>(List.of(Lookup.notYet()));
            ExternalOperation<String> pay = database.idempotency()
                    .external("pay", ResultCodec.string(), unresolved -> known.get(0))
                    .then((handle, key, result) -> handle.execute("INSERT INTO booking VALUES (?)", result))
                    .build();
            assertThatThrownBy(() -> pay.execute(PlantedDatabase.attempt("1"), key -> {
                        throw new IllegalStateException("no answer");
                    }))
                    .isInstanceOf(OutcomeUnknownException.class);
            String hash = pay.keyOf(PlantedDatabase.attempt("1")).hash();
            String[] settle = {"resolve", hash, "--as=settle", "--operator=eve", "--reason=r"};

            assertThat(run(List.of(pay), settle).code()).isEqualTo(1);
            assertThat(run(
                                    List.of(pay),
                                    "resolve",
                                    hash,
                                    "--as=succeeded",
                                    "--operator=eve",
                                    "--reason=r",
                                    "--result=x")
                            .code())
                    .isEqualTo(2);
            known.set(0, Lookup.found("paid"));
            assertThat(run(List.of(pay), settle).out()).contains("Replayed");

            assertThat(audited(database)).hasSize(2);
            assertThat(database.administration().find(hash).orElseThrow().isPending())
                    .isFalse();
        }
    }

    /** An operator has to fix what the follow-up throws, so the command names its class. The message may hold a secret. */
    @Test
    void failedFollowUpIsReportedWithTheClassOfItsCause() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            ExternalOperation<String> pay = database.idempotency()
                    .external("pay", ResultCodec.string(), unresolved -> Lookup.<String>notYet())
                    .then((handle, key, result) -> {
                        throw new IllegalStateException("no account of " + result);
                    })
                    .build();
            assertThatThrownBy(() -> pay.execute(PlantedDatabase.attempt("1"), key -> PlantedDatabase.PAYLOAD))
                    .isInstanceOf(OutcomeUnknownException.class);
            String hash = pay.keyOf(PlantedDatabase.attempt("1")).hash();

            Answer owed = run(List.of(pay), "resolve", hash, "--as=settle", "--operator=eve", "--reason=r");

            assertThat(owed.code()).isEqualTo(5);
            assertThat(owed.err()).contains("Cause: java.lang.IllegalStateException.");
            nothingSecretWasPrinted();
        }
    }

    /** Its process died at that moment. */
    @Test
    void transactionThatItsWorkHasEndedIsResolved() {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            use(database);
            database.audit().createIfMissing();
            IdempotencyKey open = database.unresolved("1");
            database.execute("UPDATE idempotency_record SET protocol = 'S'");

            assertThat(run("resolve", open.hash(), "--as=failed", "--operator=eve", "--reason=no row")
                            .code())
                    .isZero();
            assertThat(database.administration().find(open).orElseThrow().isPending())
                    .isFalse();
        }
    }
}
