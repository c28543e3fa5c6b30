package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;

/** The stream of a captured response. It is always ready unless its output goes to the client. */
final class CapturedStream extends ServletOutputStream {

    private final CapturedResponse response;
    private final ServletOutputStream client;

    CapturedStream(CapturedResponse response, ServletOutputStream client) {
        this.response = response;
        this.client = client;
    }

    @Override
    public void write(int value) throws IOException {
        write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int count) throws IOException {
        response.write(bytes, offset, count);
    }

    @Override
    public void flush() throws IOException {
        response.flushBuffer();
    }

    @Override
    public void close() throws IOException {
        response.close();
    }

    @Override
    public boolean isReady() {
        return !response.isThrough() || client.isReady();
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        client.setWriteListener(listener);
    }
}
