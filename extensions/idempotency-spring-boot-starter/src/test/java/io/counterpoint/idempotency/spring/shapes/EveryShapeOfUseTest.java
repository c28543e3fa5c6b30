package io.counterpoint.idempotency.spring.shapes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** All shapes, on H2 and PostgreSQL. With {@code -Dshapes.write} the page gets what was found. */
@Tag("thorough")
class EveryShapeOfUseTest extends ShapesOfUseTest {

    private final List<String> holes = new ArrayList<>();
    /** Shapes that need a second connection, without the library too. */
    private final Set<String> needTwo = new TreeSet<>();

    @Override
    @BeforeAll
    @Timeout(600)
    void tryAll() throws Exception {
        for (Kind kind : Kind.values()) {
            add(kind, false);
            add(kind, true);
        }
        found.putAll(RefusedAtStart.all());
        if (System.getProperty("shapes.write") != null) {
            ShapesPage.write(found);
        }
    }

    /** Shapes have one outcome, whatever the database and the size of the pool. */
    private void add(Kind kind, boolean onPostgres) throws Exception {
        Outcome.all(kind, onPostgres).forEach((shape, outcome) -> {
            String before = found.putIfAbsent(shape, outcome);
            if (outcome.equals(Outcome.NO_CONNECTION)) {
                needTwo.add(shape);
            } else if (before != null && !before.equals(outcome)) {
                holes.add(kind + (onPostgres ? " on PostgreSQL, " : " on H2, ") + shape + ": " + outcome);
            }
        });
    }

    @Test
    void databaseAndPoolMakeNoDifference() {
        assertThat(holes).isEmpty();
    }

    @Test
    void onlyThreeShapesNeedASecondConnection() {
        assertThat(needTwo)
                .containsExactly(
                        "NOT_SUPPORTED inside", "REQUIRES_NEW inside", "an optimistic lock does not hold (`@Version`)");
    }

    @Test
    void pageHasNoOtherShapes() throws Exception {
        assertThat(ShapesPage.outcomes()).containsOnlyKeys(found.keySet());
    }
}
