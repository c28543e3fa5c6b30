package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.programs.process.ChildProcess;
import io.counterpoint.idempotency.programs.process.JavaProgram;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** A leader in a process of its own, which is a real one: it can be paused and killed. */
final class LeaderProcess implements ChildProcess.Watcher {

    private static final long SECONDS_TO_STOP = 60;

    /** How far it is. At its step it is stopped, and may be paused besides. */
    enum State {
        AT_WORK,
        STOPPED,
        PAUSED,
        GONE
    }

    private final ChildProcess process;
    private final Consumer<String> said;
    private State state = State.AT_WORK;

    /**
     * Starts one.
     *
     * @param said gets every line that it says, and that it has ended
     */
    LeaderProcess(JavaProgram program, Consumer<String> said) throws IOException {
        this.said = said;
        process = ChildProcess.start(program, this);
    }

    @Override
    public void said(ChildProcess leader, String line) {
        said.accept(line);
    }

    @Override
    public void ready(ChildProcess leader) {
        become(State.STOPPED);
    }

    @Override
    public void ended(ChildProcess leader) {
        become(State.GONE);
        said.accept("is dead");
    }

    private synchronized void become(State next) {
        state = next;
        notifyAll();
    }

    synchronized State state() {
        return state;
    }

    long pid() {
        return process.pid();
    }

    /** Whether it waits at its step. */
    synchronized boolean isAtItsStep() {
        return state == State.STOPPED || state == State.PAUSED;
    }

    /** Waits until it is at its step, or has ended. */
    void awaitStop() throws InterruptedException {
        await(() -> state != State.AT_WORK);
    }

    /** Waits until it has ended. */
    void awaitEnd() throws InterruptedException {
        await(() -> state == State.GONE);
    }

    private synchronized void await(BooleanSupplier there) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS_TO_STOP);
        while (!there.getAsBoolean() && System.nanoTime() < end) {
            wait(1_000);
        }
    }

    /** Lets it go on, also from a pause. */
    void goOn() throws IOException, InterruptedException {
        become(State.AT_WORK);
        process.signal("CONT");
        process.say("");
    }

    /** Stops the process where it is, as a machine that stalls does. */
    void pause() throws IOException, InterruptedException {
        process.signal("STOP");
        become(State.PAUSED);
    }

    /** {@code kill -9}. */
    void kill() {
        process.kill();
    }
}
