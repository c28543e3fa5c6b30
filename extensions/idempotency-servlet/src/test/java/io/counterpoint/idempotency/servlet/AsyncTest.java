package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Client.Answer;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Handlers that answer on another thread, later. */
@Tag("thorough")
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#onContainers")
class AsyncTest {

    private final Payments payments;
    private final Client client;

    AsyncTest(Client client, Container.Kind container) {
        this.client = client;
        payments = new Payments(container);
    }

    @AfterEach
    void stop() {
        payments.close();
    }

    private Answer post(String key) throws Exception {
        return client.send(payments.request("/transfers/1", "a").key(key));
    }

    /** A retry that comes after the answer and before the record has ended gets a 409, and asks again. */
    private Answer postUntilEnded(String key) throws Exception {
        Answer answer;
        do {
            answer = post(key);
        } while (answer.status() == 409);
        return answer;
    }

    private static void write(AsyncContext context, int status, String body) {
        try {
            var response = (jakarta.servlet.http.HttpServletResponse) context.getResponse();
            response.setStatus(status);
            response.setContentType("text/plain");
            response.getWriter().write(body);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void asynchronousAnswerIsStoredAndReplayed() throws Exception {
        CountDownLatch goOn = new CountDownLatch(1);
        payments.transfer = (request, response) -> {
            AsyncContext context = request.startAsync();
            new Thread(() -> {
                        try {
                            goOn.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                        write(context, 201, "later");
                        context.complete();
                    })
                    .start();
        };
        CompletableFuture<Answer> first = CompletableFuture.supplyAsync(() -> {
            try {
                return post("k");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        while (payments.effects.isEmpty()) {
            Thread.onSpinWait();
        }
        assertThat(post("k").problem()).isEqualTo("request-outstanding");
        goOn.countDown();

        assertThat(first.get().status()).isEqualTo(201);
        assertThat(first.get().body()).isEqualTo("later");
        Answer retry = postUntilEnded("k");
        assertThat(retry.replayed()).isTrue();
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo("later");
        assertThat(retry.header("Content-Type")).startsWith("text/plain");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void answerOfADispatchIsStoredAndNotFilteredTwice() throws Exception {
        payments.transfer = (request, response) -> {
            if (request.getDispatcherType() == DispatcherType.ASYNC) {
                response.setStatus(201);
                response.getWriter().write("dispatched");
            } else {
                AsyncContext context = request.startAsync();
                context.start(context::dispatch);
            }
        };
        assertThat(post("k").body()).isEqualTo("dispatched");
        Answer retry = postUntilEnded("k");

        assertThat(retry.replayed()).isTrue();
        assertThat(retry.body()).isEqualTo("dispatched");
    }

    @Test
    void asynchronousRefusalReleasesTheKey() throws Exception {
        payments.transfer = (request, response) -> {
            AsyncContext context = request.startAsync();
            context.start(() -> {
                write(context, 400, "no");
                context.complete();
            });
        };
        assertThat(post("k").status()).isEqualTo(400);
        payments.transfer = (request, response) -> response.setStatus(201);

        Answer retry = postUntilEnded("k");
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.replayed()).isFalse();
    }

    @Test
    void asynchronousTimeOutProvesNothing() throws Exception {
        payments.transfer = (request, response) -> {
            AsyncContext context = request.startAsync();
            // Jetty loses a timeout that comes before the handler has returned, with a filter or without.
            context.setTimeout(1500);
        };
        assertThat(post("k").status()).isEqualTo(500);
        payments.transfer = (request, response) -> response.setStatus(201);

        assertThat(post("k").problem()).isEqualTo("request-outstanding");
        assertThat(payments.effects).containsExactly("a");
    }

    @Test
    void handlerThatThrowsAfterItWentAsynchronousProvesNothing() throws Exception {
        payments.transfer = (request, response) -> {
            request.startAsync();
            throw new IllegalStateException("after the start");
        };
        assertThat(post("k").status()).isEqualTo(500);

        assertThat(post("k").problem()).isEqualTo("request-outstanding");
    }

    @Test
    void answerWrittenByAListenerIsStored() throws Exception {
        String body = "x".repeat(900);
        payments.transfer = (request, response) -> {
            AsyncContext context = request.startAsync();
            response.setStatus(201);
            ServletOutputStream out = response.getOutputStream();
            out.setWriteListener(new WriteListener() {
                private int written;

                @Override
                public void onWritePossible() throws IOException {
                    while (out.isReady()) {
                        if (written == body.length()) {
                            context.complete();
                            return;
                        }
                        out.write(body.substring(written, written + 100).getBytes(StandardCharsets.US_ASCII));
                        written += 100;
                    }
                }

                @Override
                public void onError(Throwable thrown) {
                    throw new IllegalStateException(thrown);
                }
            });
        };
        assertThat(post("k").body()).isEqualTo(body);
        assertThat(postUntilEnded("k").body()).isEqualTo(body);
    }

    @Test
    void streamedAnswerIsSentWhileItIsMadeAndIsNeverMadeAgain() throws Exception {
        payments.transfer = (request, response) -> {
            response.setStatus(200);
            for (int i = 0; i < 50; i++) {
                response.getOutputStream().write(new byte[100]);
                response.flushBuffer();
            }
        };
        assertThat(post("k").body()).hasSize(5000);
        Answer retry = post("k");
        assertThat(retry.problem()).isEqualTo("answer-not-kept");
        assertThat(payments.effects).containsExactly("a");
    }
}
