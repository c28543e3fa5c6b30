package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The spooled body as a servlet reads it. All of it is available, so listeners are called immediately. */
final class BodyStream extends ServletInputStream {
    private final InputStream bytes;

    BodyStream(InputStream bytes) {
        this.bytes = bytes;
    }

    @Override
    public int read() throws IOException {
        return bytes.read();
    }

    /** Quarkus reads no bytes from an empty piece, such as the trailers of a chunked body. No reader of the JDK takes that. */
    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
        int read = bytes.read(target, offset, count);
        while (read == 0 && count > 0) {
            read = bytes.read(target, offset, count);
        }
        return read;
    }

    @Override
    public int available() throws IOException {
        return bytes.available();
    }

    @Override
    public boolean isFinished() {
        try {
            return bytes.available() == 0;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void setReadListener(ReadListener listener) {
        try {
            if (!isFinished()) {
                listener.onDataAvailable();
            }
            if (isFinished()) {
                listener.onAllDataRead();
            }
        } catch (IOException | RuntimeException thrown) {
            listener.onError(thrown);
        }
    }
}
