package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.Operation.Abandoned;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.page.Asking.Answered;
import io.counterpoint.idempotency.examples.appplatform.page.TimeLine.Lane;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.groupcreation.breaker.DoomedLeaders;
import io.counterpoint.idempotency.examples.groupcreation.breaker.Moment;
import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.process.ChildProcess;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * The life of one key: a leader in its own process, behind a proxy that can cut its connection, and callers in this
 * process that retry. There is one key at a time; a new key ends the previous key's leader.
 */
final class KeyLife implements AutoCloseable {

    private static final int MOST_CALLERS = 8;

    private static final Duration LONGEST_WAIT = Duration.ofMinutes(1);

    /** The leader's progress, as the page shows it. At its step the leader is stopped, and it may also be paused. */
    private enum Stage {
        AT_WORK,
        STOPPED,
        PAUSED,
        GONE
    }

    /** The key that is shown, and everything that belongs to it. */
    private record Shown(
            String key,
            Moment step,
            Abandoned abandoned,
            CuttingProxy proxy,
            ChildProcess leader,
            Watching watching,
            TimeLine line) {}

    /** Adds a leader's output to the time line of its key. */
    private final class Watching implements ChildProcess.Watcher {

        private final TimeLine line;
        private final CountDownLatch gone = new CountDownLatch(1);
        private volatile Stage stage = Stage.AT_WORK;

        Watching(TimeLine line) {
            this.line = line;
        }

        @Override
        public void said(ChildProcess leader, String text) {
            line.add(Lane.LEADER, text);
            look();
        }

        @Override
        public void ready(ChildProcess leader) {
            stage = Stage.STOPPED;
        }

        @Override
        public void ended(ChildProcess leader) {
            stage = Stage.GONE;
            line.add(Lane.LEADER, "is dead");
            look();
            gone.countDown();
        }

        /** Waits until the leader's last line has been added. */
        void awaitEnd() throws InterruptedException {
            boolean unused = gone.await(LONGEST_WAIT.toSeconds(), TimeUnit.SECONDS);
        }
    }

    /** What the page shows of the key. */
    private record Life(
            String key,
            String leader,
            long process,
            RecordRow record,
            long graceMillis,
            int waiting,
            List<TimeLine.Entry> line) {}

    private final DatabaseAddress database;
    private final Jdbi jdbi;
    private final EventStream stream;
    private final Asking asking;
    private @Nullable Shown shown;
    private RecordRow row = new RecordRow("none", "", 0, "none", 0);

    KeyLife(DatabaseAddress database, Jdbi jdbi, EventStream stream, Asking asking) {
        this.database = database;
        this.jdbi = jdbi;
        this.stream = stream;
        this.asking = asking;
    }

    Done lead(Input input) throws Refusal, IOException, InterruptedException {
        Moment step = input.choice("step", Moment.values());
        Abandoned abandoned = input.choice("abandoned", Abandoned.values());
        close();
        String key = "key-" + UUID.randomUUID().toString().substring(0, 8);
        CuttingProxy proxy = CuttingProxy.inFrontOf(database.url());
        TimeLine line = new TimeLine();
        DatabaseAddress through = new DatabaseAddress(
                proxy.jdbcUrl() + "&ApplicationName=" + RecordRow.sessionOf(key),
                database.user(),
                database.password(),
                database.schema());
        line.add(Lane.VISITOR, "starts a leader, a process of its own");
        Watching watching = new Watching(line);
        ChildProcess leader = ChildProcess.start(
                DoomedLeaders.program(
                        Asking.place(through), step, abandoned, Asking.GRACE, List.of(Asking.request(key))),
                watching);
        synchronized (this) {
            row = new RecordRow("none", "", 0, "none", 0);
            shown = new Shown(key, step, abandoned, proxy, leader, watching, line);
        }
        try {
            String unused = leader.awaitReady(LONGEST_WAIT);
        } catch (CannotRun notStopped) {
            throw new IOException("The leader did not reach its step: " + notStopped.getMessage(), notStopped);
        }
        return done("The library committed a claim under a fresh token. "
                + switch (step) {
                    case CLAIMED -> "The leader holds the record's lock, and has written nothing.";
                    case BEFORE_COMMIT -> "The leader has written the group, and not committed it.";
                    case BEFORE_MARK, AFTER_COMMIT ->
                        "Group and record are committed together; only the client does not know.";
                });
    }

    Done goOn(Input input) throws Refusal, IOException, InterruptedException {
        Shown now = leading();
        now.line().add(Lane.VISITOR, "lets the leader go on");
        goOn(now);
        return done(
                now.line().has(Lane.LEADER, DoomedLeaders.ANSWERED + "executed")
                        ? "The leader went on. Its last statement before COMMIT stated its token, and the token was"
                                + " still that of the record."
                        : "The leader found that the key is no longer its own. It committed nothing, and answered as a"
                                + " follower.");
    }

