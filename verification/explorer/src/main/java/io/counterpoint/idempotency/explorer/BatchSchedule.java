package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.explorer.BatchServer.Open;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One schedule of batches from its beginning. There is no thread that schedules: the thread that comes to a gate decides
 * what happens next, and hands over if another one goes on.
 */
final class BatchSchedule {

    private final BatchScenario scenario;
    private final Choices choices;
    private final List<BatchCaller> callers;
    private final BatchCaller last;
    private final @Nullable List<String> words;
    private final Names names = new Names();
    private final BatchServer server = new BatchServer(names);
    private final BatchPromises promises = new BatchPromises(this);
    private final List<Late> late = new ArrayList<>();
    private final Signal main = new Signal();
    private int faults;

    /** The callers among whom a thread at a gate decides; none while callers begin or end. */
    private List<BatchCaller> present = List.of();

    private volatile boolean aborted;

    /**
     * @param callers one for each batch, and one more for the last call
     * @param words where to write the events, if they are recorded
     */
    BatchSchedule(BatchScenario scenario, Choices choices, List<BatchCaller> callers, @Nullable List<String> words) {
        this.scenario = scenario;
        this.choices = choices;
        this.callers = callers.subList(0, callers.size() - 1);
        this.last = callers.get(callers.size() - 1);
        this.words = words;
        this.faults = scenario.faults();
    }

    /** The end of a transaction, on its way without its sender. */
    private record Late(BatchCaller sender, Open transaction, boolean commits) {}

    /** What can happen next. */
    final class Options {
        private final List<Option> all = new ArrayList<>();

        void goesOn(BatchCaller caller, String what, Runnable action) {
            all.add(new Option(caller, caller + " " + what, action));
        }

        /** A caller goes on after a fault. */
        void fault(BatchCaller caller, String what, Runnable action) {
            if (faults > 0) {
                goesOn(caller, what, () -> {
                    faults--;
                    action.run();
                });
            }
        }

        /** The end of a transaction arrives later. */
        void late(BatchCaller sender, Open transaction, boolean commits) {
            if (scenario.overNodes()) {
                transaction.unlock();
            }
            late.add(new Late(sender, transaction, commits));
        }

        private void arrivals() {
            for (Late message : late) {
                String what = message.commits() ? "the late commit of " : "the database rolls back the transaction of ";
                all.add(new Option(null, what + message.sender(), () -> {
                    late.remove(message);
                    message.transaction().end(message.commits());
                }));
            }
        }
    }

    private record Option(@Nullable BatchCaller resumes, String words, Runnable action) {}

    /** What went wrong, if anything did. */
    @Nullable
    String run() {
        last.prepare(this, List.of());
        for (int i = 0; i < callers.size(); i++) {
            begin(callers.get(i), scenario.batches().get(i));
        }
        play(callers);
        if (!aborted && promises.broken() == null && callers.stream().allMatch(this::isDone)) {
            faults = 0;
            server.passGrace();
            begin(
                    last,
                    scenario.batches().stream().flatMap(List::stream).distinct().toList());
            play(List.of(last));
        }
        aborted = true;
        callers.forEach(this::unwind);
        unwind(last);
        return promises.broken();
    }

    private boolean isDone(BatchCaller caller) {
        return caller.isOver() || caller.isDead();
    }

    private void begin(BatchCaller caller, List<String> keys) {
        caller.prepare(this, keys);
        caller.resume();
        main.await();
    }

    private void unwind(BatchCaller caller) {
        while (caller.request() != null) {
            caller.resume();
            main.await();
        }
    }

    private void play(List<BatchCaller> among) {
        present = among;
        BatchCaller first = decide();
        if (first != null) {
            first.resume();
            main.await();
        }
        present = List.of();
    }

    // ---- called by the thread that runs --------------------------------------------------------------------------

    void handOver(@Nullable BatchCaller next) {
        if (next == null) {
            main.raise();
        } else {
            next.resume();
        }
    }

    /** Makes events happen until a caller has to go on. Null if none has. */
    @Nullable
    BatchCaller decide() {
        while (!present.isEmpty()) {
            promises.check();
            if (promises.broken() != null) {
                return null;
            }
            Options options = options();
            if (options.all.isEmpty()) {
                if (!present.stream().allMatch(this::isDone)) {
                    promises.breaks("everybody waits for a lock");
                }
                return null;
            }
            int chosen = options.all.size() == 1 ? 0 : choices.choose(options.all.size(), this::state);
            if (chosen < 0) {
                aborted = true;
                return null;
            }
            BatchCaller caller = happen(options.all.get(chosen));
            if (caller != null) {
                return caller;
            }
        }
        return null;
    }

    private Options options() {
        Options options = new Options();
        for (BatchCaller caller : present) {
            Consumer<Options> request = caller.request();
            if (request != null && !caller.isDead()) {
                request.accept(options);
            }
        }
        options.arrivals();
        return options;
    }

    /** The caller that goes on, if one does. */
    private @Nullable BatchCaller happen(Option option) {
        if (words != null) {
            words.add(option.words());
        }
        option.action().run();
        BatchCaller caller = option.resumes();
        return caller == null || caller.isDead() ? null : caller;
    }

    // ---- state ---------------------------------------------------------------------------------------------------

    private String state() {
        StringBuilder state = new StringBuilder(server.state()).append(faults).append(promises.state());
        for (Late message : late) {
            state.append('/')
                    .append(message.commits())
                    .append(message.transaction().code());
        }
        for (BatchCaller caller : callers) {
            state.append('|').append(caller.state());
        }
        return Names.canonical(state.append('|').append(last.state()));
    }

    /** An answer to a step, as part of a state. */
    String code(Object answer) {
        if (answer instanceof Map<?, ?> records) {
            Map<IdempotencyKey, String> sorted = new TreeMap<>();
            records.forEach((key, record) -> sorted.put((IdempotencyKey) key, names.ofAnswer(record)));
            return sorted.values().toString();
        }
        return names.ofAnswer(answer);
    }

    BatchScenario scenario() {
        return scenario;
    }

    Names names() {
        return names;
    }

    BatchServer server() {
        return server;
    }

    BatchPromises promises() {
        return promises;
    }

    /** Whether this schedule had no fault up to now. */
    boolean isFaultless() {
        return faults == scenario.faults();
    }

    boolean isLastCall(BatchCaller caller) {
        return caller == last;
    }

    boolean isAborted() {
        return aborted;
    }

    void note(String what) {
        if (words != null) {
            words.add("    " + what);
        }
    }
}
