package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class FingerprintTest {

    private static final UUID ID = UUID.fromString("0f8fad5b-d9cb-469f-a165-70867728950e");

    /** Pinned: records outlive the code that wrote them, and a changed form would refuse every retry. */
    @Test
    void formIsTheSameInEveryVersion() {
        Fingerprint fingerprint = Fingerprint.of(
                "Friends",
                7,
                new BigDecimal("9.50"),
                1.5d,
                2.5f,
                true,
                'x',
                ID,
                ChronoUnit.DAYS,
                Instant.EPOCH,
                LocalDate.EPOCH,
                Duration.ofSeconds(90),
                new byte[] {1, 2},
                null,
                List.of("a", List.of(1)));
        assertThat(HexFormat.of().formatHex(fingerprint.toBytes()))
                .isEqualTo("6b2176c8f821d6f3deff1ec33af03d870db77f1e7c21b84c1de540cd5a02ba1a");
    }

    @Test
    void fingerprintCanBeAPartOfAnother() {
        assertThat(Fingerprint.of(Fingerprint.of("a")))
                .isEqualTo(Fingerprint.of(Fingerprint.of("a")))
                .isNotEqualTo(Fingerprint.of(Fingerprint.of("b")))
                .isNotEqualTo(Fingerprint.of((Object) Fingerprint.of("a").toBytes()));
    }

    @Test
    void everyPartAndItsPlaceCount() {
        List<Fingerprint> different = List.of(
                Fingerprint.of(),
                Fingerprint.of(""),
                Fingerprint.of((Object) null),
                Fingerprint.of("a", "bc"),
                Fingerprint.of("ab", "c"),
                Fingerprint.of("abc"),
                Fingerprint.of(List.of("a", "bc")),
                Fingerprint.of("a", List.of("bc")),
                Fingerprint.of("1"),
                Fingerprint.of(1),
                Fingerprint.of(1d),
                Fingerprint.of(1f),
                Fingerprint.of(true),
                Fingerprint.of(false),
                Fingerprint.of(ID),
                Fingerprint.of(ID.toString()),
                Fingerprint.of(ChronoUnit.DAYS),
                Fingerprint.of("DAYS"),
                Fingerprint.of((Object) new byte[] {1}));
        assertThat(different).doesNotHaveDuplicates();
    }

    @Test
    void numbersAreComparedByValue() {
        assertThat(List.of(
                        Fingerprint.of(100),
                        Fingerprint.of(100L),
                        Fingerprint.of((short) 100),
                        Fingerprint.of((byte) 100),
                        Fingerprint.of(BigInteger.valueOf(100)),
                        Fingerprint.of(new BigDecimal("100.00")),
                        Fingerprint.of(new BigDecimal("1E+2"))))
                .containsOnly(Fingerprint.of(100));
    }

    static List<Object> formless() {
        return List.of(new Object(), Set.of("a"), Map.of("a", 1), Optional.of("a"), new int[] {1}, "\ud83d");
    }

    @ParameterizedTest
    @MethodSource("formless")
    void whatHasNoCanonicalFormIsRefused(Object part) {
        assertThatThrownBy(() -> Fingerprint.of("a", part))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no canonical form");
        assertThatThrownBy(() -> Fingerprint.of(Arrays.asList(null, part)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numberWithTooManyDigitsIsRefused() {
        for (BigDecimal number : List.of(
                new BigDecimal(BigInteger.TEN.pow(60_000)),
                BigDecimal.TEN.pow(1_100),
                new BigDecimal("1E+1100"),
                new BigDecimal("1E-1101"),
                new BigDecimal("-1E+2147483647"),
                new BigDecimal(BigInteger.TEN, Integer.MIN_VALUE),
                new BigDecimal(BigInteger.ONE, Integer.MAX_VALUE))) {
            assertThatThrownBy(() -> Fingerprint.of("a", number))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1100 digits")
                    .hasMessageNotContaining("E+");
        }
        BigInteger whole = BigInteger.TEN.pow(60_000);
        assertThatThrownBy(() -> Fingerprint.of(whole)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numbersOfEveryJavaTypeAreWithinTheBound() {
        assertThat(List.of(
                        Fingerprint.of(new BigDecimal(Double.MAX_VALUE)),
                        Fingerprint.of(new BigDecimal(Double.MIN_VALUE)),
                        Fingerprint.of(BigInteger.TEN.pow(1_099)),
                        Fingerprint.of(new BigDecimal("1E-1100")),
                        Fingerprint.of(Long.MIN_VALUE)))
                .doesNotHaveDuplicates();
        assertThat(Fingerprint.of(new BigDecimal("0E+9999"), BigDecimal.ZERO.setScale(9999)))
                .isEqualTo(Fingerprint.of(0, 0));
    }

    /** Pinned, from the time before numbers had a bound. */
    @Test
    void formOfNumbersIsTheSameInEveryVersion() {
        Fingerprint fingerprint = Fingerprint.of(
                0,
                -100,
                Long.MIN_VALUE,
                Long.MAX_VALUE,
                BigInteger.TEN.pow(1_000),
                BigInteger.TEN.pow(1_000).subtract(BigInteger.ONE).negate(),
                new BigDecimal("0.000"),
                new BigDecimal("0E+7"),
                new BigDecimal("120.00"),
                new BigDecimal("-0.0000001200"),
                new BigDecimal("1.0E-900"),
                new BigDecimal("12345678901234567890.12345678901234567890"),
                new BigDecimal(Double.MIN_VALUE));
        assertThat(HexFormat.of().formatHex(fingerprint.toBytes()))
                .isEqualTo("1d469468f97aaa424141b58b775f9e8dbab00c3cbe5e4e6f11b249414cbcdd75");
    }

    @Test
    void listsNestedTooDeeplyAreRefused() {
        assertThat(Fingerprint.of(nested(100))).isNotEqualTo(Fingerprint.of(nested(99)));
        for (int depth : new int[] {101, 5_000, 100_000}) {
            List<?> deep = nested(depth);
            assertThatThrownBy(() -> Fingerprint.of(deep))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("100 deep");
        }
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        assertThatThrownBy(() -> Fingerprint.of(itself)).isInstanceOf(IllegalArgumentException.class);
    }

    private static List<?> nested(int depth) {
        List<?> list = List.of();
        for (int i = 1; i < depth; i++) {
            list = List.of(list);
        }
        return list;
    }

    /** Sixty lists of the one below, twice: without a bound that is 2 to the power of 60 parts. */
    @Test
    @Tag("large")
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void requestWithoutEndIsRefused() {
        List<?> wide = List.of("a");
        for (int i = 0; i < 60; i++) {
            wide = List.of(wide, wide);
        }
        List<?> request = wide;
        assertThatThrownBy(() -> Fingerprint.of(request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64 MiB")
                .hasMessageContaining("digest");
        byte[] mebibyte = new byte[1 << 20];
        assertThatThrownBy(() -> Fingerprint.of(Collections.nCopies(64, mebibyte)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Fingerprint.of(Collections.nCopies(63, mebibyte)))
                .isNotEqualTo(Fingerprint.of(Collections.nCopies(62, mebibyte)));
    }

    /** Bytes alone look like a stored fingerprint, of which another one would be taken: it would match no record. */
    @Test
    @SuppressWarnings("removal")
    void bytesAloneAreRefusedWithBothWaysOn() {
        byte[] stored = Fingerprint.of("a").toBytes();
        assertThatThrownBy(() -> Fingerprint.of(stored))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("fromBytes(bytes)")
                .hasMessageContaining("of((Object) bytes)");
        assertThat(Fingerprint.of((Object) stored)).isEqualTo(Fingerprint.of(new Object[] {stored}));
        assertThat(Attempt.in("user:1")
                        .key("key")
                        .request(stored)
                        .requestTo("operate")
                        .fingerprint())
                .isEqualTo(Fingerprint.of((Object) stored));
    }

    @Test
    void bytesGoRoundAndOthersAreRefused() {
        Fingerprint fingerprint = Fingerprint.of("a");
        assertThat(Fingerprint.fromBytes(fingerprint.toBytes()))
                .isEqualTo(fingerprint)
                .hasSameHashCodeAs(fingerprint);
        assertThatThrownBy(() -> Fingerprint.fromBytes(new byte[31])).isInstanceOf(IllegalArgumentException.class);
    }
}
