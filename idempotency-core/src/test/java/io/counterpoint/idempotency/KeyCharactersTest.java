package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.spi.Characters;
import java.security.MessageDigest;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** No version of Unicode, and so no JDK, changes which keys are accepted and how anything is named. */
class KeyCharactersTest {

    /** Its constant is the same on every JDK: a JDK that answers otherwise fails here. */
    @Test
    void eachCodePointIsAcceptedOrRefusedAlikeOnEveryJdk() throws Exception {
        MessageDigest answers = MessageDigest.getInstance("SHA-256");
        int accepted = 0;
        boolean before = true;
        for (int character = 0; character <= Character.MAX_CODE_POINT; character++) {
            boolean isVisible = VisibleCharacters.isVisible(character);
            if (isVisible != before) {
                assertThat(isAccepted(Character.toString(character))).isEqualTo(isVisible);
            }
            before = isVisible;
            answers.update((byte) (isVisible ? 1 : 0));
            accepted += isVisible ? 1 : 0;
        }
        assertThat(accepted).isEqualTo(970_507);
        assertThat(HexFormat.of().formatHex(answers.digest()))
                .isEqualTo("d93b26190a14300722801aae1f6208f2a71b6d7ab03bea628bc05ffcbe311a13");
    }

    /** Without a character in Unicode 13, which JDK 17 knows, and with one in Unicode 16, which JDK 25 knows. */
    @ParameterizedTest
    @ValueSource(ints = {0x1fae0, 0x31350, 0x0378, 0x1faff})
    void characterOfALaterUnicodeIsAccepted(int character) {
        assertThat(isAccepted(Character.toString(character))).isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {0x0890, 0x0891, 0x13439, 0x1343f})
    void formatOfALaterUnicodeIsRefused(int character) {
        assertThat(isAccepted("a" + Character.toString(character))).isFalse();
    }

    @Test
    void caseOfAsciiLettersOnlyIsChanged() {
        assertThat(Characters.lowerCaseAscii("Content-TYPE \u00c4\u0130\u212a\ua7c0"))
                .isEqualTo("content-type \u00c4\u0130\u212a\ua7c0");
        assertThat(Characters.equalsIgnoringAsciiCase("Content-Type", "cONTENT-tYPE"))
                .isTrue();
        assertThat(Characters.equalsIgnoringAsciiCase("content-disposition", "content-di\u017fposition"))
                .isFalse();
    }

    private static boolean isAccepted(String value) {
        try {
            return Attempt.inScope("scope").key(value) != null;
        } catch (InvalidKeyException refused) {
            return false;
        }
    }
}
