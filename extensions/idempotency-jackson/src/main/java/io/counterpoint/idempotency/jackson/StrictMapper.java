package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.StreamWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.Module;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.cfg.MutableCoercionConfig;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.type.LogicalType;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** All settings that determine what is stored and what is rejected. */
final class StrictMapper {

    private StrictMapper() {}

    static JsonMapper with(List<Module> modules) {
        var factory = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
                // Double.toString depends on the JDK: 17 writes some numbers with more digits than 19 and later.
                .enable(StreamWriteFeature.USE_FAST_DOUBLE_WRITER)
                .build();
        return JacksonLine.builder(factory)
                .addModule(new SimpleModule("kept-order")
                        .addAbstractTypeMapping(Set.class, LinkedHashSet.class)
                        // Otherwise a map of enums would have their order.
                        .addAbstractTypeMapping(Map.class, LinkedHashMap.class))
                .addModules(modules)
                .enable(
                        DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES,
                        DeserializationFeature.FAIL_ON_IGNORED_PROPERTIES,
                        DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                        DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES,
                        DeserializationFeature.FAIL_ON_INVALID_SUBTYPE,
                        DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY,
                        DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
                .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT, DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                .disable(
                        MapperFeature.ALLOW_COERCION_OF_SCALARS,
                        MapperFeature.USE_GETTERS_AS_SETTERS,
                        MapperFeature.INFER_PROPERTY_MUTATORS,
                        MapperFeature.SORT_CREATOR_PROPERTIES_FIRST)
                .enable(MapperFeature.SORT_PROPERTIES_ALPHABETICALLY)
                .disable(SerializationFeature.FAIL_ON_EMPTY_BEANS)
                .defaultLeniency(false)
                .withCoercionConfig(LogicalType.Textual, StrictMapper::refuseOtherKinds)
                .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
                .build();
    }

    /** Numbers are not accepted as text. */
    private static void refuseOtherKinds(MutableCoercionConfig texts) {
        texts.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail);
    }
}
