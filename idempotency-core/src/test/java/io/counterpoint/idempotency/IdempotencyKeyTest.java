package io.counterpoint.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {

    @ParameterizedTest
    @ValueSource(strings = {"k", "0f8fad5b-d9cb-469f-a165-70867728950e", "ünïcödé", "键", "🔑", "a/b+c=="})
    void visibleCharactersAreAccepted(String value) {
        assertThat(IdempotencyKey.inScope("user:42")
                        .operation("create-group")
                        .value(value)
                        .value())
                .isEqualTo(value);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "", " ", "a b", "a\t", "a\n", "\u0000", "\u007f", "\u0085", "\u00a0", "\u00ad", "\u200b", "\u202e",
                "\u2028", "\ud83d", "\ue000", "\uffff"
            })
    void whatCannotBeSeenIsRefusedInEveryPart(String value) {
        assertThatThrownBy(() -> IdempotencyKey.inScope(value).operation("o").value("v"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("scope");
        assertThatThrownBy(() -> IdempotencyKey.inScope("s").operation(value).value("v"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("operation");
        assertThatThrownBy(() -> IdempotencyKey.inScope("s").operation("o").value(value))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("value");
    }

    /** As a header that was not sent. */
    @Test
    void partThatIsMissingIsRefusedByItsName() {
        assertThatThrownBy(() -> Attempt.inScope("s").key(null))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessage("The value of an idempotency key must not be null.");
        assertThatThrownBy(() -> Attempt.inScope(null)).isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> IdempotencyKey.inScope("s").operation(null).value("v"))
                .isInstanceOf(InvalidKeyException.class);
        assertThatThrownBy(() -> Attempt.inScope("s").key("k").fingerprint(null))
                .hasMessage("fingerprint");
    }

    @Test
    void authenticatedNameOfVisibleAsciiIsInItsScope() {
        String longest = "n".repeat(IdempotencyKey.MAX_LENGTH - "user:".length());
        assertThat(IdempotencyKey.scopeOf("user", "42")).contains("user:42");
        assertThat(IdempotencyKey.scopeOf("user", longest)).contains("user:" + longest);
    }

    /** Pinned: records are stored under it. */
    @Test
    void anyOtherNameIsInItsScopeByADigest() {
        assertThat(IdempotencyKey.scopeOf("user", "jos\u00e9"))
                .contains("user-sha256:435a68548f000c33d0597d286f8588e93edad9c4731cc32fd9ff4294b41c3b02");
        assertThat(Stream.of("two words", "\ud83e\udee0", "n".repeat(251), "\u00e9", "e\u0301")
                        .map(name -> IdempotencyKey.scopeOf("user", name).orElseThrow()))
                .allMatch(scope -> scope.matches("user-sha256:[0-9a-f]{64}"))
                .doesNotHaveDuplicates();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t", "\u00a0", "\u3000", "\u200b", "\ud83d"})
    void nameWithoutAVisibleCharacterHasNoScope(String name) {
        assertThat(IdempotencyKey.scopeOf("user", name)).isEmpty();
    }

    @Test
    void nameOrKindThatCannotBeAScopeIsRefused() {
        assertThatThrownBy(() -> IdempotencyKey.scopeOf("user", "half \ud83d"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("an unpaired surrogate");
        for (String kind : List.of("", "a b", "\u00e4", "k".repeat(101))) {
            assertThatThrownBy(() -> IdempotencyKey.scopeOf(kind, "42"))
                    .isInstanceOf(InvalidKeyException.class)
                    .hasMessageContaining("kind");
        }
    }

    @Test
    void lengthIsBoundedAndTheMessageDoesNotRepeatTheKey() {
        String longest = "k".repeat(IdempotencyKey.MAX_LENGTH);
        assertThat(IdempotencyKey.inScope(longest)
                        .operation(longest)
                        .value(longest)
                        .value())
                .isEqualTo(longest);
        assertThatThrownBy(() -> Attempt.inScope("user:42").key(longest + "k"))
                .isInstanceOf(InvalidKeyException.class)
                .hasMessageContaining("255")
                .hasMessageContaining("256")
                .hasMessageNotContaining("kkk");
    }

    /** Pinned: downstream systems may have stored it. */
    @Test
    void hashIsTheSameInEveryVersion() {
        assertThat(IdempotencyKey.inScope("user:42")
                        .operation("create-group")
                        .value("key-1")
                        .hash())
                .isEqualTo("0873c5b57c8b8f4771c23f8d50e2077a39e04924d30d3f65f1aa36bf40483860");
    }

    @Test
    void partsCannotFlowIntoEachOther() {
        assertThat(IdempotencyKey.inScope("ab").operation("c").value("d").hash())
                .isNotEqualTo(
                        IdempotencyKey.inScope("a").operation("bc").value("d").hash())
                .isNotEqualTo(
                        IdempotencyKey.inScope("ab").operation("cd").value("d").hash());
    }

    @Test
    void textShowsNeitherScopeNorValue() {
        IdempotencyKey key =
                IdempotencyKey.inScope("user:42").operation("create-group").value("secret-key");
        assertThat(key.toString())
                .startsWith("create-group#")
                .doesNotContain("42")
                .doesNotContain("secret");
        assertThat(Attempt.inScope("user:42")
                        .key("secret-key")
                        .request("secret")
                        .toString())
                .doesNotContain("42:")
                .doesNotContain("secret");
    }
}
