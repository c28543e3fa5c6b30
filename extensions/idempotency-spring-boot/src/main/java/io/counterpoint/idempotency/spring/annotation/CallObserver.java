package io.counterpoint.idempotency.spring.annotation;

import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.annotation.Idempotent;
import java.util.concurrent.Callable;

/** Sees every call of an {@link Idempotent} method, for example to measure it. Of several beans, the primary one counts. */
@FunctionalInterface
public interface CallObserver {

    /**
     * Makes a call, and observes it.
     *
     * @param operation the operation's name
     * @param call executes the operation
     * @return what the call returned
     * @throws Exception what the call threw
     */
    Outcome<Object> observe(String operation, Callable<Outcome<Object>> call) throws Exception;
}
