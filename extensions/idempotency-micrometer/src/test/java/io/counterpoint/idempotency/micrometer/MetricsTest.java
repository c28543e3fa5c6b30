package io.counterpoint.idempotency.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.counterpoint.idempotency.IdempotencyEvent;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.testing.MariaDbServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What a scrape has after calls with every outcome. */
class MetricsTest {

    private static final RunningCalls CALLS = new RunningCalls();
    private static final JdbcDataSource DATA_SOURCE = new JdbcDataSource();
    private static PendingRecords pending;
    private static String scrape = "";

    @BeforeAll
    static void runAndScrape() throws Exception {
        DATA_SOURCE.setUrl("jdbc:h2:mem:pending;DB_CLOSE_DELAY=-1");
        JdbiIdempotencyStore.on(Jdbi.create(DATA_SOURCE)).createTableIfMissing();
        insert("a", "pay", 'P', 90);
        insert("b", "pay", 'P', 10);
        insert("c", "pay", 'S', 900);
        insert("d", "refund", 'P', 5);
        pending = PendingRecords.in(DATA_SOURCE);
        pending.bindTo(CALLS.registry);
        CALLS.everyOutcome();
        pending.refresh();
        scrape = CALLS.registry.scrape();
    }

    @Test
    void whatUnprotectedCallsWouldHaveGotIsCounted() {
        for (String answer : List.of("first", "replayed", "replayed", "no_key")) {
            CALLS.metrics.counted("refund", answer);
        }
        assertThat(CALLS.registry.scrape())
                .contains("idempotency_counted_total{answer=\"first\",operation=\"refund\"} 1.0")
                .contains("idempotency_counted_total{answer=\"replayed\",operation=\"refund\"} 2.0")
                .contains("idempotency_counted_total{answer=\"no_key\",operation=\"refund\"} 1.0");
    }

    @Test
    void eventsAreCounted() {
        assertThat(events("claimed")).isEqualTo(3);
        assertThat(events("succeeded")).isEqualTo(2);
        assertThat(events("replayed")).isEqualTo(2);
        assertThat(events("key_reused")).isEqualTo(1);
        assertThat(events("rejected")).isEqualTo(1);
        assertThat(events("in_progress")).isEqualTo(1);
        for (String event : List.of(
                "released",
                "retried",
                "healed",
                "taken_over",
                "commit_unknown",
                "lookup_failed",
                "arbitrated_committed",
                "arbitrated_not_committed",
                "after_commit_failed",
                "work_outlived",
                "unresolved",
                "follow_up_owed",
                "wrong_results",
                "wait_refused")) {
            assertThat(events(event)).as(event).isEqualTo(1);
        }
        assertThat(events("failed")).isEqualTo(2);
        assertThat(failures("abandoned")).isEqualTo(1);
        assertThat(failures("other")).isEqualTo(1);
    }

    @Test
    void callsAreTimedByOutcome() {
        assertThat(calls("executed", "false")).isEqualTo(2);
        assertThat(calls("replayed", "false")).isEqualTo(1);
        assertThat(calls("replayed", "true")).isEqualTo(1);
        assertThat(calls("key_reused", "false")).isEqualTo(1);
        assertThat(calls("rejected", "false")).isEqualTo(1);
        assertThat(calls("in_progress", "false")).isEqualTo(1);
        assertThat(calls("error", "false")).isEqualTo(1);
    }

    @Test
    void pendingRecordsHaveGauges() throws SQLException {
        assertThat(gauge(PendingRecords.COUNT, "pay")).isEqualTo(2);
        assertThat(gauge(PendingRecords.COUNT, "refund")).isEqualTo(1);
        assertThat(gauge(PendingRecords.OLDEST, "pay")).isBetween(89.0, 1_000.0);
        assertThat(gauge(PendingRecords.OLDEST, "refund")).isBetween(4.0, 88.0);
        assertThat(CALLS.registry.get(PendingRecords.READ_AGE).timeGauge().value())
                .isBetween(0.0, 600.0);
    }

