package io.counterpoint.idempotency.jackson3;

import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.SerializationConfig;

/** What Jackson knows of a type. */
final class Introspection {

    private Introspection() {}

    static BeanDescription forReading(DeserializationConfig config, JavaType type) {
        var introspector = config.classIntrospectorInstance().forOperation(config);
        return introspector.introspectForDeserialization(type, introspector.introspectClassAnnotations(type));
    }

    static BeanDescription forWriting(SerializationConfig config, JavaType type) {
        var introspector = config.classIntrospectorInstance().forOperation(config);
        return introspector.introspectForSerialization(type, introspector.introspectClassAnnotations(type));
    }
}
