package io.counterpoint.idempotency.examples.appplatform.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LocalServerTest {

    /** Otherwise a page under another name that resolves to this machine could use the API on its reader's machine. */
    @ParameterizedTest
    @CsvSource({"127.0.0.1, 200", "localhost, 200", "evil.example, 421", "127.0.0.1.evil.example, 421"})
    void requestToAnotherNameIsRefused(String name, int status) throws Exception {
        Handler answers = new Handler.Abstract() {
            @Override
            public boolean handle(Request request, Response response, Callback callback) {
                Content.Sink.write(response, true, "yes", callback);
                return true;
            }
        };
        try (LocalServer server = new LocalServer(0, line -> {}).start(answers);
                Socket socket = new Socket(
                        InetAddress.getLoopbackAddress(),
                        URI.create(server.url()).getPort())) {
            String request =
                    "GET / HTTP/1.1\r\nHost: " + name + ":" + socket.getPort() + "\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(US_ASCII));
            assertThat(new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine())
                    .startsWith("HTTP/1.1 " + status + " ");
        }
    }
}
