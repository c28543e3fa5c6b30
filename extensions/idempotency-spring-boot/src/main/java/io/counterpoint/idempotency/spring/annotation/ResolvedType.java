package io.counterpoint.idempotency.spring.annotation;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/** Resolves the types of inherited methods for a class of beans. */
final class ResolvedType {

    private ResolvedType() {}

    /** Returns the declared type itself if it has no type variables. */
    static Type of(Type declared, ResolvableType resolved) {
        return hasVariable(declared) ? type(resolved) : declared;
    }

    private static boolean hasVariable(Type type) {
        return type instanceof TypeVariable || parts(type).anyMatch(ResolvedType::hasVariable);
    }

    private static Stream<Type> parts(Type type) {
        if (type instanceof ParameterizedType generic) {
            return Arrays.stream(generic.getActualTypeArguments());
        }
        if (type instanceof GenericArrayType array) {
            return Stream.of(array.getGenericComponentType());
        }
        return type instanceof WildcardType wildcard
                ? Stream.concat(Arrays.stream(wildcard.getUpperBounds()), Arrays.stream(wildcard.getLowerBounds()))
                : Stream.empty();
    }

    private static Type type(ResolvableType type) {
        ResolvableType[] arguments = Arrays.stream(type.getGenerics())
                .map(ResolvedType::type)
                .map(ResolvableType::forType)
                .toArray(ResolvableType[]::new);
        return arguments.length == 0
                ? type.toClass()
                : ResolvableType.forClassWithGenerics(type.toClass(), arguments).getType();
    }
}
