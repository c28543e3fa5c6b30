package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.servlet.Client.Request;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What the clients do about a server that resets the connection instead of reading a long body. curl sends it when it is
 * asked for. The JDK's sends it again, and a short one never.
 */
@Timeout(60)
class ClientTest {

    private static final String REFUSAL =
            "HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

    @Test
    void longBodyIsSentAgain() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            FutureTask<Void> serving = inAnotherThread(() -> {
                reset(server);
                refuse(server);
            });
            assertThat(Client.JDK.send(request(server, 200_000)).status()).isEqualTo(413);
            serving.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void curlSendsNoLongBodyToAServerThatRefusesIt() throws Exception {
        if (!Client.present().contains(Client.CURL)) {
            return;
        }
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            FutureTask<Void> serving = inAnotherThread(() -> {
                try (Socket socket = server.accept()) {
                    InputStream in = socket.getInputStream();
                    StringBuilder head = new StringBuilder();
                    while (head.indexOf("\r\n\r\n") < 0) {
                        head.append((char) in.read());
                    }
                    socket.getOutputStream().write(REFUSAL.getBytes(StandardCharsets.US_ASCII));
                    assertThat(in.readAllBytes()).as("body after\n%s", head).isEmpty();
                }
            });
            assertThat(Client.CURL.send(request(server, 200_000)).status()).isEqualTo(413);
            serving.get(30, TimeUnit.SECONDS);
        }
    }

    @Test
    void shortBodyIsSentOnce() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            FutureTask<Void> serving = inAnotherThread(() -> reset(server));
            assertThatThrownBy(() -> Client.JDK.send(request(server, 100))).isInstanceOf(IOException.class);
            serving.get(30, TimeUnit.SECONDS);
        }
    }

    private static Request request(ServerSocket server, int length) {
        return Request.to(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"))
                .body("x".repeat(length));
    }

    private static void reset(ServerSocket server) throws IOException {
        try (Socket socket = server.accept()) {
            assertThat(socket.getInputStream().read()).isPositive();
            socket.setSoLinger(true, 0);
        }
    }

    private static void refuse(ServerSocket server) throws IOException {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(REFUSAL.getBytes(StandardCharsets.US_ASCII));
            socket.shutdownOutput();
            long unused = socket.getInputStream().transferTo(OutputStream.nullOutputStream());
        }
    }

    private interface Serving {
        void run() throws IOException;
    }

    private static FutureTask<Void> inAnotherThread(Serving serving) {
        FutureTask<Void> task = new FutureTask<>(() -> {
            serving.run();
            return null;
        });
        new Thread(task, "server").start();
        return task;
    }
}
