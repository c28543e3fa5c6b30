package io.counterpoint.idempotency.spring.shapes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/**
 * The web of an application: a route for each of its shapes.
 *
 * @param <T> what a request names in its path
 */
public abstract class Routes<T> {

    /**
     * What a controller does for a request.
     *
     * @param <T> what the request names
     */
    @FunctionalInterface
    public interface Use<T> {
        /** Returns the answer. */
        Object of(T named) throws Exception;
    }

    private final Map<String, Use<T>> uses = new LinkedHashMap<>();

    /** Adds a shape, whose name the table shows. */
    public final void add(String shape, Use<T> use) {
        uses.put(shape, use);
    }

    /** The shapes by the numbers of their routes. */
    public List<String> shapes() {
        return List.copyOf(uses.keySet());
    }

    @PostMapping("/{use}/{named}")
    String use(@PathVariable("use") int use, @PathVariable("named") T named) throws Exception {
        Object answer = new ArrayList<>(uses.values()).get(use).of(named);
        return answer.toString() + readBack(named);
    }

    /** What the same request reads after the call. */
    protected Object readBack(T named) {
        return "";
    }

    /** The result of a call, where no checked exception may leave. */
    protected static Object unchecked(Callable<?> call) {
        try {
            return call.call();
        } catch (RuntimeException thrown) {
            throw thrown;
        } catch (Exception thrown) {
            throw new IllegalStateException(thrown);
        }
    }

    /** As most applications have it. The library's own exceptions do not come here. */
    @ExceptionHandler
    ResponseEntity<String> failed(Exception thrown) {
        return ResponseEntity.status(500).body(thrown.getClass().getSimpleName());
    }
}
