package io.counterpoint.idempotency.explorer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One schedule from its beginning. There is no thread that schedules: the thread that comes to a gate decides what
 * happens next, and hands over if another one goes on.
 */
final class Execution {

    private static final long GRACE_STEP = Configuration.GRACE.toMinutes() + 1;
    private static final long RETENTION_STEP = Configuration.RETENTION.toMinutes() + 1;

    private final Scenario scenario;
    private final Choices choices;
    private final List<Caller> callers;
    private final Caller last;
    private final Names names = new Names();
    private final Database database;
    private final Promises promises = new Promises(this);
    private final List<Late> late = new ArrayList<>();
    private final @Nullable List<String> words;
    private final Signal main = new Signal();
    private Bounds budget;
    private boolean lastCall;
    private volatile boolean aborted;

    /**
     * @param callers the callers, and one more for the last call
     * @param words where to write the events, if they are recorded
     */
    Execution(Scenario scenario, Choices choices, List<Caller> callers, @Nullable List<String> words) {
        this.scenario = scenario;
        this.choices = choices;
        this.callers = callers.subList(0, callers.size() - 1);
        this.last = callers.get(callers.size() - 1);
        this.words = words;
        this.budget = scenario.bounds();
        this.database = new Database(scenario, names);
    }

    /** What went wrong, if anything did. */
    @Nullable
    String run() {
        callers.forEach(caller -> caller.prepare(this, scenario.bounds().tries()));
        last.prepare(this, 1);
        Caller first = decide();
        if (first != null) {
            first.resume();
            main.await();
        }
        aborted = true;
        callers.forEach(this::unwind);
        unwind(last);
        database.rollBackAll();
        return promises.broken();
    }

    private void unwind(Caller caller) {
        if (caller.isStarted() && !caller.isOver()) {
            caller.resume();
            main.await();
        }
    }

    // ---- called by the thread that runs --------------------------------------------------------------------------

    void finished() {
        handOver(aborted ? null : decide());
    }

    void handOver(@Nullable Caller next) {
        if (next == null) {
            main.raise();
        } else {
            next.resume();
        }
    }

    /** Makes events happen until a caller has to go on. Null if the schedule is over. */
    @Nullable
    Caller decide() {
        for (; ; ) {
            if (!choices.replaying()) {
                promises.check();
            }
            if (promises.broken() != null) {
                return null;
            }
            Caller unstarted = unstarted();
            if (unstarted != null) {
                return unstarted;
            }
            Options options = options();
            if (options.isEmpty()) {
                return lastCall ? null : beginLastCall();
            }
            int chosen = options.size() == 1 ? 0 : choices.choose(options.size(), this::state);
            if (chosen < 0) {
                return null;
            }
            Options.Option option = options.get(chosen);
            option.action().run();
            if (words != null) {
                words.add(option.words().get());
            }
            if (option.resumes() != null) {
                return option.resumes();
            }
        }
    }

    private @Nullable Caller unstarted() {
        for (Caller caller : callers) {
            if (!caller.isStarted()) {
                return caller;
            }
        }
        return null;
    }

    private @Nullable Caller beginLastCall() {
        if (!callers.stream().allMatch(Caller::isOver)) {
            promises.breaks("everybody waits for a lock");
            return null;
        }
        lastCall = true;
        budget = new Bounds(0, 0, 0, 0, 0, 0, 0);
        database.cluster().nodes().forEach(database.cluster()::apply);
        database.pass(GRACE_STEP);
        return last;
    }

    // ---- options -------------------------------------------------------------------------------------------------

    private Options options() {
        Options options = new Options(this);
        boolean allOver = true;
        for (Caller caller : callers) {
            Request request = caller.request();
            allOver &= caller.isOver();
            if (request != null && request.isLocal()) {
                request.offer(options);
                return options;
            }
        }
        for (Caller caller : callers) {
            Request request = caller.request();
            if (request != null) {
                request.offer(options);
            }
        }
        Request request = last.request();
        if (request != null) {
            request.offer(options);
        }
        for (Late message : late) {
            if (message.canArrive(database)) {
                options.event(message::words, () -> {
                    late.remove(message);
                    message.arrive(database);
                });
            }
        }
        if (!allOver) {
            offerEvents(options);
            new NodeEvents(this, callers, late).offer(options);
        }
        return options;
    }

    private void offerEvents(Options options) {
        boolean isThere = database.record().isPresent();
        boolean isPending = database.record()
                .filter(record -> record.fold(pending -> true, succeeded -> false, failed -> false))
                .isPresent();
        if (budget.faults() > 0 && budget.restarts() > 0 && scenario.hasGlobalLocks()) {
            options.event(
                    () -> scenario.replicated()
                            ? "the standby is promoted, commits whose wait was broken are lost"
                            : "the database restarts, its open transactions and last asynchronous commits are lost",
                    this::restart);
        }
        if (budget.graces() > 0 && isPending) {
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

    void late(Late message) {
        late.add(message);
    }

    /** The results of transactions whose commits have not arrived yet. */
    List<String> valuesOnTheirWay() {
        return late.stream().flatMap(message -> message.values().stream()).toList();
    }

    void spendFault() {
        budget = budget.withFaults(budget.faults() - 1);
    }

    void spendRestart() {
        spendFault();
        budget = budget.lessRestart();
    }

    void spendFailure() {
        budget = budget.lessFailure();
    }

    // ---- state ---------------------------------------------------------------------------------------------------

    private String state() {
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

    Names names() {
        return names;
    }

    Database database() {
        return database;
    }

    Promises promises() {
        return promises;
    }

    boolean isLastCall() {
        return lastCall;
    }

    boolean isAborted() {
        return aborted;
    }

    boolean isRecorded() {
        return words != null;
    }

    void note(String what) {
        if (words != null) {
            words.add("    " + what);
        }
    }
}
