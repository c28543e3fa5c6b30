package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.lang.invoke.MethodType;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Creates strict JSON codecs: either the decoded value equals the encoded one, or an exception is thrown.
 *
 * <p>A codec supports records, classes whose constructor takes every component, enums, the JDK's common value types,
 * {@code Optional}, and arrays, collections and maps of these. A sealed interface or an abstract class needs {@code
 * @JsonTypeInfo(use = NAME)} and {@code @JsonSubTypes}. Any other type is rejected when the codec is created.
 *
 * <p>Immutable and thread-safe.
 */
public final class JsonCodecs {

    private final List<Module> modules;
    private final Set<Class<?>> handled;
    private final JsonMapper mapper;

    private JsonCodecs(List<Module> modules, Set<Class<?>> handled) {
        this.modules = modules;
        this.handled = handled;
        this.mapper = StrictMapper.with(modules);
    }

    /**
     * Returns the strict codecs. They have their own mapper, so the application's settings do not affect what is
     * stored.
     *
     * @return the codecs
     */
    public static JsonCodecs strict() {
        return new JsonCodecs(List.of(), Set.of());
    }

    /**
     * Adds a module and the types that it serializes. Codecs accept these types unchecked and verify only that each
     * result can be read back.
     *
     * @param module the module
     * @param types the types that the module serializes
     * @return the codecs with the module
     */
    public JsonCodecs with(Module module, Class<?>... types) {
        return new JsonCodecs(
                Stream.concat(modules.stream(), Stream.of(module)).toList(),
                Stream.concat(handled.stream(), Stream.of(types)).collect(Collectors.toUnmodifiableSet()));
    }

    /**
     * Returns the codec for a class.
     *
     * @param <R> the type of the result
     * @param type its class
     * @return the codec, of version 1
     * @throws RefusedTypeException if the class has no strict codec
     */
    public <R> JsonCodec<R> of(Class<R> type) {
        return codec(mapper.constructType(type));
    }

    /**
     * Returns the codec for a parameterized type.
     *
     * @param <R> the type of the result
     * @param type its type, such as {@code new TypeReference<List<Order>>() {}}
     * @return the codec, of version 1
     * @throws RefusedTypeException if the type has no strict codec
     */
    public <R> JsonCodec<R> of(TypeReference<R> type) {
        return codec(mapper.constructType(type));
    }

    /**
     * Returns the codec for a type that is known only at run time, such as the generic return type of a method.
     * Encoding rejects objects of a different type.
     *
     * @param type the type
     * @return the codec, of version 1
     * @throws RefusedTypeException if the type has no strict codec
     */
    public JsonCodec<Object> of(Type type) {
        return codec(mapper.constructType(type));
    }

    private <R> JsonCodec<R> codec(JavaType type) {
        JavaType boxed = type.isPrimitive()
                ? mapper.constructType(
                        MethodType.methodType(type.getRawClass()).wrap().returnType())
                : type;
        return JsonCodec.of(mapper, boxed, new StrictTypes(mapper, handled).require(boxed));
    }
}
