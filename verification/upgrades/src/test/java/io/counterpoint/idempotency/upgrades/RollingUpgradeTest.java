package io.counterpoint.idempotency.upgrades;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.jdbc.TableInspection;
import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Processes of an earlier version and of this one on one database, under load. They are killed one after the other, and
 * each is replaced by one of the new version. Then the table is migrated under load. One effect for each key.
 */
@Tag("history")
@Timeout(600)
class RollingUpgradeTest {

    private static final int KEYS = Integer.getInteger("upgrades.keys", 600);
    private static final int KILLS = 12;
    private static final int KILLS_OF_BOTH = 8;

    @ParameterizedTest
    @EnumSource
    void oneEffectForEachKeyWhileTheVersionChanges(Layout layout, @TempDir Path folder) throws Exception {
        Version old = Version.of(layout.commit(), folder);
        String url = PostgresServer.shared().createDatabase();
        Jdbi jdbi = Jdbi.create(url);
        jdbi.useHandle(handle -> {
            handle.createScript(layout.schema("postgresql.sql")).execute();
            handle.execute("CREATE TABLE effect (key_value varchar(255) NOT NULL, id varchar(255) NOT NULL)");
        });

        Fleet fleet = new Fleet(url, KEYS);
        Version current = Version.current();
        fleet.start(old);
        fleet.start(current);
        fleet.start(old);
        // Up to the last kills both versions are at work; the last ones hit new processes only.
        for (int kill = 1; kill <= KILLS; kill++) {
            fleet.awaitAnswers(current, KEYS / (3 * KILLS));
            if (kill <= KILLS_OF_BOTH) {
                fleet.awaitAnswers(old, KEYS / (3 * KILLS));
            }
            fleet.killOldest();
            fleet.start(kill <= KILLS_OF_BOTH && kill % 2 == 0 ? old : current);
        }
        fleet.killAllOf(old);
        fleet.start(current);
        for (String statement : Layout.migration()) {
            jdbi.useHandle(handle -> handle.execute(statement));
        }
        fleet.start(current);
        fleet.awaitAll();

        assertThat(fleet.unexpected()).isEmpty();
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(url);
        assertThat(TableInspection.of(JdbcIdempotencyStore.on(source)))
                .isEqualTo(new TableInspection(TableInspection.CURRENT, List.of()));
        Map<String, List<String>> effects = effects(jdbi);
        List<String> wrong = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
            List<String> ofKey = effects.getOrDefault("key-" + key, List.of());
            boolean external = key % 4 == 3;
            if (ofKey.size() > 1 || (ofKey.isEmpty() && !external)) {
                wrong.add("key " + key + " has the effects " + ofKey);
            }
            for (String answer : fleet.answers(key)) {
                if (!ofKey.contains(answer)) {
                    wrong.add("key " + key + " was answered with " + answer + ", and has the effects " + ofKey);
                }
            }
        }
        System.out.printf(
                "Layout %s: %d keys, %d answers, %d kills, %d effects of the old version, %d of the new one,"
                        + " %d answers of the old version's results by the new one, %d the other way, %d external keys"
                        + " left pending.%n",
                layout,
                KEYS,
                fleet.answers(),
                fleet.kills(),
                count(effects, "old:"),
                count(effects, "new:"),
                fleet.crossed("new", "old:"),
                fleet.crossed("old", "new:"),
                pending(jdbi));
        assertThat(wrong).isEmpty();
        assertThat(fleet.crossed("new", "old:"))
                .as("old results that new processes replayed")
                .isPositive();
        assertThat(fleet.crossed("old", "new:"))
                .as("new results that old processes replayed")
                .isPositive();
        assertThat(fleet.kills()).isGreaterThanOrEqualTo(KILLS);
    }

    private static Map<String, List<String>> effects(Jdbi jdbi) {
        return jdbi.withHandle(handle -> handle.createQuery("SELECT key_value, id FROM effect")
                .map((row, context) -> Map.entry(row.getString(1), row.getString(2)))
                .collect(Collectors.groupingBy(
                        Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList()))));
    }

    private static long count(Map<String, List<String>> effects, String version) {
        return effects.values().stream()
                .flatMap(List::stream)
                .filter(id -> id.startsWith(version))
                .count();
    }

    /** The effect of a leader that was killed before it may never come: only an operator knows. */
    private static int pending(Jdbi jdbi) {
        try (Handle handle = jdbi.open()) {
            List<String> protocols = handle.createQuery("SELECT protocol FROM idempotency_record WHERE state = 'P'")
                    .mapTo(String.class)
                    .list();
            assertThat(protocols).allMatch("E"::equals);
            return protocols.size();
        }
    }
}
