package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.AnnotatedClass;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.jsontype.NamedType;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeFeature;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.util.Collection;

/** The differences of Jackson 2 from Jackson 3. All other code is shared, with the names of each. */
final class JacksonLine {

    private JacksonLine() {}

    /** The settings for dates, enums and characters. */
    static JsonMapper.Builder builder(JsonFactory factory) {
        return JsonMapper.builder(factory)
                .addModule(new Jdk8Module())
                // Zones are stored by name: "Z" and "UTC" are not equal.
                .addModule(new JavaTimeModule().disable(JavaTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID))
                .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .enable(JsonWriteFeature.COMBINE_UNICODE_SURROGATES_IN_UTF8)
                .enable(SerializationFeature.WRITE_DATES_WITH_ZONE_ID)
                .disable(DeserializationFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .disable(
                        SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
                        SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS);
    }

    static BeanDescription forReading(ObjectMapper mapper, JavaType type) {
        return mapper.getDeserializationConfig().introspect(type);
    }

    static BeanDescription forWriting(ObjectMapper mapper, JavaType type) {
        return mapper.getSerializationConfig().introspect(type);
    }

    static boolean namesDeserializer(ObjectMapper mapper, Annotated annotated) {
        return mapper.getDeserializationConfig().getAnnotationIntrospector().findDeserializer(annotated) != null;
    }

    static Collection<NamedType> subtypes(ObjectMapper mapper, AnnotatedClass type) {
        return mapper.getSubtypeResolver().collectAndResolveSubtypesByClass(mapper.getDeserializationConfig(), type);
    }

    static String atByte(IOException thrown) {
        return thrown instanceof JsonProcessingException processing && processing.getLocation() != null
                ? " at byte " + processing.getLocation().getByteOffset()
                : "";
    }
}
