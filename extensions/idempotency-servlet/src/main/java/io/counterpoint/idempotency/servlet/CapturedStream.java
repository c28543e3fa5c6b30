package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The stream of a captured response. It is ready unless the client has to take what is written. */
final class CapturedStream extends ServletOutputStream {

    private final CapturedResponse response;

    CapturedStream(CapturedResponse response) {
        this.response = response;
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
    public boolean isReady() {
        try {
            return !response.isThrough() || response.toClient().isReady();
        } catch (IOException clientGone) {
            throw new UncheckedIOException(clientGone);
        }
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        try {
            response.toClient().setWriteListener(listener);
        } catch (IOException clientGone) {
            throw new UncheckedIOException(clientGone);
        }
    }
}
