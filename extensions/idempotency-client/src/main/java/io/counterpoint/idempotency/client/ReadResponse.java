package io.counterpoint.idempotency.client;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.client.ClientHttpResponse;

/** A response whose body was read, or its first bytes, and can be read again. */
final class ReadResponse implements ClientHttpResponse {

    private final ClientHttpResponse response;
    private final byte[] read;

    ReadResponse(ClientHttpResponse response, byte[] read) {
        this.response = response;
        this.read = read;
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
        return new SequenceInputStream(new ByteArrayInputStream(read), response.getBody());
    }

    @Override
    public void close() {
        response.close();
    }
}
