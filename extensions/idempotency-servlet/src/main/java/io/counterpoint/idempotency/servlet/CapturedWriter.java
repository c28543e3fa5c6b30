package io.counterpoint.idempotency.servlet;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.Charset;

/**
 * The writer of a captured response. It encodes immediately, because a writer cannot know when an asynchronous response
 * ends.
 */
final class CapturedWriter extends Writer {

    private final CapturedResponse response;
    private final ByteArrayOutputStream encoded = new ByteArrayOutputStream();
    private final Writer encoder;

    /** A high surrogate whose low surrogate has not been written yet. */
    private String half = "";

    CapturedWriter(CapturedResponse response, Charset charset) {
        this.response = response;
        encoder = new OutputStreamWriter(encoded, charset);
    }

    @Override
    public void write(char[] characters, int offset, int count) throws IOException {
        String text = half + new String(characters, offset, count);
        boolean whole = text.isEmpty() || !Character.isHighSurrogate(text.charAt(text.length() - 1));
        int end = whole ? text.length() : text.length() - 1;
        half = text.substring(end);
        encoder.write(text, 0, end);
        encoder.flush();
        response.write(text.substring(0, end), encoded.toByteArray());
        encoded.reset();
    }

    @Override
    public void flush() throws IOException {
        response.flushBuffer();
    }

    @Override
    public void close() throws IOException {
        response.close();
    }
}
