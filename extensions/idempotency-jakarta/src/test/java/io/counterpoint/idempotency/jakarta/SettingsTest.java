package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The settings of all operations, by the names that they have with Spring. */
class SettingsTest {

    private static final Map<String, String> SET = Map.of(
            "idempotency.retention", "3h",
            "idempotency.max-waiting", "5",
            "idempotency.wait-at-most", "2s",
            "idempotency.settle-within", "7s",
            "idempotency.max-retries", "4",
            "idempotency.max-result-size", "2KB");

    @AfterEach
    void clear() {
        SET.keySet().forEach(System::clearProperty);
    }

    private static String operation() {
        return Idempotency.builder(new InMemoryIdempotencyStore())
                .defaults(Settings::applyTo)
                .build()
                .operation("pay")
                .build()
                .toString();
    }

    @Test
    void eachSettingReachesEachOperation() {
        assertThat(Settings.defaults()).isEmpty();
        SET.forEach(System::setProperty);

        assertThat(operation())
                .contains(
                        "waits at most 2 s, 5 callers at once, retention 3 h, settles within 7 s, retries 4, results up to"
                                + " 2048 bytes");
        assertThat(Settings.defaults()).containsExactlyInAnyOrderElementsOf(SET.keySet());
    }

    @Test
    void settingThatIsRefusedIsNamed() {
        for (String name : SET.keySet()) {
            System.setProperty(name, "two");
            assertThatThrownBy(SettingsTest::operation)
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("The setting " + name + " is not valid, found [two]");
            System.clearProperty(name);
        }
    }
}
