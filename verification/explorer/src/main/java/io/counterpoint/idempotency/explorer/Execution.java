package io.counterpoint.idempotency.explorer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One schedule of calls. */
final class Execution extends Schedule {

    private static final long GRACE_STEP = Configuration.GRACE.toMinutes() + 1;
    private static final long RETENTION_STEP = Configuration.RETENTION.toMinutes() + 1;

    private final Scenario scenario;
    private final List<Caller> callers;
    private final Caller last;
    private final ExploredDatabase database;
    private final Promises promises;
    private final List<Late> late = new ArrayList<>();
    private final List<UUID> tokens = new ArrayList<>();
    private final Map<String, String> requests = new HashMap<>();
    private Bounds budget;
    private boolean endedATransaction;

    /**
     * @param callers the callers, and one more for the last call
     * @param words where to write the events, if they are recorded
     */
    Execution(Scenario scenario, Choices choices, List<Caller> callers, @Nullable List<String> words) {
        super(choices, callers, words);
        this.scenario = scenario;
        this.callers = callers.subList(0, callers.size() - 1);
        this.last = callers.get(callers.size() - 1);
        this.budget = scenario.bounds();
        this.database = new ExploredDatabase(scenario, names());
        this.promises = new Promises(scenario, this);
    }

    @Override
    void begin() {
        callers.forEach(caller -> caller.prepare(this, scenario.bounds().tries()));
        last.prepare(this, 1);
    }

    @Override
    void beginLastCall() {
        budget = new Bounds(0, 0, 0, 0, 0, 0, 0);
        database.cluster().nodes().forEach(database.cluster()::apply);
        database.pass(GRACE_STEP);
    }

    @Override
    void end() {
        database.rollBackAll();
    }

    // ---- options -------------------------------------------------------------------------------------------------

    @Override
    void offerEvents(ExplorerOptions options) {
        for (Late message : late) {
            if (message.canArrive(database)) {
                options.event(message::words, () -> {
                    late.remove(message);
                    message.arrive(database);
                });
            }
        }
        if (!isEverybodyOver()) {
            offerDatabaseEvents(options);
            new NodeEvents(this, callers, late).offer(options);
        }
    }

    private void offerDatabaseEvents(ExplorerOptions options) {
        boolean isThere = database.hasRecords();
        if (budget.faults() > 0 && budget.restarts() > 0 && scenario.hasGlobalLocks()) {
            options.event(
                    () -> scenario.replicated()
                            ? "the standby is promoted, commits whose wait was broken are lost"
                            : "the database restarts, its open transactions and last asynchronous commits are lost",
                    this::restart);
        }
        if (budget.graces() > 0 && database.hasPending()) {
            options.event(() -> "the grace period passes", () -> {
                budget = budget.lessGrace();
                database.pass(GRACE_STEP);
            });
        }
        if (budget.retentions() > 0 && isThere) {
            options.event(() -> "the retention passes", () -> {
                budget = budget.lessRetention();
                database.pass(RETENTION_STEP);
            });
        }
        if (budget.retentions() < scenario.bounds().retentions() && isThere) {
            options.event(() -> "the purge runs", database::purge);
        }
    }

    private void restart() {
        spendRestart();
        database.restart();
        late.removeIf(Late::isInDatabase);
    }

    /** All tokens that calls have written or tried to write. */
    List<UUID> tokens() {
        return tokens;
    }

    /** Records that a call has produced a result or a plan for its request. */
    void makes(String value, String request) {
        requests.put(value, request);
    }

    /** Whether any caller's code has ended its transaction. */
    boolean hasEndedATransaction() {
        return endedATransaction;
    }

    void endsATransaction() {
        endedATransaction = true;
    }

    /** The request for which a result was produced. */
    String requestOf(String value) {
        return requests.getOrDefault(value, "");
    }

    void late(Late message) {
        late.add(message);
    }

    /** The results of transactions whose commits have not arrived yet. */
    List<String> valuesOnTheirWay() {
        return late.stream().flatMap(message -> message.values().stream()).toList();
    }

    @Override
    boolean mayFault() {
        return budget.faults() > 0;
    }

    @Override
    void spendFault() {
        budget = budget.withFaults(budget.faults() - 1);
    }

    /** Whether this schedule has been free of faults so far. */
    boolean isFaultless() {
        return budget.faults() == scenario.bounds().faults();
    }

    void spendRestart() {
        spendFault();
        budget = budget.lessRestart();
    }

    void spendFailure() {
        budget = budget.lessFailure();
    }

    // ---- state ---------------------------------------------------------------------------------------------------

    @Override
    String state() {
        StringBuilder onWay = new StringBuilder();
        for (Late message : late) {
            onWay.append(message.code(database)).append('/');
        }
        List<String> states = new ArrayList<>(callers.size());
        for (Caller caller : callers) {
            states.add(caller.state());
        }
        states.sort(Comparator.comparing(Names::anonymous));
        StringBuilder state = new StringBuilder(database.state())
                .append(budget.state())
                .append(promises.state(onWay.toString()))
                .append(onWay);
        for (String one : states) {
            state.append('|').append(one);
        }
        return Names.canonical(state);
    }

    ServerTransaction begin(GatedStore.GatedSession session) {
        return new ServerTransaction(database, session);
    }

    Scenario scenario() {
        return scenario;
    }

    Bounds budget() {
        return budget;
    }

    ExploredDatabase database() {
        return database;
    }

    @Override
    Promises promises() {
        return promises;
    }
}
