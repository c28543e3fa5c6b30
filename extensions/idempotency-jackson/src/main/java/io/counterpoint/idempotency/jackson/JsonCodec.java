package io.counterpoint.idempotency.jackson;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JavaType;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.counterpoint.idempotency.ResultCodec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * A strict JSON codec for one type. It stores {@code {"version":1,"result":…}}.
 *
 * <p>{@link #encode} decodes its own output and throws unless that equals the result and encodes to the same bytes. A
 * replay is therefore the same as what the first caller got: sets and maps keep their order, and one with a comparator
 * that would be lost is rejected. A result is rejected while its transaction can still be rolled back. Every part of a
 * result needs {@code equals}, which records have but arrays inside records do not. If a type contains a {@code
 * JsonNode}, only the bytes are compared, because nodes of equal numbers need not be equal.
 *
 * <p>{@link #decode} rejects components that are unknown, missing, renamed or duplicated, values of a different type,
 * unknown enum names, and anything after the end. A component is null only if it was null when it was encoded.
 *
 * <p>Immutable and thread-safe.
 *
 * @param <R> the type of the result
 */
public final class JsonCodec<R> implements ResultCodec<R> {

    private static final String VERSION = "version";
    private static final String RESULT = "result";

    private final JsonMapper mapper;
    private final JavaType type;
    private final ObjectWriter writer;
    private final ObjectReader reader;
    private final boolean hasNodes;
    private final int version;
    private final Map<Integer, UnaryOperator<JsonNode>> upcasters;

    private JsonCodec(
            JsonMapper mapper,
            JavaType type,
            boolean hasNodes,
            int version,
            Map<Integer, UnaryOperator<JsonNode>> upcasters) {
        this.mapper = mapper;
        this.type = type;
        this.writer = mapper.writerFor(type);
        this.reader = mapper.readerFor(type);
        this.hasNodes = hasNodes;
        this.version = version;
        this.upcasters = upcasters;
    }

    static <R> JsonCodec<R> of(JsonMapper mapper, JavaType type, boolean hasNodes) {
        return new JsonCodec<>(mapper, type, hasNodes, 1, Map.of());
    }

    /**
     * Sets the version that is written. Raise it with every change to the type's components or names, and add an
     * upcaster from the previous version.
     *
     * @param version the version, at least 1; default 1
     * @return the codec that writes this version
     * @throws IllegalArgumentException if it is less than 1, or not greater than the version of every upcaster
     */
    public JsonCodec<R> version(int version) {
        if (version < 1 || upcasters.keySet().stream().anyMatch(from -> from >= version)) {
            throw new IllegalArgumentException(
                    "The version must be at least 1 and greater than the versions of its upcasters "
                            + upcasters.keySet() + ", found " + version + ".");
        }
        return new JsonCodec<>(mapper, type, hasNodes, version, upcasters);
    }

    /**
     * Adds an upcaster, which converts the JSON of a result from one version to the next. Decoding rejects versions
     * without an upcaster.
     *
     * @param from the version that it converts to {@code from + 1}
     * @param upcaster converts the JSON of the result; may modify and return the given node
     * @return the codec that reads this version too
     * @throws IllegalArgumentException if there already is such an upcaster, or the version is not less than the
     *     written one
     */
    public JsonCodec<R> upcasting(int from, UnaryOperator<JsonNode> upcaster) {
        if (from < 1 || from >= version || upcasters.containsKey(from)) {
            throw new IllegalArgumentException("An upcaster must have a version from 1 to " + (version - 1) + " that"
                    + " has no other upcaster, found " + from + ".");
        }
        var more = new TreeMap<>(upcasters);
        more.put(from, Objects.requireNonNull(upcaster, "upcaster"));
        return new JsonCodec<>(mapper, type, hasNodes, version, more);
    }

    /**
     * Encodes a result and verifies that it can be read back.
     *
     * @throws JsonResultException if what is read back does not equal the result or has different bytes
     * @throws IllegalStateException if an upcaster is missing between two others or before the written version
     */
    @Override
    public byte[] encode(R result) {
        requireNoGap();
        if (!type.getRawClass().isInstance(result)) {
            throw new JsonResultException("Expected a result of type " + type.toCanonical() + ", found "
                    + (result == null ? "null" : result.getClass().getName()) + ".");
        }
        byte[] bytes = write(result);
        R again = read(bytes, false);
        if (!hasNodes && !Objects.deepEquals(result, again)) {
            throw new JsonResultException("A result of type " + type.toCanonical() + " does not equal the value that"
                    + " its JSON is read back as. Every part needs equals(), and no component may be ignored; see"
                    + " docs/json.md.");
        }
        if (!Arrays.equals(bytes, write(again))) {
            throw new JsonResultException("A result of type " + type.toCanonical() + " has different JSON once it is"
                    + " read back. A set or map with its own comparator, or a number without an exact text form,"
                    + " cannot be stored; see docs/json.md.");
        }
        return bytes;
    }

    /**
     * Decodes a stored result.
     *
     * @throws UnknownVersionException if its version cannot be read by this codec
     * @throws JsonResultException if it is not JSON that {@link #encode} produces for a result of the type
     * @throws IllegalStateException if an upcaster is missing between two others or before the written version
     */
    @Override
    public R decode(byte[] bytes) {
        return read(bytes, true);
    }

    private R read(byte[] bytes, boolean isStored) {
        requireNoGap();
        try (JsonParser parser = mapper.createParser(bytes)) {
            expect(parser.nextToken() == JsonToken.START_OBJECT);
            expect(VERSION.equals(parser.nextFieldName()));
            expect(parser.nextToken() == JsonToken.VALUE_NUMBER_INT);
            int stored = parser.getIntValue();
            expect(RESULT.equals(parser.nextFieldName()));
            parser.nextToken();
            R result = stored == version ? reader.readValue(parser) : upcast(stored, parser);
            expect(parser.nextToken() == JsonToken.END_OBJECT);
            expect(parser.nextToken() == null);
            if (result == null) {
                throw new JsonResultException("A stored result of type " + type.toCanonical() + " is null.");
            }
            if (isStored && stored == version) {
                requireSame(bytes, result);
            }
            return result;
        } catch (IOException thrown) {
            throw JacksonErrors.unreadable(type, thrown);
        } catch (StackOverflowError thrown) {
            throw JacksonErrors.tooDeep(type);
        }
    }

    /**
     * A different version of Jackson or a module may decode JSON to a different value. Spaces, escapes and the order of
     * fields may differ.
     */
    private void requireSame(byte[] bytes, R result) throws IOException {
        byte[] now = write(result);
        if (!Arrays.equals(bytes, now) && !mapper.readTree(bytes).equals(mapper.readTree(now))) {
            throw new JsonResultException("A stored result of type " + type.toCanonical() + " differs from the JSON"
                    + " written now. The type, a module or the version of Jackson has changed how part of it is"
                    + " written: restore that, or write a new version of the result; see docs/json.md.");
        }
    }

    private byte[] write(R result) {
        var bytes = new ByteArrayOutputStream();
        try (JsonGenerator generator = mapper.createGenerator(bytes)) {
            generator.writeStartObject();
            generator.writeNumberField(VERSION, version);
            generator.writeFieldName(RESULT);
            writer.writeValue(generator, result);
            generator.writeEndObject();
        } catch (IOException thrown) {
            throw JacksonErrors.unwritable(type, thrown);
        } catch (StackOverflowError thrown) {
            throw JacksonErrors.tooDeep(type);
        }
        return bytes.toByteArray();
    }

    private R upcast(int stored, JsonParser parser) throws IOException {
        if (stored > version) {
            throw new UnknownVersionException(
                    stored,
                    "A stored result of type " + type.toCanonical() + " has version " + stored + ", but this codec"
                            + " reads up to version " + version + ". Newer code wrote it: deploy a codec that reads a"
                            + " version before one that writes it.");
        }
        if (!upcasters.containsKey(stored)) {
            throw new UnknownVersionException(
                    stored,
                    "A stored result of type " + type.toCanonical() + " has version " + stored + ", but no upcaster"
                            + " reads it. Keep the upcasters of all versions written within the retention.");
        }
        JsonNode node = mapper.readTree(parser);
        for (int from = stored; from < version; from++) {
            node = Objects.requireNonNull(
                    Objects.requireNonNull(upcasters.get(from)).apply(node),
                    "The upcaster from version " + from + " returned null.");
        }
        return reader.readValue(node);
    }

    private void requireNoGap() {
        if (upcasters.isEmpty()) {
            return;
        }
        int lowest = ((TreeMap<Integer, ?>) upcasters).firstKey();
        if (upcasters.size() != version - lowest) {
            throw new IllegalStateException("An upcaster is needed for each version from " + lowest + " to "
                    + (version - 1) + ", found upcasters for " + upcasters.keySet() + ".");
        }
    }

    private void expect(boolean asWritten) {
        if (!asWritten) {
            throw new JsonResultException("Expected {\"version\":…,\"result\":…} of type " + type.toCanonical() + ""
                    + " and nothing else, found other bytes: another codec wrote them, or they were changed.");
        }
    }

    @Override
    public String toString() {
        return "JsonCodec[" + type.toCanonical() + ", version " + version + "]";
    }
}
