package io.counterpoint.idempotency.examples.appplatform;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.CheckResult;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.Report;
import io.counterpoint.idempotency.examples.appplatform.Client.Answer;
import io.counterpoint.idempotency.examples.appplatform.Client.Request;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Everything that the service promises, tried on it over HTTP; then the damage, found and repaired, and a second look. */
final class Tour {

    /** Shorter than usual, since we wait for them. */
    static final Platform.Times TIMES =
            new Platform.Times(Duration.ofSeconds(2), Duration.ofSeconds(4), Duration.ofHours(1));

    private static final int SENDS = 3;
    private static final int CALLERS = 64;
    private static final int APPS = 60;
    private static final int PUBLISHED = 20;
    private static final int PROVISIONED = 8;
    private static final int EXECUTIONS = 200;
    private static final int UNPROTECTED = 50;
    private static final int AMOUNT = 3;
    private static final Duration MINIMUM_AGE = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);

    private static final long HOME = 100;
    private static final long CHARGED = 101;
    private static final long QUOTA = 150;

    private final Database.Address forOthers;
    private final Platform platform;
    private final String url;
    private final Findings findings;
    private final Consumer<String> progress;
    private final Client client = new Client();
    /** Tells this run's names and keys from those of another on the same database. */
    private final String run = UUID.randomUUID().toString().substring(0, 8);

    private final List<Object[]> requests = new ArrayList<>();

    /** A tour of a service that runs at a URL. */
    Tour(Database.Address forOthers, Platform platform, String url, Findings findings, Consumer<String> progress) {
        this.forOthers = forOthers;
        this.platform = platform;
        this.url = url;
        this.findings = findings;
        this.progress = progress;
    }

    void run() throws CannotRun, IOException, InterruptedException {
        try (client) {
            warmUp();
            retries();
            killed();
            eventually();
            checks();
            migration();
            promises();
        }
    }

    /** A few requests that other parts follow. Their lags do not count: much of each lag is the compiler's. */
    private void warmUp() throws IOException, InterruptedException {
        progress.accept("warming up");
        List<Answer> apps = client.send(
                url,
                IntStream.range(0, 20)
                        .mapToObj(i -> createApp(HOME, "first " + run + " " + i))
                        .toList());
        for (Answer app : apps) {
            UUID id = UUID.fromString(app.body().path("app").asText());
            findings.severity(client.send(url, of(TriggerExecution.POLICY, id)).isThere() ? 0 : 2);
        }
        waitFor("the warm-up", platform::isQuiet);
        platform.forgetLags();
    }

    // ---- requests that are repeated ------------------------------------------------------------------------------

    private void retries() throws IOException, InterruptedException {
        progress.accept("sending requests, each several times");
        requests.add(new Object[] {"operation", "requests", "sent", "done", "repeated", "refused", "asked again"});
        List<UUID> apps = create(APPS);
        publish(apps);
        provision(apps.subList(PUBLISHED, PUBLISHED + PROVISIONED));
        trigger(apps.get(0));
        charge();
        findings.table("requests", "Requests with retries", requests);
    }

    private List<UUID> create(int number) throws IOException, InterruptedException {
        List<Answer> answers = sendAll(CreateApp.POLICY, number, SENDS, i -> createApp(HOME, "app " + run + " " + i));
        List<UUID> apps = answers.stream()
                .map(answer -> answer.body().path("app").asText())
                .distinct()
                .map(UUID::fromString)
                .toList();
        findings.fact("create App: apps of " + number + " keys, each sent " + SENDS + " times", number, apps.size());
        findings.fact(
                "create App: apps in the database, each with one version",
                number,
                count(
                        "app a WHERE a.name LIKE ? AND (SELECT count(*) FROM app_version v WHERE v.app_id = a.id) = 1",
                        "app " + run + " %"));
        return apps;
    }

    private void publish(List<UUID> apps) throws IOException, InterruptedException {
        List<Answer> crowd = sendAll(PublishApp.POLICY, 1, CALLERS, i -> of(PublishApp.POLICY, apps.get(0)));
        findings.fact(
                "publish App: of " + CALLERS + " callers at once, the number that published",
                1L,
                crowd.stream().filter(Tour::byThisRequest).count());
        List<Answer> answers =
                sendAll(PublishApp.POLICY, PUBLISHED - 1, SENDS, i -> of(PublishApp.POLICY, apps.get(1 + i)));
        findings.fact(
                "publish App: of " + (PUBLISHED - 1) + " apps, those published once",
                (long) PUBLISHED - 1,
                answers.stream().filter(Tour::byThisRequest).count());
    }

    private void provision(List<UUID> apps) throws IOException, InterruptedException {
        List<Answer> answers =
                sendAll(ProvisionDatabase.POLICY, PROVISIONED, SENDS, i -> of(ProvisionDatabase.POLICY, apps.get(i)));
        findings.fact(
                "provision database: of " + PROVISIONED + " apps, those provisioned once",
                (long) PROVISIONED,
                answers.stream().filter(Tour::byThisRequest).count());
    }

    private void trigger(UUID app) throws IOException, InterruptedException {
        List<Answer> answers = sendAll(TriggerExecution.POLICY, EXECUTIONS, SENDS, i -> execution(HOME, app, "x" + i));
        findings.fact(
                "trigger execution: executions of " + EXECUTIONS + " request ids, each sent " + SENDS + " times",
                (long) EXECUTIONS,
                answers.stream()
                        .map(answer -> answer.body().path("execution").asText())
                        .distinct()
                        .count());
        List<Answer> unprotected =
                sendAll(TriggerExecution.POLICY, UNPROTECTED, SENDS, i -> of(TriggerExecution.POLICY, app));
        findings.fact(
                "trigger execution: executions of " + UNPROTECTED + " requests without an id, each sent " + SENDS
                        + " times",
                (long) UNPROTECTED * SENDS,
                unprotected.stream()
                        .map(answer -> answer.body().path("execution").asText())
                        .distinct()
                        .count());
        findings.fact(
                "trigger execution: executions in the database, each with its first log row",
                (long) EXECUTIONS + UNPROTECTED * SENDS,
                count(
                        "execution e WHERE app_id = ? AND (SELECT count(*) FROM execution_log l"
                                + " WHERE l.execution_id = e.id AND l.line = 0) = 1",
                        app));
    }

    /** The quota has enough for some of the concurrent charges, no matter which. */
    private void charge() throws IOException, InterruptedException {
        setQuota(CHARGED);
        List<Answer> answers = sendAll(ChargePayment.POLICY, CALLERS, SENDS, i -> charge(CHARGED, "t" + i));
        long charged = charges(CHARGED);
        findings.fact(
                "payment: " + CALLERS + " transactions of " + AMOUNT + ", each sent " + SENDS + " times, on a quota of "
                        + QUOTA + ": charged",
                QUOTA / AMOUNT,
                charged);
        findings.fact(
                "payment: transactions whose answers say so",
                charged,
                IntStream.range(0, CALLERS)
                        .filter(i -> answers.subList(i * SENDS, (i + 1) * SENDS).stream()
                                .anyMatch(Answer::isThere))
                        .count());
        findings.fact("payment: what is left of the quota", QUOTA % AMOUNT, left(CHARGED));
    }

    private List<Answer> sendAll(Policy policy, int number, int sends, IntFunction<Request> request)
            throws IOException, InterruptedException {
        List<Request> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            all.addAll(Collections.nCopies(sends, request.apply(i)));
        }
        List<Answer> answers = client.send(url, all);
        long there = answers.stream().filter(Answer::isThere).count();
        long repeated = answers.stream()
                .filter(answer ->
                        answer.replayed() || answer.body().path("by").asText().equals("an earlier request"))
                .count();
        requests.add(new Object[] {
            policy.operation(),
            number,
            answers.size(),
            there - repeated,
            repeated,
            answers.size() - there,
            answers.stream().mapToInt(Answer::again).sum()
        });
        return answers;
    }

    private static boolean byThisRequest(Answer answer) {
        return answer.body().path("by").asText().equals("this request");
    }

    // ---- leaders that are killed ---------------------------------------------------------------------------------

    private void killed() throws CannotRun, IOException, InterruptedException {
        progress.accept("starting a second node, to kill it with a leader at every step");
        long workspace = HOME + 2;
        setQuota(workspace);
        List<UUID> apps = client
                .send(
                        url,
                        // No request shares a workspace with a request that would hold its row.
                        IntStream.range(0, 12)
                                .mapToObj(i -> createApp(i < 11 ? HOME : workspace + 2, "doomed " + run + " " + i))
                                .toList())
                .stream()
                .map(answer -> UUID.fromString(answer.body().path("app").asText()))
                .toList();
        List<Request> create =
                List.of(createApp(HOME, "killed " + run + " 0"), createApp(HOME, "killed " + run + " 1"));
        List<Request> publish = apps.subList(0, 4).stream()
                .map(app -> of(PublishApp.POLICY, app))
                .toList();
        List<Request> provision = apps.subList(4, 10).stream()
                .map(app -> of(ProvisionDatabase.POLICY, app))
                .toList();
        List<Request> trigger =
                List.of(execution(HOME, apps.get(10), "killed 0"), execution(workspace + 2, apps.get(11), "killed 1"));
        List<Request> charge = List.of(charge(workspace, "killed 0"), charge(workspace + 1, "killed 1"));
        setQuota(workspace + 1);
        List<Request> all = new ArrayList<>();
        List.of(create, publish, provision, trigger, charge).forEach(all::addAll);
        kill(all);

        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"operation", "leaders killed", "left behind", "then"});
        List<String> left = state(apps, workspace);
        for (Request request : all) {
            // These requests wait for the holders of abandoned work.
            findings.severity(client.send(url, request).isThere() ? 0 : 2);
        }
        waitFor(
                "what was abandoned",
                () -> count("app WHERE status = 'publishing'") == 0
                        && count("app WHERE database_status IN ('creating', 'migrating')") == 0);
        List<String> then = state(apps, workspace);
        List<Policy> policies = Api.POLICIES;
        List<Integer> numbers = List.of(create.size(), publish.size(), provision.size(), trigger.size(), charge.size());
        for (int i = 0; i < policies.size(); i++) {
            rows.add(new Object[] {policies.get(i).operation(), numbers.get(i), left.get(i), then.get(i)});
        }
        findings.table("killed", "A node killed with kill -9, a leader at every step; its clients ask another", rows);
        findings.fact(
                "what " + all.size() + " killed leaders left, once everybody has asked again",
                List.of("2 apps", "4 published", "6 ready", "2 executions", "2 charges"),
                then);
    }

    private void kill(List<Request> all) throws CannotRun, IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DoomedNode.class.getName())
                .redirectErrorStream(true);
        forOthers.into(builder.environment());
        Process process = builder.start();
        CompletableFuture<Void> tooLate = new CompletableFuture<Process>()
                .completeOnTimeout(process, LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS)
                .thenAccept(Process::destroyForcibly);
        try (BufferedReader said = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            String node = await(said, DoomedNode.READY);
            client.sendIntoTheDark(node, all);
            String unused = await(said, DoomedNode.DOOMED);
            progress.accept("killing it");
        } finally {
            boolean unused = tooLate.cancel(false);
            process.destroyForcibly();
            process.waitFor();
        }
    }

    private static String await(BufferedReader said, String beginning) throws CannotRun, IOException {
        StringBuilder before = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.startsWith(beginning)) {
                return line.substring(beginning.length());
            }
            before.append(line).append(' ');
        }
        throw new CannotRun(
                "The second node did not get so far: " + before.toString().strip() + ".");
    }

    /** What became of the killed leaders' things, an entry for each operation. */
    private List<String> state(List<UUID> apps, long workspace) {
        return List.of(
                count("app WHERE name LIKE ?", "killed " + run + " %") + " apps",
                statuses("status", apps.subList(0, 4)),
                statuses("database_status", apps.subList(4, 10)),
                count("execution WHERE app_id IN (?, ?)", apps.get(10), apps.get(11)) + " executions",
                charges(workspace) + charges(workspace + 1) + " charges");
    }

    private String statuses(String column, List<UUID> apps) {
        return platform.database()
                .jdbi()
                .withHandle(handle -> String.join(
                        ", ",
                        handle.createQuery("SELECT count(*), " + column + " FROM app WHERE id IN (<apps>) GROUP BY "
                                        + column + " ORDER BY " + column)
                                .bindList("apps", apps)
                                .map((row, context) -> row.getLong(1) + " " + row.getString(2))
                                .list()));
    }

    // ---- what follows with a delay -------------------------------------------------------------------------------

    private void eventually() throws InterruptedException {
        progress.accept("waiting until everything has followed");
        waitFor("the parts that follow", platform::isQuiet);
        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"part", "bound", "followed", "longest lag ms", "holds"});
        for (Lag.Measured lag : platform.lags()) {
            rows.add(new Object[] {
                lag.bound().part(),
                lag.bound().lag().toSeconds() + " s",
                lag.events(),
                lag.worst().toMillis(),
                lag.holds() ? "yes" : "NO"
            });
            findings.fact(lag.bound().part() + " within " + lag.bound().lag().toSeconds() + " s", true, lag.holds());
        }
        findings.table("lags", "What follows with a delay, under all these requests", rows);
    }

    // ---- checks and repairs --------------------------------------------------------------------------------------

    private void checks() throws InterruptedException {
        progress.accept("waiting until the killed node counts as dead, then checking");
        waitFor("the killed node's execution", () -> offending("zombie-executions") > GeneratedData.ZOMBIES);
        CheckReport before = platform.checks().checks().run(platform.transactions());
        findings.report("checksBefore", "What the checks find", before.table(), before.json());
        findings.fact(
                "checks: what was planted, and the killed node's execution",
                List.of(
                        GeneratedData.ORPHANS,
                        GeneratedData.ZOMBIES + 1,
                        GeneratedData.WRONG_USAGE + GeneratedData.WRONG_QUOTA,
                        GeneratedData.DANGLING_VERSIONS
                                + GeneratedData.DANGLING_POLICIES
                                + GeneratedData.DANGLING_LINES
                                + GeneratedData.DANGLING_EXECUTIONS),
                before.results().stream().map(CheckResult::offending).toList());

        List<Object[]> rows = new ArrayList<>();
        rows.add(new Object[] {"check", "dry run: would change", "changed", "batches", "end", "still offending"});
        long changes = 0;
        for (PlatformChecks.Row row : platform.checks().rows()) {
            String name = row.check().name();
            List<RepairReport> dry = platform.repair(name, true);
            List<RepairReport> repaired = platform.repair(name, false);
            for (int i = 0; i < repaired.size(); i++) {
                RepairReport one = repaired.get(i);
                changes += one.changed();
                rows.add(new Object[] {
                    name,
                    dry.get(i).matched(),
                    one.changed(),
                    one.batches(),
                    one.end(),
                    one.after().offending()
                });
            }
        }
        findings.table("repairs", "Repairs", rows);
        findings.fact("repairs: rows of the audit", changes, count("repair_audit"));

        CheckReport after = platform.checks().checks().run(platform.transactions());
        findings.report("checksAfter", "A second look", after.table(), after.json());
        findings.severity(after.exitCode());
        Instant now = Instant.now();
        findings.fact(
                "checks: run in their slots by two callers at about the same time",
                platform.checks().rows().size() + " and 0",
                platform.check(now, true).results().size() + " and "
                        + platform.check(now, true).results().size());
    }

    private long offending(String check) {
        return platform.checks().rows().stream()
                .filter(row -> row.check().name().equals(check))
                .mapToLong(row -> row.check().run(platform.transactions()).offending())
                .sum();
    }

    // ---- the migration -------------------------------------------------------------------------------------------

    private void migration() {
        progress.accept("comparing the tables of the migration while both are written");
        Migration migration = new Migration(platform.database().jdbi(), MINIMUM_AGE, progress);
        Report<UUID> report;
        RepairResult<UUID> dry;
        RepairResult<UUID> repaired;
        long writes;
        try (Migration.Writers writers =
                new Migration.Writers(platform.database().jdbi(), 2)) {
            report = migration.comparison().startOver();
            dry = migration.plan().dryRun();
            repaired = migration.plan().apply();
            writes = writers.writes();
        }
        findings.report("migration", "Migration, 1 and 2: detect and report", report.table(), report.json());
        findings.report(
                "migrationDryRun", "Migration, 3: analyse, the old table being right", counts(dry.table()), dry.json());
        findings.report(
                "migrationRepair", "Migration, 4 and 5: repair and verify", counts(repaired.table()), repaired.json());
        Report<UUID> second = migration.comparison().startOver();
        findings.report("migrationAfter", "Migration: a second look at everything", second.table(), second.json());
        findings.fact(
                "migration: missing in the new table, missing in the old one, different",
                List.of(
                        GeneratedData.NOT_MIGRATED,
                        GeneratedData.LEFT_OVER,
                        GeneratedData.OTHER_NAME + GeneratedData.OTHER_WORKSPACE),
                List.of(
                        report.totals().missingInNew(),
                        report.totals().missingInOld(),
                        report.totals().different()));
        findings.fact("migration: written meanwhile", true, writes > 0);
        findings.fact(
                "migration: changes, those of the dry run",
                dry.counts().changes(),
                repaired.counts().changes());
        findings.fact("migration: the second look is clean", true, repaired.isClean() && second.isClean());
    }

    /** Without the keys; they are in the report. */
    private static String counts(String table) {
        return table.replaceFirst("(?s)\\n\\n.*", "\n");
    }

    // ---- what has to be true in the end --------------------------------------------------------------------------

    private void promises() throws InterruptedException {
        waitFor("the last events", platform::isQuiet);
        findings.fact(
                "apps in an intermediate state",
                0L,
                count("app WHERE status = 'publishing' OR database_status IN ('creating', 'migrating')"));
        findings.fact(
                "apps that say they have a database and have none, or half of one",
                0L,
                count("app a WHERE database_status = 'ready' AND NOT EXISTS"
                        + " (SELECT 1 FROM server_schema s WHERE s.app_id = a.id AND s.tables > 0)"));
        findings.fact(
                "published apps without exactly one policy, and drafts with one",
                0L,
                count("app a WHERE (SELECT count(*) FROM app_policy p WHERE p.app_id = a.id)"
                        + " <> CASE WHEN a.status = 'published' THEN 1 ELSE 0 END"));
        findings.fact(
                "apps that are not where the last row of their history says",
                0L,
                count(
                        "app a WHERE EXISTS (SELECT 1 FROM transition_history h WHERE h.entity_id = CAST(a.id AS varchar(36))"
                                + " AND h.to_state <> CASE h.machine WHEN 'app-publication' THEN a.status"
                                + " ELSE a.database_status END AND NOT EXISTS (SELECT 1 FROM transition_history l"
                                + " WHERE l.machine = h.machine AND l.entity_id = h.entity_id AND l.seq > h.seq))"));
        findings.fact(
                "apps that were published more than once",
                0L,
                count("(SELECT entity_id FROM transition_history WHERE to_state = 'published'"
                        + " GROUP BY entity_id HAVING count(*) > 1) twice"));
        findings.fact("events that are not delivered, or parked", 0L, count("outbox_event WHERE published_at IS NULL"));
        findings.fact(
                "workspaces whose statistics are not the number of their executions: events lost or applied twice",
                0L,
                count("workspace w WHERE COALESCE((SELECT u.executions FROM usage_statistics u WHERE u.workspace_id ="
                        + " w.id), 0) <> (SELECT count(*) FROM execution e WHERE e.workspace_id = w.id)"));
        findings.fact(
                "apps that search does not find, or finds under another name, or still",
                0L,
                count("app a WHERE (SELECT count(*) FROM search_entry s WHERE s.app_id = a.id AND s.name = a.name)"
                        + " <> CASE WHEN a.deleted_at IS NULL THEN 1 ELSE 0 END"));
        findings.fact(
                "transactions that were charged twice",
                0L,
                count("(SELECT 1 AS one FROM charge GROUP BY workspace_id, transaction_id HAVING count(*) > 1) twice"));
        findings.fact(
                "workspaces below zero, or whose quota is not what their charges leave",
                0L,
                count("workspace w WHERE quota_left < 0 OR quota_left <> quota_granted - (SELECT"
                        + " COALESCE(sum(amount), 0) FROM charge c WHERE c.workspace_id = w.id)"));
    }

    // ---- the requests and the database ---------------------------------------------------------------------------

    private Request createApp(long workspace, String name) {
        return new Request(
                CreateApp.POLICY.path(),
                workspace,
                List.of("Idempotency-Key", "\"" + name.replace(' ', '-') + "\""),
                Map.of("name", name));
    }

    private Request execution(long workspace, UUID app, String id) {
        return new Request(
                TriggerExecution.POLICY.path(),
                workspace,
                List.of("X-Request-Id", run + "-" + id.replace(' ', '-')),
                Map.of("app", app));
    }

    private Request charge(long workspace, String transaction) {
        return new Request(
                ChargePayment.POLICY.path(),
                workspace,
                List.of("Transaction-Id", run + "-" + transaction.replace(' ', '-')),
                Map.of("amount", AMOUNT));
    }

    private static Request of(Policy policy, UUID app) {
        return new Request(policy.path(), HOME, List.of(), Map.of("app", app));
    }

    /** What was granted before is used up. */
    private void setQuota(long workspace) {
        platform.database()
                .jdbi()
                .useHandle(handle -> handle.execute(
                        "UPDATE workspace SET quota_granted = quota_granted - quota_left + ?, quota_left = ? WHERE id = ?",
                        QUOTA,
                        QUOTA,
                        workspace));
    }

    private long charges(long workspace) {
        return count("charge WHERE workspace_id = " + workspace + " AND transaction_id LIKE ?", run + "-%");
    }

    private long left(long workspace) {
        return platform.database()
                .jdbi()
                .withHandle(handle -> handle.createQuery("SELECT quota_left FROM workspace WHERE id = ?")
                        .bind(0, workspace)
                        .mapTo(Long.class)
                        .one());
    }

    private long count(String from, Object... values) {
        return platform.database().jdbi().withHandle(handle -> {
            var query = handle.createQuery("SELECT count(*) FROM " + from);
            for (int i = 0; i < values.length; i++) {
                query.bind(i, values[i]);
            }
            return query.mapTo(Long.class).one();
        });
    }

    private void waitFor(String what, BooleanSupplier there) throws InterruptedException {
        long end = System.nanoTime() + LONGEST_WAIT.toNanos();
        while (!there.getAsBoolean()) {
            if (System.nanoTime() > end) {
                findings.fact("in time: " + what, true, false);
                return;
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }
}
