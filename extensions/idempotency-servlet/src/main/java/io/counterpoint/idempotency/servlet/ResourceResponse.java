package io.counterpoint.idempotency.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.ws.rs.core.Response;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The filter's response to a JAX-RS request, or what it adds to the response of its resource. */
final class ResourceResponse {

    private final Map<String, List<String>> headers = new LinkedHashMap<>();
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private int status = HttpServletResponse.SC_OK;
    private @Nullable String contentType;

    HttpServletResponse asServlet() {
        return ResourceRequest.proxy(HttpServletResponse.class, this::called);
    }

    Map<String, List<String>> headers() {
        return headers;
    }

    Response toResponse() {
        Response.ResponseBuilder response = Response.status(status).entity(body.toByteArray());
        headers.forEach((name, values) -> values.forEach(value -> response.header(name, value)));
        return response.type(contentType).build();
    }

    private @Nullable Object called(String method, @Nullable Object[] arguments) {
        switch (method) {
            case "setStatus" -> status = (int) arguments[0];
            case "setHeader" -> headers.put((String) arguments[0], new ArrayList<>(List.of((String) arguments[1])));
            case "addHeader" ->
                headers.computeIfAbsent((String) arguments[0], unused -> new ArrayList<>())
                        .add((String) arguments[1]);
            case "setContentType" -> contentType = (String) arguments[0];
            case "reset" -> {
                headers.clear();
                body.reset();
            }
            case "setContentLength", "flushBuffer" -> {
                // JAX-RS does this.
            }
            default -> {
                return asked(method, arguments);
            }
        }
        return null;
    }

    private Object asked(String method, @Nullable Object[] arguments) {
        return switch (method) {
            case "getStatus" -> status;
            case "isCommitted" -> false;
            case "getHeaderNames" -> headers.keySet();
            case "getHeaders" -> headers.getOrDefault((String) arguments[0], List.of());
            case "getOutputStream" -> new Stream();
            default -> throw new UnsupportedOperationException(method);
        };
    }

    private final class Stream extends ServletOutputStream {
        @Override
        public void write(int value) {
            body.write(value);
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setWriteListener(WriteListener listener) {
            throw new UnsupportedOperationException();
        }
    }
}
