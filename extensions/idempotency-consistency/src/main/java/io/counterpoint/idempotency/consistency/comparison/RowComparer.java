package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.Fingerprint;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Compares two rows with the same key. */
final class RowComparer<K> {

    private final Set<String> ignored;
    private final Map<String, Canonicalizer> canonicalizers;
    private final boolean keepsValues;

    RowComparer(Set<String> ignored, Map<String, Canonicalizer> canonicalizers, boolean keepsValues) {
        this.ignored = Set.copyOf(ignored);
        this.canonicalizers = Map.copyOf(canonicalizers);
        this.keepsValues = keepsValues;
    }

    /** Returns a difference with the values of both rows, unless values are omitted. */
    Finding<K> withValues(Finding<K> difference, @Nullable Row<K> old, @Nullable Row<K> replacement) {
        if (!keepsValues) {
            return difference;
        }
        Finding.Values values = new Finding.Values(
                Optional.ofNullable(old).map(Json::of),
                Optional.ofNullable(replacement).map(Json::of));
        return difference.<Finding<K>>fold(
                missing -> new Finding.MissingInOld<>(missing.key(), values, missing.evidence()),
                missing -> new Finding.MissingInNew<>(missing.key(), values, missing.evidence()),
                both -> new Finding.Different<>(both.key(), both.fields(), values, both.evidence()));
    }

    /** The ignored fields. */
    Set<String> ignored() {
        return ignored;
    }

    /** The fields that are compared in a canonical form. */
    Set<String> canonical() {
        Set<String> names = new TreeSet<>(canonicalizers.keySet());
        names.removeAll(ignored);
        return names;
    }

    /** Returns the difference of two rows, with both as its evidence and without values; null if there is none. */
    @Nullable
    Finding<K> compare(K key, @Nullable Row<K> old, @Nullable Row<K> replacement) {
        if (old == null) {
            return replacement == null
                    ? null
                    : new Finding.MissingInOld<>(key, Finding.Values.NONE, evidence(key, null, replacement));
        }
        if (replacement == null) {
            return new Finding.MissingInNew<>(key, Finding.Values.NONE, evidence(key, old, null));
        }
        List<String> fields = differing(key, old, replacement);
        return fields.isEmpty()
                ? null
                : new Finding.Different<>(key, fields, Finding.Values.NONE, evidence(key, old, replacement));
    }

    private List<String> differing(K key, Row<K> old, Row<K> replacement) {
        if (!old.fields().keySet().equals(replacement.fields().keySet())
                && !compared(old).equals(compared(replacement))) {
            throw new FieldsDifferException(String.valueOf(key), compared(old), compared(replacement));
        }
        List<String> differing = new ArrayList<>();
        old.fields().forEach((field, value) -> {
            if (!ignored.contains(field)) {
                Object other = replacement.fields().get(field);
                if (!Objects.deepEquals(canonical(key, field, value), canonical(key, field, other))) {
                    differing.add(field);
                }
            }
        });
        return differing;
    }

    /** Returns the names of the compared fields. */
    Set<String> compared(Row<K> row) {
        Set<String> names = new TreeSet<>(row.fields().keySet());
        names.removeAll(ignored);
        return names;
    }

    private Fingerprint evidence(K key, @Nullable Row<K> old, @Nullable Row<K> replacement) {
        List<@Nullable Object> parts = new ArrayList<>();
        parts.add(String.valueOf(key));
        addTo(parts, key, old);
        addTo(parts, key, replacement);
        return Fingerprint.ofParts(parts.toArray());
    }

    private void addTo(List<@Nullable Object> parts, K key, @Nullable Row<K> row) {
        parts.add(row != null);
        if (row == null) {
            return;
        }
        parts.add(digest(key, "of the version", row.version() == null ? null : plain(row.version())));
        for (String field : compared(row)) {
            parts.add(field);
            parts.add(digest(key, field, canonical(key, field, row.fields().get(field))));
        }
    }

    private static Fingerprint digest(Object key, String field, @Nullable Object value) {
        try {
            return Fingerprint.ofParts(value);
        } catch (IllegalArgumentException e) {
            throw new NoCanonicalFormException(String.valueOf(key), field, e);
        }
    }

    private @Nullable Object canonical(K key, String field, @Nullable Object value) {
        if (value == null) {
            return null;
        }
        Canonicalizer canonicalizer = canonicalizers.get(field);
        if (canonicalizer == null) {
            return plain(value);
        }
        try {
            Object canonical = canonicalizer.canonical(value);
            return canonical == null ? null : plain(canonical);
        } catch (RuntimeException e) {
            throw new NoCanonicalFormException(String.valueOf(key), field, e);
        }
    }

    /** Returns one form for equal numbers, instants and identifiers, regardless of type and scale. */
    private static Object plain(Object value) {
        if (value instanceof BigDecimal number) {
            return number.stripTrailingZeros();
        }
        if (value instanceof BigInteger number) {
            return new BigDecimal(number).stripTrailingZeros();
        }
        if (value instanceof Double || value instanceof Float) {
            Object shortest = value instanceof Float number
                    ? ColumnType.shortest(number.floatValue())
                    : ColumnType.shortest(((Number) value).doubleValue());
            return shortest instanceof BigDecimal number ? number.stripTrailingZeros() : shortest;
        }
        if (value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte) {
            return BigDecimal.valueOf(((Number) value).longValue()).stripTrailingZeros();
        }
        if (value instanceof UUID id) {
            return id.toString();
        }
        if (value instanceof OffsetDateTime time) {
            return time.toInstant();
        }
        if (value instanceof ZonedDateTime time) {
            return time.toInstant();
        }
        return value;
    }
}
