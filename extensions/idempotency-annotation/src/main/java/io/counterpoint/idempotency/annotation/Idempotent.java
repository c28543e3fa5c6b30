package io.counterpoint.idempotency.annotation;

import io.counterpoint.idempotency.Operation;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes a method of a bean an operation whose effect happens at most once per key. Retries return the stored result.
 *
 * <pre>
 * &#64;Idempotent(operation = "pay", key = "#request.id")
 * public Receipt pay(PaymentRequest request) { … }
 * </pre>
 *
 * <p><strong>This module does not process the annotation.</strong> A framework's module does, such as {@code
 * idempotency-spring-boot-starter} for Spring Boot. Without one, the method runs unprotected.
 *
 * <p>The method runs in the library's transaction, which {@code @Transactional} code inside joins. Security annotations
 * are checked first, even for replays. The method may run several times, each time after the previous run was rolled
 * back. It must not modify its arguments.
 *
 * <p>A call throws {@link io.counterpoint.idempotency.IdempotencyException} if there is no result, and the method's own
 * exception if this call ran it. {@code null} cannot be stored: return {@link java.util.Optional}.
 *
 * <p><strong>A remote call inside the method can be made twice</strong>: the method runs again after a deadlock,
 * another conflict or a lost connection, and only its changes to the database are rolled back. A card would be charged
 * twice. Make such a call an {@linkplain io.counterpoint.idempotency.Idempotency#external external operation}, or write
 * a row to a transactional outbox. A provider key that is the same in every run is not enough: if the method fails
 * after the call, the client is asked to use a new key, and the provider charges again.
 *
 * <p>The following is checked at application startup: expressions and their names, the result's type, the operation's
 * name, that calls of the bean pass through the operation, and that other advice of the framework is in a harmless
 * position. Beans that are created later are checked when they are created. Calls through {@code this} are rejected if
 * the byte code reveals them; such calls from inner classes and through variables are not detected. A caller with an
 * open transaction is rejected at its first call, as is an aspect behind the operation that calls the method a second
 * time in one run.
 *
 * <p>Expressions use the framework's expression language. In Spring's, you can refer to parameters by name and to other
 * beans as {@code @name}. {@code #attempt} is the attempt of the HTTP request that the filter has protected, unless a
 * parameter has that name.
 *
 * <p>A key or scope is computed from values whose text is the same in every try: text, a {@code UUID}, a whole number,
 * a boolean, an enum or a time. A call is rejected before any claim if such a value is missing or is any other object.
 * {@code #user ?: 'none'} provides a default for a missing value.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Idempotent {

    /**
     * The operation's name, which is part of every key; it must not change while records exist. Each method needs its
     * own name.
     *
     * @return 1 to 255 visible characters
     */
    String operation();

    /**
     * An expression for the key that the client chose. It may also return an {@link
     * io.counterpoint.idempotency.Attempt}, which includes key, scope and fingerprint: in that case, the annotation
     * must not set a scope or request.
     *
     * <p>Within one HTTP request, each method can use {@code #attempt} only once: a second call ends with {@link
     * io.counterpoint.idempotency.AttemptAlreadyUsedException}. Give it its own key: {@code #attempt.derive('line-2')}.
     *
     * @return the expression
     */
    String key();

    /**
     * An expression for the scope, which defines who may see the result. Default: the scope from the application's
     * {@link CallerScope} bean, which is the authenticated principal if Spring Security is present. Never derive the
     * scope from anything that a client sends, because another client could send the same and read the result.
     *
     * @return the expression, such as {@code "'queue:orders'"}
     */
    String scope() default "";

    /**
     * Expressions for the values that identify this request. The same key with a different request is rejected.
     * Default: all parameters. Records are compared by their components.
     *
     * @return the expressions; empty for all parameters
     */
    String[] request() default {};

    /**
     * How the key is claimed, and when the record is written.
     *
     * @return the protocol
     */
    Operation.Protocol protocol() default Operation.Protocol.CLAIM_FIRST;

    /**
     * How long a record is kept. Default: the property {@code idempotency.retention}.
     *
     * @return a duration such as {@code 7d}, or a placeholder
     * @see io.counterpoint.idempotency.OperationBuilder#retention
     */
    String retention() default "";

    /**
     * How long a follower waits for a running leader. Default: the default of the operation's builder.
     *
     * @return a duration such as {@code 500ms}, or a placeholder
     * @see io.counterpoint.idempotency.OperationBuilder#waitAtMost
     */
    String waitAtMost() default "";

    /**
     * How many callers of this operation may wait for leaders at once in one process, -1 for the default: the property
     * {@code idempotency.max-waiting} with Spring Boot, otherwise the default of the operation's builder.
     *
     * @return from 1 to 1,000,000, or -1
     * @see io.counterpoint.idempotency.OperationBuilder#maxWaiting
     */
    int maxWaiting() default -1;

    /**
     * How long a call tries to resolve a commit whose reply was lost. Default: the default of the operation's builder.
     *
     * @return a duration such as {@code 30s}, or a placeholder
     * @see io.counterpoint.idempotency.OperationBuilder#settleWithin
     */
    String settleWithin() default "";

    /**
     * What happens to an attempt whose leader died.
     *
     * @return the choice
     * @see io.counterpoint.idempotency.Operation.Builder#whenAbandoned
     */
    Operation.Abandoned whenAbandoned() default Operation.Abandoned.FAIL;

    /**
     * How old a leader's last change may be before a follower checks whether the leader is still alive. Default: 1
     * minute.
     *
     * @return a duration such as {@code 30s}, or a placeholder
     * @see io.counterpoint.idempotency.Operation.Builder#whenAbandoned
     */
    String abandonedAfter() default "";

    /**
     * How often the method runs again after a transient fault, -1 for the builder's default.
     *
     * @return from 0 to 100, or -1
     * @see io.counterpoint.idempotency.Operation.Builder#maxRetries
     */
    int maxRetries() default -1;

    /**
     * The maximum size of an encoded result, -1 for the builder's default.
     *
     * @return the number of bytes, or -1
     * @see io.counterpoint.idempotency.OperationBuilder#maxResultBytes
     */
    int maxResultBytes() default -1;

    /**
     * Exceptions that release the key, so that it can be used again.
     *
     * @return the classes; subclasses count too
     * @see io.counterpoint.idempotency.Operation.Builder#releaseOn
     */
    Class<? extends Throwable>[] releaseOn() default {};

    /**
     * Additional exceptions after which the method runs again.
     *
     * @return the classes; subclasses count too
     * @see io.counterpoint.idempotency.Operation.Builder#retryOn
     */
    Class<? extends Throwable>[] retryOn() default {};
}
