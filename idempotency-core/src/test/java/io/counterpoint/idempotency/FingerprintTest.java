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
        Fingerprint fingerprint = Fingerprint.ofParts(
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
        assertThat(Fingerprint.ofParts(Fingerprint.ofParts("a")))
                .isEqualTo(Fingerprint.ofParts(Fingerprint.ofParts("a")))
                .isNotEqualTo(Fingerprint.ofParts(Fingerprint.ofParts("b")))
                .isNotEqualTo(Fingerprint.ofBytes(Fingerprint.ofParts("a").toBytes()));
    }

    @Test
    void everyPartAndItsPlaceCount() {
        List<Fingerprint> different = List.of(
                Fingerprint.ofParts(),
                Fingerprint.ofParts(""),
                Fingerprint.ofParts((Object) null),
                Fingerprint.ofParts("a", "bc"),
                Fingerprint.ofParts("ab", "c"),
                Fingerprint.ofParts("abc"),
                Fingerprint.ofParts(List.of("a", "bc")),
                Fingerprint.ofParts("a", List.of("bc")),
                Fingerprint.ofParts("1"),
                Fingerprint.ofParts(1),
                Fingerprint.ofParts(1d),
                Fingerprint.ofParts(1f),
                Fingerprint.ofParts(true),
                Fingerprint.ofParts(false),
                Fingerprint.ofParts(ID),
                Fingerprint.ofParts(ID.toString()),
                Fingerprint.ofParts(ChronoUnit.DAYS),
                Fingerprint.ofParts("DAYS"),
                Fingerprint.ofBytes(new byte[] {1}));
        assertThat(different).doesNotHaveDuplicates();
    }

    @Test
    void numbersAreComparedByValue() {
        assertThat(List.of(
                        Fingerprint.ofParts(100),
                        Fingerprint.ofParts(100L),
                        Fingerprint.ofParts((short) 100),
                        Fingerprint.ofParts((byte) 100),
                        Fingerprint.ofParts(BigInteger.valueOf(100)),
                        Fingerprint.ofParts(new BigDecimal("100.00")),
                        Fingerprint.ofParts(new BigDecimal("1E+2"))))
                .containsOnly(Fingerprint.ofParts(100));
    }

    static List<Object> formless() {
        return List.of(new Object(), Set.of("a"), Map.of("a", 1), Optional.of("a"), new int[] {1}, "\ud83d");
    }

    @ParameterizedTest
    @MethodSource("formless")
    void whatHasNoCanonicalFormIsRefused(Object part) {
        assertThatThrownBy(() -> Fingerprint.ofParts("a", part))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no canonical form");
        assertThatThrownBy(() -> Fingerprint.ofParts(Arrays.asList(null, part)))
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
            assertThatThrownBy(() -> Fingerprint.ofParts("a", number))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1100 digits")
                    .hasMessageNotContaining("E+");
        }
        BigInteger whole = BigInteger.TEN.pow(60_000);
        assertThatThrownBy(() -> Fingerprint.ofParts(whole)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void numbersOfEveryJavaTypeAreWithinTheBound() {
        assertThat(List.of(
                        Fingerprint.ofParts(new BigDecimal(Double.MAX_VALUE)),
                        Fingerprint.ofParts(new BigDecimal(Double.MIN_VALUE)),
                        Fingerprint.ofParts(BigInteger.TEN.pow(1_099)),
                        Fingerprint.ofParts(new BigDecimal("1E-1100")),
                        Fingerprint.ofParts(Long.MIN_VALUE)))
                .doesNotHaveDuplicates();
        assertThat(Fingerprint.ofParts(new BigDecimal("0E+9999"), BigDecimal.ZERO.setScale(9999)))
                .isEqualTo(Fingerprint.ofParts(0, 0));
    }

    /** Pinned, from the time before numbers had a bound. */
    @Test
    void formOfNumbersIsTheSameInEveryVersion() {
        Fingerprint fingerprint = Fingerprint.ofParts(
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
        assertThat(Fingerprint.ofParts(nested(100))).isNotEqualTo(Fingerprint.ofParts(nested(99)));
        for (int depth : new int[] {101, 5_000, 100_000}) {
            List<?> deep = nested(depth);
            assertThatThrownBy(() -> Fingerprint.ofParts(deep))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("100 levels deep");
        }
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        assertThatThrownBy(() -> Fingerprint.ofParts(itself)).isInstanceOf(IllegalArgumentException.class);
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
        assertThatThrownBy(() -> Fingerprint.ofParts(request))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("64 MiB")
                .hasMessageContaining("digest");
        byte[] mebibyte = new byte[1 << 20];
        assertThatThrownBy(() -> Fingerprint.ofParts(Collections.nCopies(64, mebibyte)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(Fingerprint.ofParts(Collections.nCopies(63, mebibyte)))
                .isNotEqualTo(Fingerprint.ofParts(Collections.nCopies(62, mebibyte)));
    }

    @Test
    void bytesAloneAreTheOnlyPartOfTheirRequest() {
        byte[] request = {1, 2};
        assertThat(Fingerprint.ofBytes(request))
                .isEqualTo(Fingerprint.ofParts(request))
                .isEqualTo(Attempt.inScope("user:1")
                        .key("key")
                        .request(request)
                        .requestTo("operate")
                        .fingerprint());
        assertThat(HexFormat.of().formatHex(Fingerprint.ofBytes(request).toBytes()))
                .isEqualTo("41c377f1140d7a3662b89352d24e8a40121069647c01e2bb0d426ca5f4d33f29");
    }

    @Test
    void bytesGoRoundAndOthersAreRefused() {
        Fingerprint fingerprint = Fingerprint.ofParts("a");
        assertThat(Fingerprint.fromBytes(fingerprint.toBytes()))
                .isEqualTo(fingerprint)
                .hasSameHashCodeAs(fingerprint);
        assertThatThrownBy(() -> Fingerprint.fromBytes(new byte[31])).isInstanceOf(IllegalArgumentException.class);
    }
}
