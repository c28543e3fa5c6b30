package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.spi.Characters;
import jakarta.servlet.http.Part;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One part of a spooled multipart body. Its content ends with the request, like the body's. */
final class SpooledPart implements Part {

    private final HeaderValue disposition;
    private final Map<String, List<String>> headers;
    private final SpooledBody body;
    private final long from;
    private final long to;

    SpooledPart(HeaderValue disposition, Map<String, List<String>> headers, SpooledBody body, long from, long to) {
        this.disposition = disposition;
        this.headers = headers;
        this.body = body;
        this.from = from;
        this.to = to;
    }

    @Override
    public InputStream getInputStream() {
        return body.open(from, to);
    }

    @Override
    public @Nullable String getContentType() {
        return getHeader("content-type");
    }

    @Override
    public String getName() {
        return disposition.parameter("name").orElseThrow();
    }

    @Override
    public @Nullable String getSubmittedFileName() {
        return disposition.parameter("filename").orElse(null);
    }

    @Override
    public long getSize() {
        return to - from;
    }

    /** Writes to a file below the directory for temporary files, unless the name is absolute. */
    @Override
    public void write(String fileName) throws IOException {
        try (InputStream content = getInputStream()) {
            Path file = Path.of(System.getProperty("java.io.tmpdir")).resolve(fileName);
            Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
        }
    }

    /** Does nothing: the body is deleted when the request ends. */
    @Override
    public void delete() {}

    @Override
    public @Nullable String getHeader(String name) {
        List<String> values = headers.get(Characters.lowerCaseAscii(name));
        return values == null ? null : values.get(0);
    }

    @Override
    public Collection<String> getHeaders(String name) {
        return List.copyOf(headers.getOrDefault(Characters.lowerCaseAscii(name), List.of()));
    }

    @Override
    public Collection<String> getHeaderNames() {
        return List.copyOf(headers.keySet());
    }

    /** Whether it is a form field rather than a file. */
    boolean isField() {
        return getSubmittedFileName() == null;
    }

    /** Returns the content as text, in the part's own charset if it specifies one. */
    String text(@Nullable Charset ofTheRequest) {
        Charset otherwise = ofTheRequest == null ? StandardCharsets.UTF_8 : ofTheRequest;
        Charset charset = HeaderValue.parse(getContentType())
                .parameter("charset")
                .flatMap(HeaderValue::charset)
                .orElse(otherwise);
        try (InputStream content = getInputStream()) {
            return new String(content.readAllBytes(), charset);
        } catch (IOException e) {
            throw new IllegalStateException("The buffered part cannot be read again.", e);
        }
    }
}
