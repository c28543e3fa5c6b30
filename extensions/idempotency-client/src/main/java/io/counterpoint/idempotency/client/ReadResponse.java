package io.counterpoint.idempotency.client;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose first bytes can be read again, and that reports when its body has been read. */
final class ReadResponse implements ClientHttpResponse {

    private final ClientHttpResponse response;
    private final byte[] read;
    private final CallKey key;
    private final CompletableFuture<Void> bodyRead = new CompletableFuture<>();
    private @Nullable InputStream body;

    ReadResponse(ClientHttpResponse response, byte[] read, CallKey key) {
        this.response = response;
        this.read = read;
        this.key = key;
    }

    /**
     * Completes with the last byte of the body; fails if the body cannot be read, and never completes if nobody closes
     * the response.
     */
    CompletableFuture<Void> bodyRead() {
        return bodyRead;
    }

    @Override
    public HttpStatusCode getStatusCode() throws IOException {
        return response.getStatusCode();
    }

    @Override
    public String getStatusText() throws IOException {
        return response.getStatusText();
    }

    @Override
    public HttpHeaders getHeaders() {
        return response.getHeaders();
    }

    @Override
    public InputStream getBody() throws IOException {
        InputStream known = body;
        if (known == null) {
            known = new Watched(new SequenceInputStream(new ByteArrayInputStream(read), response.getBody()));
            body = known;
        }
        return known;
    }

    /** Converters stop at the end of their document, so the rest is read before the body counts as read. */
    @Override
    public void close() {
        try {
            if (!bodyRead.isDone()) {
                long unused = getBody().transferTo(OutputStream.nullOutputStream());
            }
        } catch (IOException | RuntimeException lost) {
            bodyRead.completeExceptionally(lost);
        } finally {
            response.close();
        }
    }

    /** The body, which reports its end. */
    private final class Watched extends FilterInputStream {

        Watched(InputStream body) {
            super(body);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int from, int length) throws IOException {
            try {
                int count = super.read(bytes, from, length);
                if (count < 0) {
                    bodyRead.complete(null);
                }
                return count;
            } catch (IOException | RuntimeException lost) {
                bodyRead.completeExceptionally(lost);
                if (getStatusCode().isError()) {
                    throw lost;
                }
                // Spring's exception would not contain the key, and a new one could have a second effect.
                throw new IdempotentCallException(new CallResult.Unknown<>(key, null, null, lost), lost);
            }
        }
    }
}
