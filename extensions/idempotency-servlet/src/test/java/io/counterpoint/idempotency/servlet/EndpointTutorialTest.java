package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.testing.Snippets;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** The snippets of the tutorial compile. */
public class EndpointTutorialTest {

    private static final String IMPORTS = """
            import io.counterpoint.idempotency.servlet.*;
            import jakarta.servlet.Filter;
            import jakarta.servlet.http.*;
            """;

    /** What the snippets take for granted. */
    @NullUnmarked
    public abstract static class Context {
        protected Operation<Handle, String> pay;
        protected HttpServletRequest request;
        protected HttpServletResponse response;
        protected String order;

        protected abstract String book(Handle handle, String order);
    }

    @Test
    void everySnippetCompiles() throws IOException {
        new Snippets(Context.class, IMPORTS).requireCompiling(Path.of("../../docs/tutorials/endpoint.md"), 2);
    }
}
