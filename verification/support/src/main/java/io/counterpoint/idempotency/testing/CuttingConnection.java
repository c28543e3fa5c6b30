package io.counterpoint.idempotency.testing;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** One client of a {@link CuttingProxy} and its connection to the server, with one thread per direction. */
final class CuttingConnection extends ProxiedConnection {

    private final CuttingProxy proxy;
    private final CutRules rules;
    private final Conversation conversation;
    private final AtomicBoolean encryptionAskedFor = new AtomicBoolean();
    /** Confined to the thread that forwards to the server. */
    private boolean cutsAfterSend;

    CuttingConnection(CuttingProxy proxy, int number, Socket client, Socket server, CutRules rules, Traffic traffic) {
        super(proxy, number, client, server);
        this.proxy = proxy;
        this.rules = rules;
        this.conversation = new Conversation(number, traffic);
    }

    /** While nothing may pass, the other side must not notice that this one has closed. */
    @Override
    void end() {
        proxy.awaitPassage(this);
        close();
    }

    @Override
    void forwardToServer() throws IOException {
        DataInputStream in = new DataInputStream(new BufferedInputStream(client.getInputStream()));
        OutputStream out = new BufferedOutputStream(server.getOutputStream());
        WireMessage start;
        do {
            start = WireMessage.readStart(in);
            proxy.awaitPassage(this);
            // Before the request is sent, because the other thread has to know what the reply means.
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
            // Only the message after a COMMIT shows whether the client waits for the reply to it.
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

    /** Returns whether the connection still exists. */
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

    @Override
    void forwardToClient() throws IOException {
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

    /** Returns whether the connection still exists. */
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
     * Forwards in one write what was sent in one write. Otherwise the server could answer the first part before the
     * rest is known, and one round trip would look like two.
     */
    private static void flushBeforeWaiting(DataInputStream in, OutputStream out) throws IOException {
        if (in.available() == 0) {
            out.flush();
        }
    }
}
