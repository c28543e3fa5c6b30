package io.counterpoint.idempotency.servlet;

import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;

/** The writer of a captured response. It encodes at once: no writer knows when an asynchronous response ends. */
final class CapturedWriter extends Writer {

    private final CapturedResponse response;
    private final Writer encoder;

    CapturedWriter(CapturedResponse response, Charset charset) {
        this.response = response;
        OutputStream unflushed = new OutputStream() {
            @Override
            public void write(int value) throws IOException {
                write(new byte[] {(byte) value}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int count) throws IOException {
                response.write(bytes, offset, count);
            }
        };
        encoder = new OutputStreamWriter(unflushed, charset);
    }

    @Override
    public void write(char[] characters, int offset, int count) throws IOException {
        encoder.write(characters, offset, count);
        encoder.flush();
    }

    @Override
    public void flush() throws IOException {
        response.flushBuffer();
    }

    @Override
    public void close() throws IOException {
        encoder.close();
    }
}
