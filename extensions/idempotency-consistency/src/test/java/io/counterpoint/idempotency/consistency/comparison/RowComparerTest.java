package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RowComparerTest {

    private final RowComparer<Long> comparer = new RowComparer<>(
            Set.of("seen"),
            Map.of("mail", value -> {
                String text = value.toString().strip().toLowerCase(Locale.ROOT);
                return text.isEmpty() ? null : text;
            }),
            true);

    @Test
    void valuesThatMeanTheSameAreTheSame() {
        same(1, 1L);
        same(1L, new BigDecimal("1.00"));
        same(100, new BigDecimal("1E+2"));
        same(BigInteger.TEN, 10);
        same(0.1f, new BigDecimal("0.1"));
        same(0.5d, 0.5f);
        same(Double.NaN, Double.NaN);
        same(new byte[] {1, 2}, new byte[] {1, 2});
        same(Instant.parse("2026-01-01T00:00:00Z"), OffsetDateTime.parse("2026-01-01T01:00:00+01:00"));
        same(null, null);
    }

    @Test
    void valuesOfDifferentMeaningDiffer() {
        different("1", 1);
        different("a", "A");
        different(null, "");
        different(null, 0);
        different(new byte[] {1, 2}, new byte[] {1, 3});
        different(new BigDecimal("0.1"), new BigDecimal("0.10000001"));
        different(LocalDateTime.parse("2026-01-01T00:00:00"), Instant.parse("2026-01-01T00:00:00Z"));
    }

    @Test
    void canonicalFormIsComparedAndMayMeanNone() {
        assertThat(comparer.compare(1L, row("mail", " A@B.example"), row("mail", "a@b.example")))
                .isNull();
        assertThat(comparer.compare(1L, row("mail", "  "), row("mail", null))).isNull();
        assertThat(comparer.compare(1L, row("mail", "a"), row("mail", "b"))).isNotNull();
    }

    @Test
    void ignoredFieldsCountNeitherForTheComparisonNorForTheEvidence() {
        Row<Long> old = Row.of(1L, Map.of("value", "a", "seen", 1));
        Row<Long> later = Row.of(1L, Map.of("value", "a", "seen", 2));
        assertThat(comparer.compare(1L, old, later)).isNull();
        assertThat(comparer.compare(1L, old, row("value", "a"))).isNull();
        assertThat(comparer.compare(1L, old, null)).isEqualTo(comparer.compare(1L, later, null));
    }

    @Test
    void fieldsThatOnlyOneSideHasAreAMistake() {
        assertThatThrownBy(() -> comparer.compare(1L, row("name", "a"), row("nmae", "a")))
                .isInstanceOf(FieldsDifferException.class)
                .hasMessageContaining("[name]")
                .hasMessageContaining("[nmae]");
    }

    @Test
    void valueWithoutCanonicalFormIsNamedByItsField() {
        assertThatThrownBy(() -> comparer.compare(1L, row("value", new Object()), row("value", "a")))
                .isInstanceOf(NoCanonicalFormException.class)
                .hasMessageContaining("The field value of key 1");
    }

    private void same(Object left, Object right) {
        assertThat(comparer.compare(1L, row("value", left), row("value", right)))
                .as("%s and %s", left, right)
                .isNull();
        assertThat(comparer.compare(1L, row("value", left), null))
                .isEqualTo(comparer.compare(1L, row("value", right), null));
    }

    private void different(Object left, Object right) {
        assertThat(comparer.compare(1L, row("value", left), row("value", right)))
                .as("%s and %s", left, right)
                .isInstanceOf(Finding.Different.class);
    }

    private static Row<Long> row(String field, Object value) {
        return Row.of(1L, Collections.singletonMap(field, value));
    }
}