    Done kill(Input input) throws Refusal, InterruptedException {
        Shown now = leading();
        now.line().add(Lane.VISITOR, "kill -9 " + now.leader().pid());
        now.leader().kill();
        now.watching().awaitEnd();
        awaitServerWithoutLeader(now.key());
        return done("The database rolled back what was not committed. The record stays as it was until the next call"
                + " with the key: no background process watches keys.");
    }

    Done pause(Input input) throws Refusal, IOException, InterruptedException {
        Shown now = leading();
        now.line().add(Lane.VISITOR, "pauses the leader's process past its grace");
        now.leader().signal("STOP");
        now.watching().stage = Stage.PAUSED;
        while (look().ageMillis() <= Asking.GRACE.toMillis()) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        return done("The record is older than the grace, which decides only when to look. As long as the leader's"
                + " connection holds the record's lock, nobody takes the key over.");
    }

    Done cut(Input input) throws Refusal, InterruptedException {
        Shown now = leading();
        now.line().add(Lane.VISITOR, "cuts the leader's connection");
        int unused = now.proxy().resetAll();
        awaitServerWithoutLeader(now.key());
        return done(
                "The database rolled the leader's transaction back, and the record's lock is free. The leader learns"
                        + " of it with its next statement.");
    }

    Done cutAtCommit(Input input) throws Refusal, IOException, InterruptedException {
        boolean before = input.choice("at", List.of("before", "after")).equals("before");
        Shown now = leading();
        if (now.step() == Moment.AFTER_COMMIT) {
            throw Refusals.busy("This leader has committed already: start one that stops before.");
        }
        now.line().add(Lane.VISITOR, before ? "cuts before COMMIT arrives" : "cuts after COMMIT arrived");
        if (before) {
            now.proxy().dropNextCommit();
        } else {
            now.proxy().swallowNextCommitAnswer();
        }
        goOn(now);
        now.proxy().heal();
        return done(
                before
                        ? "The leader locked its record over a new connection, found that nothing was committed, and"
                                + " did its work again under a fresh token: one group."
                        : "The leader locked its record over a new connection, found its own success, and confirmed it"
                                + " by a write: one group, and no second run.");
    }

    Done askAgain(Input input) throws Refusal, IOException, InterruptedException {
        int callers = input.number("callers", 1, MOST_CALLERS);
        boolean waits = input.flag("wait");
        Shown now = current();
        List<Answered> answers = asking.ask(now.key(), now.abandoned(), callers, waits, now.line(), this::look);
        return new Done(answers.get(0).sentence(), Map.of("record", look(), "answers", answers));
    }

    private synchronized Shown current() throws Refusal {
        Shown now = shown;
        if (now == null) {
            throw Refusals.busy("There is no key yet: start a leader.");
        }
        return now;
    }

    private Shown leading() throws Refusal {
        Shown now = current();
        Stage stage = now.watching().stage;
        if (stage != Stage.STOPPED && stage != Stage.PAUSED) {
            throw Refusals.busy("The leader is not at its step any more: start another.");
        }
        return now;
    }

    /** Releases a leader, even a paused one, and lets it finish. */
    private static void goOn(Shown now) throws IOException, InterruptedException {
        now.watching().stage = Stage.AT_WORK;
        now.leader().signal("CONT");
        now.leader().say("");
        now.watching().awaitEnd();
    }

    private void awaitServerWithoutLeader(String key) throws InterruptedException {
        while (!jdbi.withHandle(handle -> RecordRow.of(handle, key))
                .leaderSession()
                .equals("none")) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private Done done(String said) {
        return new Done(said, Map.of("record", look()));
    }

    /** Reads the key from its tables, and shows any changes. */
    synchronized RecordRow look() {
        Shown key = shown;
        if (key == null) {
            return row;
        }
        RecordRow now = jdbi.withHandle(handle -> RecordRow.of(handle, key.key()));
        now.tell(row, key.line());
        row = now;
        stream.show("life", life(key, now));
        return now;
    }

    private Life life(Shown now, RecordRow record) {
        Stage stage = now.watching().stage;
        String state =
                Input.word(stage).replace('_', ' ') + (stage == Stage.STOPPED ? " " + Input.word(now.step()) : "");
        return new Life(
                now.key(),
                state,
                now.leader().pid(),
                record,
                Asking.GRACE.toMillis(),
                asking.waiting(),
                now.line().entries());
    }

    /** Ends the leader of the key that is shown. */
    @Override
    public synchronized void close() {
        Shown before = shown;
        if (before != null) {
            before.leader().kill();
            before.proxy().close();
            shown = null;
        }
    }
}
