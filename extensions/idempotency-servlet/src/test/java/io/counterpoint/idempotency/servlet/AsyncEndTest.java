package io.counterpoint.idempotency.servlet;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** An asynchronous handler that breaks off when status 200 is on its way to the client: it is not its answer. */
@Tag("thorough")
@Timeout(60)
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#present")
class AsyncEndTest {

    private final Payments payments = new Payments();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger status = new AtomicInteger();
    private final Client client;

    AsyncEndTest(Client client) {
        this.client = client;
    }

    @AfterEach
    void stop() {
        payments.close();
    }

    @Test
    void timeoutAfterStatus200ProvesNothing() throws Exception {
        payments.transfer = (request, response) -> {
            AsyncContext context = request.startAsync();
            watch(context, response);
            context.setTimeout(1500);
            begin(response);
        };
        provesNothing();
    }

    private void provesNothing() throws Exception {
        try {
            client.send(payments.request("/transfers/1", "a").key("k"));
        } catch (IOException cutOff) {
            // The container cannot take back what it has sent.
        }
        assertThat(ended.await(30, SECONDS)).isTrue();
        assertThat(status).hasValue(200);
        payments.transfer = (request, response) -> response.setStatus(201);
        assertThat(client.send(payments.request("/transfers/1", "a").key("k")).problem())
                .isEqualTo("request-outstanding");
    }

    private static void begin(HttpServletResponse response) throws IOException {
        response.setStatus(200);
        response.getOutputStream().write(new byte[100]);
        response.flushBuffer();
    }

    /** Its end comes after the filter's own, whose listener is the first. */
    private void watch(AsyncContext context, HttpServletResponse response) {
        context.addListener(new AsyncListener() {
            @Override
            public void onComplete(AsyncEvent event) {
                status.set(response.getStatus());
                ended.countDown();
            }

            @Override
            public void onTimeout(AsyncEvent event) {}

            @Override
            public void onError(AsyncEvent event) {}

            @Override
            public void onStartAsync(AsyncEvent event) {}
        });
    }
}
