package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One client of a {@link CuttingProxy} and its connection to the server, with a thread for each direction. */
final class ProxiedConnection {

    private final CuttingProxy proxy;
    private final int number;
    private final Socket client;
    private final Socket server;
    private final CutRules rules;
    private final Conversation conversation;
    private final AtomicBoolean encryptionAskedFor = new AtomicBoolean();
    private volatile boolean closed;
    /** Only the thread to the server uses it. */
    private boolean cutsAfterSend;
    /** Guarded by the proxy. */
    private boolean held;

    ProxiedConnection(CuttingProxy proxy, int number, Socket client, Socket server, CutRules rules, Traffic traffic) {
        this.proxy = proxy;
        this.number = number;
        this.client = client;
        this.server = server;
        this.rules = rules;
        this.conversation = new Conversation(number, traffic);
    }

    void start() {
        inBackground("to", this::forwardToServer);
        inBackground("from", this::forwardToClient);
    }

    private void inBackground(String direction, Forwarding forwarding) {
        Thread thread = new Thread(() -> run(forwarding), "proxy connection " + number + " " + direction + " server");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Forwarding forwarding) {
        try {
            forwarding.run();
        } catch (IOException broken) {
            // One side is gone: so is the connection.
        } finally {
            // The other side must not learn of it while nothing passes.
            proxy.awaitPassage(this);
            close();
        }
    }

    private void forwardToServer() throws IOException {
        server.setTcpNoDelay(true);
        DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
        OutputStream out = new BufferedOutputStream(server.getOutputStream());
        WireMessage start;
        do {
            start = WireMessage.readStart(in);
            proxy.awaitPassage(this);
            // Before the request is sent: the other thread has to know what the answer is.
            encryptionAskedFor.set(start.asksForEncryption());
            start.writeTo(out);
            out.flush();
        } while (start.asksForEncryption());
        if (start.asksToCancel()) {
            return;
        }
        WireMessage message = nextMessage(in);
        while (message != null) {
            proxy.awaitPassage(this);
            String sql = conversation.executedBy(message);
            // Only the message after a COMMIT shows whether the client waits for that COMMIT.
            boolean isCommit = message.type() == WireMessage.EXECUTE && sql != null && CutRules.isCommit(sql);
            WireMessage next = isCommit ? nextMessage(in) : null;
            boolean followed = next != null && next.type() != WireMessage.SYNC;
            if (!send(message, sql, followed, out)) {
                return;
            }
            if (!isCommit) {
                flushBeforeWaiting(in, out);
                next = nextMessage(in);
            }
            message = next;
        }
        out.flush();
    }

    private static @Nullable WireMessage nextMessage(DataInputStream in) throws IOException {
        int type = in.read();
        return type < 0 ? null : WireMessage.readTyped(type, in);
    }

    /** Returns whether the connection is still there. */
    private boolean send(WireMessage message, @Nullable String sql, boolean followed, OutputStream out)
            throws IOException {
        Cut cut = sql == null ? null : rules.takeFor(sql, followed);
        if (cut == Cut.BEFORE_SEND || (conversation.hasStarted() && rules.isMessageTooMany())) {
            out.flush();
            proxy.cut(this);
            return false;
        }
        if (cut == Cut.HOLD) {
            out.flush();
            proxy.hold(this);
            proxy.awaitPassage(this);
        }
        conversation.sent(message, sql, cut == Cut.AFTER_ANSWER);
        message.writeTo(out);
        cutsAfterSend |= cut == Cut.AFTER_SEND;
        if (cutsAfterSend && message.endsWhatIsSent()) {
            out.flush();
            proxy.cut(this);
            return false;
        }
        return true;
    }

    private void forwardToClient() throws IOException {
        client.setTcpNoDelay(true);
        DataInputStream in = new DataInputStream(new BufferedInputStream(server.getInputStream()));
        OutputStream out = new BufferedOutputStream(client.getOutputStream());
        for (int type = in.read(); type >= 0; type = in.read()) {
            if (encryptionAskedFor.compareAndSet(true, false)) {
                forwardEncryptionAnswer(type, out);
            } else if (!answer(WireMessage.readTyped(type, in), out)) {
                return;
            }
            flushBeforeWaiting(in, out);
        }
        out.flush();
    }

    private void forwardEncryptionAnswer(int answer, OutputStream out) throws IOException {
        if (answer != 'N') {
            throw new IOException("the proxy cannot look into an encrypted connection: use sslmode=disable");
        }
        proxy.awaitPassage(this);
        out.write(answer);
    }

    /** Returns whether the connection is still there. */
    private boolean answer(WireMessage message, OutputStream out) throws IOException {
        proxy.awaitPassage(this);
        boolean tooMany = conversation.hasStarted() && rules.isMessageTooMany();
        Conversation.Answer answer =
                conversation.answered(message, !conversation.answersMore() && rules.takesAnswer(message));
        if (tooMany || answer == Conversation.Answer.CUT) {
            out.flush();
            proxy.cut(this);
            return false;
        }
        if (answer == Conversation.Answer.FORWARD) {
            message.writeTo(out);
        }
        return true;
    }

    /**
     * Passes on in one go what was sent in one go: the server must not answer the first of it before the rest is known,
     * or one round trip would look like two.
     */
    private static void flushBeforeWaiting(DataInputStream in, OutputStream out) throws IOException {
        if (in.available() == 0) {
            out.flush();
        }
    }

    boolean isHeld() {
        return held;
    }

    void setHeld(boolean held) {
        this.held = held;
    }

    boolean isClosed() {
        return closed;
    }

    /** Closes the client's side with a reset, and the server's in order: what was sent to it still arrives. */
    void reset() {
        try {
            client.setSoLinger(true, 0);
        } catch (IOException alreadyClosed) {
            // Then closing is all there is to do.
        }
        close();
    }

    void close() {
        closed = true;
        closeQuietly(client);
        closeQuietly(server);
        proxy.forget(this);
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyBroken) {
            // It is not used any more either way.
        }
    }

    private interface Forwarding {
        void run() throws IOException;
    }
}
