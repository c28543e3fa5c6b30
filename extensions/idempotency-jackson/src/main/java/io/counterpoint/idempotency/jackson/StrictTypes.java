package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationConfig;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import java.lang.reflect.Modifier;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.HashSet;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Checks a type before its first use and rejects anything that Jackson would have to guess. */
final class StrictTypes {

    private static final Set<Class<?>> VALUES = Set.of(
            boolean.class,
            byte.class,
            short.class,
            int.class,
            long.class,
            float.class,
            double.class,
            char.class,
            Boolean.class,
            Byte.class,
            Short.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class,
            Character.class,
            String.class,
            BigInteger.class,
            BigDecimal.class,
            UUID.class,
            URI.class,
            Currency.class,
            Duration.class,
            Instant.class,
            LocalDate.class,
            LocalDateTime.class,
            LocalTime.class,
            MonthDay.class,
            OffsetDateTime.class,
            OffsetTime.class,
            Period.class,
            Year.class,
            YearMonth.class,
            ZoneId.class,
            ZoneOffset.class,
            ZonedDateTime.class,
            OptionalInt.class,
            OptionalLong.class,
            OptionalDouble.class);

    private static final Set<Class<?>> EMPTY_IS_NULL =
            Set.of(Optional.class, OptionalInt.class, OptionalLong.class, OptionalDouble.class);

    private final DeserializationConfig reading;
    private final ObjectMapper mapper;
    private final Set<Class<?>> handled;
    private final Set<JavaType> seen = new HashSet<>();

    StrictTypes(ObjectMapper mapper, Set<Class<?>> handled) {
        this.mapper = mapper;
        this.reading = mapper.getDeserializationConfig();
        this.handled = handled;
    }

    /** Returns whether it contains a {@code JsonNode}. */
    boolean require(JavaType type) {
        require(type, type.getRawClass().getSimpleName());
        return seen.stream().anyMatch(part -> JsonNode.class.isAssignableFrom(part.getRawClass()));
    }

    private void require(JavaType type, String path) {
        Class<?> raw = type.getRawClass();
        if (!seen.add(type) || VALUES.contains(raw) || handled.contains(raw) || JsonNode.class.isAssignableFrom(raw)) {
            return;
        }
        if (type.isJavaLangObject() || raw == Enum.class) {
            throw refused(path, type, "it can hold anything. Declare its type and all type parameters");
        }
        if (type.isEnumType()) {
            return;
        }
        if (type.isContainerType() && !raw.isArray() && !raw.getName().startsWith("java.util.")) {
            throw refused(
                    path,
                    type,
                    "it is a collection class of its own, whose fields would be lost. Use one from java.util");
        }
        if (type.isMapLikeType()) {
            requireKey(type.getKeyType(), path);
            require(type.getContentType(), path + "{}");
        } else if (type.isContainerType()) {
            require(type.getContentType(), path + "[]");
        } else if (raw == Optional.class) {
            if (EMPTY_IS_NULL.contains(type.getContentType().getRawClass())) {
                throw refused(
                        path, type, "a value that contains an empty one would be read back as empty. Don't nest them");
            }
            require(type.getContentType(), path);
        } else if (raw.getName().startsWith("java.")) {
            throw refused(
                    path,
                    type,
                    "it is not one of the JDK's types with one exact JSON form. Use another type, or add a module"
                            + " that handles it");
        } else {
            requireComponents(type, path);
        }
    }

    private void requireKey(JavaType key, String path) {
        if (key.hasRawClass(Double.class) || key.hasRawClass(Float.class)) {
            throw refused(
                    path, key, "it is the key of a map, and its text depends on the JDK. Use BigDecimal as the key");
        }
        if (!VALUES.contains(key.getRawClass()) && !key.isEnumType()) {
            throw refused(path, key, "it is the key of a map, which must be text. Use a value or an enum as the key");
        }
    }

    private void requireComponents(JavaType type, String path) {
        if (!type.isAbstract() && !Modifier.isFinal(type.getRawClass().getModifiers())) {
            throw refused(
                    path,
                    type,
                    "an object of a subclass would be read back as this class. Make the class final, or use a record");
        }
        BeanDescription described = JacksonLine.forReading(mapper, type);
        if (JacksonLine.namesDeserializer(mapper, described.getClassInfo())) {
            return;
        }
        JsonTypeInfo info = described.getClassAnnotations().get(JsonTypeInfo.class);
        if (info != null) {
            requireNames(info, type, path);
        }
        if (type.isAbstract()) {
            requireSubtypes(type, described, info != null, path);
            return;
        }
        if (described.findJsonValueAccessor() != null) {
            require(described.findJsonValueAccessor().getType(), path);
            return;
        }
        var ignorals = reading.getAnnotationIntrospector().findPropertyIgnoralByName(reading, described.getClassInfo());
        if (ignorals.getIgnoreUnknown() || described.findAnySetterAccessor() != null) {
            throw refused(path, type, "it accepts unknown components. Remove ignoreUnknown and @JsonAnySetter");
        }
        requireSameComponents(type, described, path);
        for (BeanPropertyDefinition component : described.findProperties()) {
            if (component.hasConstructorParameter()
                    && !JacksonLine.namesDeserializer(mapper, component.getConstructorParameter())) {
                require(component.getPrimaryType(), path + "." + component.getName());
            }
        }
    }

    private void requireNames(JsonTypeInfo info, JavaType type, String path) {
        if (info.use() != JsonTypeInfo.Id.NAME && info.use() != JsonTypeInfo.Id.SIMPLE_NAME) {
            throw refused(
                    path,
                    type,
                    "its type information is " + info.use() + ". Use JsonTypeInfo.Id.NAME, because class names change"
                            + " with the code");
        }
        if (info.defaultImpl() != JsonTypeInfo.class) {
            throw refused(path, type, "an unknown name would be read as its defaultImpl. Remove defaultImpl");
        }
    }

    private void requireSubtypes(JavaType type, BeanDescription described, boolean named, String path) {
        var concrete = JacksonLine.subtypes(mapper, described.getClassInfo()).stream()
                .map(subtype -> reading.getTypeFactory().constructSpecializedType(type, subtype.getType()))
                .filter(subtype -> !subtype.isAbstract())
                .toList();
        if (!named || concrete.isEmpty()) {
            throw refused(
                    path,
                    type,
                    "it is abstract, and its JSON does not identify the subtype. Add @JsonTypeInfo(use = NAME) and"
                            + " @JsonSubTypes, or use a record");
        }
        concrete.forEach(
                subtype -> require(subtype, path + "/" + subtype.getRawClass().getSimpleName()));
    }

    private void requireSameComponents(JavaType type, BeanDescription described, String path) {
        Set<String> read = names(described, BeanPropertyDefinition::hasConstructorParameter);
        Set<String> written = names(JacksonLine.forWriting(mapper, type), component -> true);
        if (!read.equals(written)) {
            throw refused(
                    path,
                    type,
                    "its JSON would have the components " + written + ", but its constructor takes " + read + ". Use"
                            + " a record, or a constructor with @JsonCreator that takes every component");
        }
    }

    private static Set<String> names(BeanDescription described, Predicate<BeanPropertyDefinition> which) {
        return described.findProperties().stream()
                .filter(which)
                .map(BeanPropertyDefinition::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static RefusedTypeException refused(String path, JavaType type, String why) {
        return new RefusedTypeException(
                "No strict JSON codec for " + path + " of type " + type.toCanonical() + ": " + why + ".");
    }
}
