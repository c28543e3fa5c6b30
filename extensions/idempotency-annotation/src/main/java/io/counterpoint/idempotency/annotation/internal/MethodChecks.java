package io.counterpoint.idempotency.annotation.internal;

import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import java.io.InputStream;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.nio.CharBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.BaseStream;
import org.jspecify.annotations.Nullable;

/** Restrictions on annotated methods that apply in any container. */
public final class MethodChecks {

    private static final List<Class<?>> LATER = List.of(
            Future.class,
            CompletionStage.class,
            Flow.Publisher.class,
            BaseStream.class,
            Callable.class,
            Supplier.class,
            Runnable.class,
            Iterator.class,
            Spliterator.class);

    private static final Set<String> LATER_BY_NAME = Set.of(
            "org.reactivestreams.Publisher",
            "io.reactivex.CompletableSource",
            "io.reactivex.MaybeSource",
            "io.reactivex.ObservableSource",
            "io.reactivex.SingleSource",
            "io.reactivex.rxjava3.core.CompletableSource",
            "io.reactivex.rxjava3.core.MaybeSource",
            "io.reactivex.rxjava3.core.ObservableSource",
            "io.reactivex.rxjava3.core.SingleSource",
            "io.smallrye.mutiny.Uni",
            "io.vertx.core.Future",
            "jakarta.ws.rs.core.StreamingOutput",
            "kotlin.sequences.Sequence",
            "kotlinx.coroutines.Job",
            "kotlinx.coroutines.flow.Flow",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.SseEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    /** Types through which a method writes a response, which a replay cannot do: it has only the stored result. */
    private static final Set<String> WRITES_RESPONSE = Set.of(
            "jakarta.servlet.ServletResponse",
            "jakarta.ws.rs.container.AsyncResponse",
            "jakarta.ws.rs.sse.SseEventSink",
            "java.io.OutputStream",
            "java.io.Writer",
            "org.springframework.http.server.ServerHttpResponse",
            "org.springframework.ui.Model",
            "org.springframework.ui.ModelMap",
            "org.springframework.web.bind.support.SessionStatus",
            "org.springframework.web.context.request.WebRequest");

    /** What is read once: a second run of the method would find nothing left. */
    private static final List<Class<?>> READ_ONCE = List.of(
            InputStream.class,
            Readable.class,
            ReadableByteChannel.class,
            Iterator.class,
            Spliterator.class,
            Enumeration.class,
            BaseStream.class);

    private static final Set<String> READ_ONCE_BY_NAME = Set.of(
            "jakarta.servlet.ServletRequest",
            "org.springframework.core.io.InputStreamResource",
            "org.springframework.http.HttpInputMessage",
            "org.springframework.web.servlet.function.ServerRequest");

    private MethodChecks() {}

    /** Refuses parameters that are empty when the method runs again, after its first run was rolled back. */
    public static void requireReadableAgain(Method method, int maxRetries) {
        if (maxRetries == 0) {
            return;
        }
        for (Type parameter : method.getGenericParameterTypes()) {
            if (isReadOnce(parameter, new HashSet<>())) {
                throw refusal(
                        method,
                        "its parameter of type " + parameter.getTypeName() + " can be read once only, but the method"
                                + " runs again after a conflict.",
                        "Read it in the caller, and pass what it contains, such as a byte[], a String or a List, or set maxRetries = 0.");
            }
        }
    }

    /** Also looks into records, arrays and everything that holds such a type, unlike what makes a new one each time. */
    private static boolean isReadOnce(Type type, Set<Type> above) {
        if (type instanceof ParameterizedType generic && generic.getRawType() instanceof Class<?> raw) {
            boolean holds = raw != Class.class
                    && raw != Callable.class
                    && !Supplier.class.isAssignableFrom(raw)
                    && !raw.getName().startsWith("java.util.function.");
            return isReadOnce(raw, above)
                    || (holds && Arrays.stream(generic.getActualTypeArguments()).anyMatch(it -> isReadOnce(it, above)));
        }
        if (type instanceof GenericArrayType array) {
            return isReadOnce(array.getGenericComponentType(), above);
        }
        if (type instanceof WildcardType wildcard) {
            return isReadOnce(wildcard.getUpperBounds()[0], above);
        }
        if (type instanceof TypeVariable<?> variable) {
            return isReadOnce(erased(variable), above);
        }
        if (!(type instanceof Class<?> raw) || raw == CharBuffer.class || !above.add(raw)) {
            return false;
        }
        return READ_ONCE.stream().anyMatch(it -> it.isAssignableFrom(raw))
                || isNamed(raw, READ_ONCE_BY_NAME)
                || (raw.isArray() && isReadOnce(raw.getComponentType(), above))
                || (raw.isRecord()
                        && Arrays.stream(raw.getRecordComponents())
                                .anyMatch(it -> isReadOnce(it.getGenericType(), above)));
    }

    /** Refuses parameters by which a method answers its caller besides its result. */
    public static void requireNoResponse(Method method) {
        for (Class<?> parameter : method.getParameterTypes()) {
            if (isNamed(parameter, WRITES_RESPONSE)) {
                throw refusal(
                        method,
                        "its parameter of type " + parameter.getName() + " writes to the response, which a replay"
                                + " would not repeat.",
                        "Return everything the response is built from, and write the response in a caller without the"
                                + " annotation.");
            }
        }
    }

    private static boolean isNamed(@Nullable Class<?> type, Set<String> names) {
        return type != null
                && (names.contains(type.getName())
                        || isNamed(type.getSuperclass(), names)
                        || Arrays.stream(type.getInterfaces()).anyMatch(it -> isNamed(it, names)));
    }

    /** Rejects methods whose calls bypass the container. */
    public static void requireInterceptable(Method method) {
        if (Modifier.isPrivate(method.getModifiers())) {
            throw refusal(method, "a private method is not intercepted.", "Make it public.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw refusal(method, "a static method is not intercepted.", "Make it an instance method of a bean.");
        }
        if (Modifier.isFinal(method.getModifiers())) {
            throw refusal(method, "a final method is not intercepted.", "Remove the final modifier.");
        }
    }

    /**
     * Rejects results that are not available when the method returns.
     *
     * @param also recognizes additional classes of such results
     */
    public static void requireResultAtReturn(Method method, Type result, Predicate<Class<?>> also) {
        for (Class<?> parameter : method.getParameterTypes()) {
            if (parameter.getName().equals("kotlin.coroutines.Continuation")) {
                throw refusal(
                        method, "a suspending function returns before its work ends.", "Make it a regular function.");
            }
        }
        if (comesLater(result, also)) {
            throw refusal(
                    method,
                    "it returns " + result.getTypeName() + ", whose work continues after the method has returned.",
                    "Return the result itself.");
        }
    }

    /** Also checks parts of a result: a list of futures, an optional callable, a publisher as an entity. */
    private static boolean comesLater(Type type, Predicate<Class<?>> also) {
        if (type instanceof Class<?> raw) {
            return raw.isArray()
                    ? comesLater(raw.getComponentType(), also)
                    : LATER.stream().anyMatch(it -> it.isAssignableFrom(raw)) || isNamed(raw) || also.test(raw);
        }
        if (type instanceof ParameterizedType generic) {
            return comesLater(generic.getRawType(), also) || any(generic.getActualTypeArguments(), also);
        }
        if (type instanceof GenericArrayType array) {
            return comesLater(array.getGenericComponentType(), also);
        }
        return type instanceof WildcardType wildcard
                ? any(wildcard.getUpperBounds(), also)
                : type instanceof TypeVariable<?> variable && comesLater(erased(variable), also);
    }

    /** A bound may refer to its own variable. */
    private static Type erased(TypeVariable<?> variable) {
        Type bound = variable.getBounds()[0];
        return bound instanceof ParameterizedType generic
                ? generic.getRawType()
                : bound instanceof TypeVariable<?> other ? erased(other) : bound;
    }

    private static boolean any(Type[] types, Predicate<Class<?>> also) {
        return Arrays.stream(types).anyMatch(it -> comesLater(it, also));
    }

    private static boolean isNamed(@Nullable Class<?> type) {
        return type != null
                && (LATER_BY_NAME.contains(type.getName())
                        || isNamed(type.getSuperclass())
                        || Arrays.stream(type.getInterfaces()).anyMatch(MethodChecks::isNamed));
    }

    /** Rejects a scope or request in addition to an attempt, which has its own. */
    public static void requireNothingIgnored(Method method, Object key, boolean hasScopeOrRequest) {
        if (hasScopeOrRequest) {
            throw refusal(
                    method,
                    "its key [" + key + "] is an attempt, which has its own scope and request, so those of the"
                            + " annotation would be ignored.",
                    "Remove scope and request, or use text as the key.");
        }
    }

    /** Rejects a parameter that may differ in a retry. */
    public static void requireComparable(Method method, Object parameter, Type type) {
        RequestParts.refusal(type).ifPresent(why -> {
            throw refusal(
                    method,
                    "its parameter " + parameter + " cannot be compared between tries (" + why + ").",
                    "Name the values that identify the request: request = {\"#order.id\", \"#order.total\"}.");
        });
    }

    private static InvalidIdempotentMethodException refusal(Method method, String found, String remedy) {
        return new InvalidIdempotentMethodException(method, found, remedy);
    }
}
