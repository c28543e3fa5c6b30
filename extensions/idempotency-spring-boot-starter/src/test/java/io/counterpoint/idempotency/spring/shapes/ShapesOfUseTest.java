package io.counterpoint.idempotency.spring.shapes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/**
 * Applications that use Spring in many ways, each with the library and without it: the same requests lead to the same answers
 * and the same rows, or are refused with nothing written. docs/spring-boot.md shows all outcomes.
 */
@Tag("thorough")
@TestInstance(Lifecycle.PER_CLASS)
class ShapesOfUseTest {

    /** What is promised: an operation has a transaction, no effect if it throws, and its result if it has committed. */
    private static final Map<String, String> OTHERWISE = Map.of(
            "a checked exception that is not declared", Outcome.ROLLED_BACK,
            "a callback after the commit that throws", Outcome.TOLD,
            "an entity is changed without `@Transactional`", Outcome.WRITTEN);

    /** The outcome of each shape. */
    final Map<String, String> found = new LinkedHashMap<>();

    /** The other applications, and PostgreSQL, are those of {@link EveryShapeOfUseTest}. */
    @BeforeAll
    void tryAll() throws Exception {
        found.putAll(Outcome.all(Kind.BANK, false));
        found.putAll(RefusedAtStart.all());
    }

    @Test
    void everyShapeButThreeIsTheSameOrRefused() {
        assertThat(found)
                .allSatisfy((shape, outcome) -> assertThat(outcome)
                        .as(shape)
                        .matches(it -> Outcome.isKnown(it) || it.equals(OTHERWISE.get(shape))));
    }

    @Test
    void outcomesAreThoseOfThePage() throws Exception {
        assertThat(ShapesPage.outcomes()).containsAllEntriesOf(found);
    }
}
