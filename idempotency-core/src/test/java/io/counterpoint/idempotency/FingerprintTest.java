package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
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
    void bytesGoRoundAndOthersAreRefused() {
        Fingerprint fingerprint = Fingerprint.of("a");
        assertThat(Fingerprint.fromBytes(fingerprint.toBytes()))
                .isEqualTo(fingerprint)
                .hasSameHashCodeAs(fingerprint);
        assertThatThrownBy(() -> Fingerprint.fromBytes(new byte[31])).isInstanceOf(IllegalArgumentException.class);
    }
}
