package io.counterpoint.idempotency.consistency.invalidation;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** A channel in memory that fails while the test wants it. */
final class MemoryChannel implements InvalidationChannel {

    private static final String CUT = "cut";
    private static final String END = "end";

    final List<String> published = new CopyOnWriteArrayList<>();
    final Semaphore triesToListen = new Semaphore(0);
    volatile boolean sends = true;
    private volatile boolean listens = true;
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

    void arrive(String message) {
        messages.add(message);
    }

    void cut() {
        listens = false;
        messages.add(CUT);
    }

    void mend() {
        listens = true;
    }

    @Override
    public void publish(String message) throws IOException {
        if (!sends) {
            throw new IOException("not sent");
        }
        published.add(message);
    }

    @Override
    public void receive(Runnable listening, Consumer<String> received) throws Exception {
        triesToListen.release();
        if (listens) {
            listening.run();
            for (String message = messages.take(); !message.equals(CUT); message = messages.take()) {
                if (message.equals(END)) {
                    return;
                }
                received.accept(message);
            }
        }
        throw new IOException("not listening");
    }

    @Override
    public void close() {
        messages.add(END);
    }
}
