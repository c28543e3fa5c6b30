package io.counterpoint.idempotency.jackson3;

import com.fasterxml.jackson.annotation.JsonFormat;
import java.time.Year;
import java.util.Collection;
import tools.jackson.core.JacksonException;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.AnnotatedClass;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;

/** The differences of Jackson 3 from Jackson 2. All other code is shared, with the names of each. */
final class JacksonLine {

    private JacksonLine() {}

    /** The settings for dates and enums. */
    static JsonMapper.Builder builder(JsonFactory factory) {
        return JsonMapper.builder(factory)
                .withConfigOverride(
                        Year.class, year -> year.setFormat(JsonFormat.Value.forShape(JsonFormat.Shape.STRING)))
                .enable(EnumFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                .disable(EnumFeature.READ_ENUMS_USING_TO_STRING, EnumFeature.WRITE_ENUMS_USING_TO_STRING)
                .enable(DateTimeFeature.WRITE_DATES_WITH_ZONE_ID)
                // Zones are stored by name: "Z" and "UTC" are not equal.
                .disable(
                        DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE,
                        DateTimeFeature.NORMALIZE_DESERIALIZED_ZONE_ID,
                        DateTimeFeature.WRITE_DATES_AS_TIMESTAMPS,
                        DateTimeFeature.WRITE_DURATIONS_AS_TIMESTAMPS);
    }

    static BeanDescription forReading(ObjectMapper mapper, JavaType type) {
        var config = mapper.deserializationConfig();
        var introspector = config.classIntrospectorInstance().forOperation(config);
        return introspector.introspectForDeserialization(type, introspector.introspectClassAnnotations(type));
    }

    static BeanDescription forWriting(ObjectMapper mapper, JavaType type) {
        var config = mapper.serializationConfig();
        var introspector = config.classIntrospectorInstance().forOperation(config);
        return introspector.introspectForSerialization(type, introspector.introspectClassAnnotations(type));
    }

    static boolean namesDeserializer(ObjectMapper mapper, Annotated annotated) {
        var config = mapper.deserializationConfig();
        return config.getAnnotationIntrospector().findDeserializer(config, annotated) != null;
    }

    static Collection<NamedType> subtypes(ObjectMapper mapper, AnnotatedClass type) {
        var config = mapper.deserializationConfig();
        return config.getSubtypeResolver().collectAndResolveSubtypesByClass(config, type);
    }

    static String atByte(JacksonException thrown) {
        return thrown.getLocation() == null
                ? ""
                : " at byte " + thrown.getLocation().getByteOffset();
    }
}
