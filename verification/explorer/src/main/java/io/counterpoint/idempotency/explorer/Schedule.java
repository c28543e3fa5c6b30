package io.counterpoint.idempotency.explorer;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One schedule from its beginning. There is no scheduler thread: the thread that reaches a gate decides what happens
 * next, and hands over if another one is to continue.
 */
abstract class Schedule {

    private final Choices choices;
    private final List<Caller> actors;
    private final Caller last;
    private final @Nullable List<String> words;
    private final Names names = new Names();
    private final Signal main = new Signal();
    private boolean lastCall;
    private volatile boolean aborted;

    /**
     * @param actors the callers, and one more for the last call
     * @param words where to write the events, if they are recorded
     */
    Schedule(Choices choices, List<Caller> actors, @Nullable List<String> words) {
        this.choices = choices;
        this.actors = actors.subList(0, actors.size() - 1);
        this.last = actors.get(actors.size() - 1);
        this.words = words;
    }

    /** Runs the schedule. Returns the broken promise, if any. */
    final @Nullable String run() {
        begin();
        Caller first = decide();
        if (first != null) {
            first.resume();
            main.await();
        }
        aborted = true;
        actors.forEach(this::unwind);
        unwind(last);
        end();
        return promises().broken();
    }

    private void unwind(Caller actor) {
        if (actor.isStarted() && !actor.isOver()) {
            actor.resume();
            main.await();
        }
    }

    /** Prepares the callers. */
    abstract void begin();

    /** All callers are done. Prepares the last call, which is not subject to any events. */
    abstract void beginLastCall();

    /** Cleans up after the last call. */
    void end() {}

    /** Offers the events without a caller. */
    abstract void offerEvents(ExplorerOptions options);

    abstract boolean mayFault();

    abstract void spendFault();

    /** Everything that determines what happens next. */
    abstract String state();

    abstract Promises promises();

    // ---- called by the thread that runs --------------------------------------------------------------------------

    final void finished() {
        handOver(aborted ? null : decide());
    }

    final void handOver(@Nullable Caller next) {
        if (next == null) {
            main.raise();
        } else {
            next.resume();
        }
    }

    /** Makes events happen until a caller has to continue. Null if the schedule is over. */
    final @Nullable Caller decide() {
        for (; ; ) {
            if (!choices.replaying()) {
                promises().check();
            }
            if (promises().broken() != null) {
                return null;
            }
            Caller unstarted = unstarted();
            if (unstarted != null) {
                return unstarted;
            }
            ExplorerOptions options = options();
            if (options.isEmpty()) {
                return afterAll();
            }
            int chosen = options.size() == 1 ? 0 : choices.choose(options.size(), this::state);
            if (chosen < 0) {
                return null;
            }
            ExplorerOptions.Option option = options.get(chosen);
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
        for (Caller actor : actors) {
            if (!actor.isStarted()) {
                return actor;
            }
        }
        return null;
    }

    private @Nullable Caller afterAll() {
        if (lastCall ? !last.isOver() : !isEverybodyOver()) {
            promises().breaks("everybody waits for a lock");
        } else if (!lastCall) {
            lastCall = true;
            beginLastCall();
            return last;
        }
        return null;
    }

    private ExplorerOptions options() {
        ExplorerOptions options = new ExplorerOptions(this);
        for (Caller actor : actors) {
            Request request = actor.request();
            if (request != null && request.isLocal()) {
                request.offer(options);
                return options;
            }
        }
        for (Caller actor : actors) {
            offer(actor, options);
        }
        offer(last, options);
        offerEvents(options);
        return options;
    }

    private static void offer(Caller actor, ExplorerOptions options) {
        Request request = actor.request();
        if (request != null) {
            request.offer(options);
        }
    }

    final boolean isEverybodyOver() {
        for (Caller actor : actors) {
            if (!actor.isOver()) {
                return false;
            }
        }
        return true;
    }

    final Names names() {
        return names;
    }

    final boolean isLastCall() {
        return lastCall;
    }

    final boolean isAborted() {
        return aborted;
    }

    final boolean isRecorded() {
        return words != null;
    }

    final void note(String what) {
        if (words != null) {
            words.add("    " + what);
        }
    }
}