    /** MariaDB and MySQL store times without a zone, in UTC. */
    @Test
    void ageOfARecordDoesNotDependOnTheZoneOfTheSession() throws SQLException {
        String url = MariaDbServer.shared().createDatabase();
        DataSource west = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, arguments) ->
                        DriverManager.getConnection(url + "&sessionVariables=time_zone='-05:00'"));
        Jdbi.create(url)
                .useHandle(handle -> handle.execute("CREATE TABLE idempotency_record AS SELECT 'pay' AS operation,"
                        + " 'P' AS state, UTC_TIMESTAMP(6) - INTERVAL 90 SECOND AS updated_at"));
        var registry = new SimpleMeterRegistry();
        var gauges = PendingRecords.in(west);
        gauges.bindTo(registry);
        gauges.refresh();
        MariaDbServer.shared().drop(url);

        assertThat(registry.get(PendingRecords.OLDEST).gauge().value()).isBetween(89.0, 1_000.0);
    }

    @Test
    void anOperationWithoutPendingRecordsLosesItsGauges() throws SQLException {
        var registry = new RunningCalls().registry;
        var source = new JdbcDataSource();
        source.setUrl("jdbc:h2:mem:ended;DB_CLOSE_DELAY=-1");
        var jdbi = Jdbi.create(source);
        JdbiIdempotencyStore.on(jdbi).createTableIfMissing();
        insert(jdbi, "a", "pay", 'P', 1);
        var gauges = PendingRecords.in(source, "PUBLIC.idempotency_record");
        gauges.bindTo(registry);
        gauges.refresh();
        assertThat(registry.find(PendingRecords.OLDEST).gauges()).hasSize(1);
        jdbi.useHandle(handle -> handle.execute("DELETE FROM idempotency_record"));
        gauges.refresh();
        assertThat(registry.find(PendingRecords.OLDEST).gauges()).isEmpty();
        assertThat(registry.find(PendingRecords.COUNT).gauges()).isEmpty();
    }

    @Test
    void aTableThatCannotBeReadThrows() {
        assertThatThrownBy(() -> PendingRecords.in(DATA_SOURCE, "nowhere").refresh())
                .isInstanceOf(SQLException.class);
        assertThatThrownBy(() -> PendingRecords.in(DATA_SOURCE, "a; DROP TABLE b"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void noTagHasAKeyOrAScope() {
        var hash = IdempotencyKey.inScope(RunningCalls.SCOPE)
                .operation("pay")
                .value(RunningCalls.KEY + "1")
                .hash();
        assertThat(scrape)
                .contains("operation=\"pay\"")
                .doesNotContain("s3cret")
                .doesNotContain(hash.substring(0, 16));
        Set<String> tags = new TreeSet<>();
        CALLS.registry
                .getMeters()
                .forEach(meter ->
                        meter.getId().getTags().stream().map(Tag::getKey).forEach(tags::add));
        assertThat(tags).containsExactly("code", "error", "event", "operation", "outcome", "waited");
    }

    /** Of a counter that is not there before its first event, {@code increase} does not see that event. */
    @Test
    void countersOfAnOperationBeginAtZeroWithItsFirstEvent() {
        var registry = new SimpleMeterRegistry();
        var details = new IdempotencyEvent.Details(
                IdempotencyKey.inScope("user:1").operation("pay").value("key"), 0, Duration.ZERO, Optional.empty());
        IdempotencyMetrics.in(registry).onEvent(new IdempotencyEvent.Claimed(details));

        assertThat(registry.find(IdempotencyMetrics.EVENTS).counters())
                .extracting(counter -> counter.getId().getTag("event"), Counter::count)
                .contains(tuple("claimed", 1.0), tuple("unresolved", 0.0))
                .hasSize(IdempotencyMetrics.NAMES.size());
        assertThat(registry.find(IdempotencyMetrics.FAILURES).counters())
                .extracting(counter -> counter.getId().getTag("code"), Counter::count)
                .contains(tuple("abandoned", 0.0), tuple("other", 0.0))
                .hasSize(7);
    }

    @Test
    void everyEventHasItsCounter() {
        assertThat(IdempotencyMetrics.NAMES.stream().map(name -> name.replaceAll("^arbitrated_.*", "arbitrated")))
                .containsOnlyOnceElementsOf(List.of("claimed", "unresolved"))
                .hasSize(IdempotencyEvent.class.getPermittedSubclasses().length + 1);
        var names = new TreeSet<String>();
        CALLS.registry
                .find(IdempotencyMetrics.EVENTS)
                .counters()
                .forEach(counter -> names.add(String.valueOf(counter.getId().getTag("event"))));
        assertThat(names).containsExactlyInAnyOrderElementsOf(IdempotencyMetrics.NAMES);
    }

    @Test
    void everyMetricLabelAndValueOfTheDashboardAndTheAlertsExists() throws Exception {
        List<String> expressions = dashboard();
        assertThat(expressions).hasSizeGreaterThan(15);
        expressions.addAll(alerts("operate-reference.md"));
        expressions.addAll(alerts("operate.md"));
        assertThat(expressions).hasSizeGreaterThan(22);
        for (String expression : expressions) {
            for (MatchResult metric : found("idempotency_\\w+", expression)) {
                assertThat(scrape).containsPattern("(?m)^" + metric.group() + "[ {]");
            }
            for (MatchResult group : found("by \\(([^)]+)\\)", expression)) {
                for (String label : group.group(1).split(", ", -1)) {
                    assertThat(scrape).contains(label + "=\"");
                }
            }
            for (MatchResult label : found("(\\w+)=~?\"([^\"]+)\"", expression)) {
                // Operations are the application's.
                for (String value : label.group(1).equals("operation")
                        ? "pay".split(",", -1)
                        : label.group(2).split("\\|", -1)) {
                    assertThat(scrape).contains(label.group(1) + "=\"" + value + "\"");
                }
            }
        }
    }

    /** What pages somebody is a panel of the dashboard, with the alert's threshold as a line. */
    @Test
    void eachNumberThatPagesSomebodyIsOnTheDashboard() throws Exception {
        List<String> panels = new ArrayList<>();
        for (JsonNode panel : json().path("panels")) {
            for (JsonNode step : panel.path("fieldConfig")
                    .path("defaults")
                    .path("thresholds")
                    .path("steps")) {
                panels.add(withoutOperations(panel.findPath("expr").asText()) + " > "
                        + step.path("value").asText());
            }
        }
        List<String> pages = alerts("operate.md");
        assertThat(pages).hasSize(5);
        assertThat(pages).extracting(MetricsTest::withoutOperations).isSubsetOf(panels);
    }

    private static String withoutOperations(String expression) {
        return expression.replaceAll(",?operation=~\"[^\"]*\"", "").replace("{}", "");
    }

    private static JsonNode json() throws IOException {
        return new ObjectMapper()
                .readTree(MetricsTest.class.getResourceAsStream("/grafana/idempotency-dashboard.json"));
    }

    private static List<String> dashboard() throws IOException {
        List<String> expressions = new ArrayList<>();
        json().findValuesAsText("expr", expressions);
        json().findValues("query").forEach(query -> expressions.add(query.asText()));
        return expressions;
    }

    private static List<String> alerts(String page) throws IOException {
        return found("(?m)^ *expr: (.+)$", Files.readString(Path.of("../../docs", page))).stream()
                .map(alert -> alert.group(1))
                .toList();
    }

    private static List<MatchResult> found(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().toList();
    }

    @Test
    void theNewestMicrometerRunsWhatTheOldestCompiled() {
        assertThat(MeterRegistry.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .contains("micrometer-core-1.17.");
    }

    private static double events(String event) {
        return CALLS.registry
                .get(IdempotencyMetrics.EVENTS)
                .tags("operation", "pay", "event", event)
                .counter()
                .count();
    }

    private static double failures(String code) {
        return CALLS.registry
                .get(IdempotencyMetrics.FAILURES)
                .tags("operation", "pay", "code", code)
                .counter()
                .count();
    }

    private static long calls(String outcome, String waited) {
        return CALLS.registry
                .get(ObservedCalls.CALL)
                .tags("operation", "pay", "outcome", outcome, "waited", waited)
                .timer()
                .count();
    }

    private static double gauge(String name, String operation) {
        return CALLS.registry.get(name).tags("operation", operation).gauge().value();
    }

    private static void insert(String key, String operation, char state, int secondsAgo) {
        insert(Jdbi.create(DATA_SOURCE), key, operation, state, secondsAgo);
    }

    private static void insert(Jdbi jdbi, String key, String operation, char state, int secondsAgo) {
        jdbi.useHandle(handle -> handle.execute(
                "INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint,"
                        + " created_at, updated_at, expires_at) VALUES ('user:1', ?, ?, 'C', ?, RANDOM_UUID(), ?,"
                        + " CURRENT_TIMESTAMP, DATEADD('SECOND', ?, CURRENT_TIMESTAMP), CURRENT_TIMESTAMP)",
                operation,
                key,
                String.valueOf(state),
                new byte[32],
                -secondsAgo));
    }
}
