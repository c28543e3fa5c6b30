package io.counterpoint.idempotency.admin.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.admin.PlantedDatabase;
import io.counterpoint.idempotency.admin.PlantedDatabase.Kind;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Command lines made from a seed: {@code -Dfuzz.seed=7 -Dfuzz.inputs=1000} makes others, and more. */
@Tag("thorough")
class CommandFuzzTest {

    private static final long SEED = Long.getLong("fuzz.seed", 20260103L);
    private static final int LINES = Integer.getInteger("fuzz.inputs", 60);
    private static final List<String> COMMANDS = List.of(
            "lookup",
            "lookup",
            "pending",
            "resolve",
            "resolve",
            "purge",
            "statistics",
            "doctor",
            "audit-schema",
            "PLANTEDKEY");
    private static final List<String> OPTIONS = List.of(
            "--scope",
            "--operation",
            "--key",
            "--abandoned-after",
            "--unchanged-for",
            "--limit",
            "--as",
            "--operator",
            "--reason",
            "--result-file",
            "--result",
            "--batch",
            "--batches",
            "--url",
            "--user",
            "--table",
            "--audit-table",
            "--format",
            "--ask-password",
            "--PLANTEDKEY");
    private static final List<String> VALUES = List.of(
            "",
            " ",
            "\0",
            "\n\tat ",
            "\u001b[2J",
            "\ud83d",
            "-",
            "--",
            "=",
            "%",
            "_",
            "'",
            "\"",
            "@PLANTEDKEY",
            "@",
            "${env:PATH}",
            "PLANTEDKEY",
            "PLANTEDPASSWORD'",
            "0",
            "-1",
            "1",
            "2147483648",
            "1e9",
            "PT0S",
            "PT-1S",
            "P1D",
            "PT2562047788015215H",
            "failed",
            "succeeded",
            "FAILED",
            "table",
            "json",
            "pay",
            "charge",
            "eve",
            "PLANTEDSCOPE",
            "user:PLANTEDSCOPE",
            "jdbc:h2:mem:x;PASSWORD=PLANTEDPASSWORD",
            "jdbc:postgresql://a:PLANTEDPASSWORD@localhost:1/x",
            "jdbc:PLANTEDKEY",
            "jdbc:h2:mem:PLANTEDKEY",
            "/PLANTEDKEY/none",
            "idempotency_audit",
            "public.idempotency_record");

    private static final List<String> TABLES = List.of(
            "", "none", "idempotency_audit", "public.idempotency_record", "PLANTEDKEY'", "PLANTEDKEY-1", "a.b.c");

    private final Random random = new Random(SEED);

    private <T> T oneOf(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }

    /** A hash of the table, a part of one, or none. */
    private String hash(List<String> hashes) {
        String hash = oneOf(hashes);
        return switch (random.nextInt(6)) {
            case 0 -> hash.substring(0, random.nextInt(hash.length()));
            case 1 -> hash.toUpperCase(java.util.Locale.ROOT);
            case 2 -> hash.substring(0, 15) + oneOf(VALUES) + hash.substring(16);
            case 3 -> Long.toHexString(random.nextLong()) + "0".repeat(random.nextInt(60));
            default -> hash;
        };
    }

    private String[] line(List<String> hashes) {
        List<String> line = new ArrayList<>(List.of(oneOf(COMMANDS)));
        boolean resolves = line.contains("resolve") && random.nextBoolean();
        if (resolves) {
            line.addAll(List.of(
                    "--as", oneOf(List.of("failed", "succeeded")), "--operator=eve", "--reason", oneOf(VALUES)));
        }
        if (resolves || random.nextBoolean()) {
            line.add(hash(hashes));
        }
        for (int options = random.nextInt(3); options > 0; options--) {
            String option = oneOf(OPTIONS);
            // Messages show the names of tables, and of nothing else that was given.
            String value = oneOf(option.endsWith("table") ? TABLES : VALUES);
            line.addAll(random.nextBoolean() ? List.of(option, value) : List.of(option + "=" + value));
        }
        return line.toArray(String[]::new);
    }

    @Test
    void everyLineIsCarriedOutOrRefusedAndNoneShowsASecret() throws Exception {
        try (PlantedDatabase database = PlantedDatabase.of(Kind.H2)) {
            database.audit().createIfMissing();
            List<String> hashes =
                    new ArrayList<>(List.of(database.succeeded("s").hash()));
            for (int open = 0; open < 100; open++) {
                hashes.add(database.unresolved("u" + open).hash());
            }
            int refused = 0;
            int done = 0;
            for (int number = 0; number < LINES; number++) {
                String[] line = line(hashes);
                String before = contents(database);
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                ByteArrayOutputStream err = new ByteArrayOutputStream();
                int code = run(database, out, err, line);
                String shown =
                        "seed " + SEED + ", line " + number + ", " + List.of(line) + ": " + code + " " + out + err;
                assertThat(code).as(shown).isIn(0, 1, 2, 3, 4);
                assertThat(out + "" + err)
                        .as(shown)
                        .doesNotContain("\tat ")
                        .doesNotContain(PlantedDatabase.SECRETS.toArray(String[]::new));
                if (code > 1) {
                    assertThat(out.toString(StandardCharsets.UTF_8)).as(shown).isEmpty();
                    assertThat(err.toString(StandardCharsets.UTF_8)).as(shown).isNotBlank();
                    assertThat(contents(database)).as(shown).isEqualTo(before);
                    refused++;
                } else {
                    done++;
                }
            }
            System.out.println(LINES + " lines, seed " + SEED + ": " + done + " carried out, " + refused + " refused");
            assertThat(done).isPositive();
        }
    }

    private static int run(
            PlantedDatabase database, ByteArrayOutputStream out, ByteArrayOutputStream err, String... line) {
        return Main.run(
                List.of(),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                Map.of(
                        Main.URL, database.url(),
                        Main.USER, database.user(),
                        Main.PASSWORD, PlantedDatabase.PASSWORD),
                PlantedDatabase.PASSWORD::toCharArray,
                line);
    }

    /** The records and the audit. */
    private static String contents(PlantedDatabase database) throws SQLException {
        StringBuilder contents = new StringBuilder();
        try (Connection connection = database.pool().getConnection();
                Statement statement = connection.createStatement()) {
            for (String query : List.of(
                    "SELECT key_value, state, updated_at FROM idempotency_record ORDER BY 1",
                    "SELECT count(*), 0, 0 FROM idempotency_audit")) {
                ResultSet row = statement.executeQuery(query);
                while (row.next()) {
                    contents.append(row.getString(1)).append(row.getString(2)).append(row.getString(3));
                }
            }
        }
        return contents.toString();
    }
}
