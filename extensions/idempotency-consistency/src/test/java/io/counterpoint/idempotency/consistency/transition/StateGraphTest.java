package io.counterpoint.idempotency.consistency.transition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Locale;
import org.junit.jupiter.api.Test;

class StateGraphTest {

    private enum Light {
        RED,
        AMBER,
        GREEN
    }

    @Test
    void graphThatHoldsTogetherIsBuilt() {
        StateGraph<Light> graph = light().allow(Light.RED, Light.AMBER, Light.GREEN)
                .allow(Light.AMBER, Light.RED)
                .storedAs(state -> state.name().toLowerCase(Locale.ROOT))
                .build();
        assertThat(graph.allows(Light.RED, Light.AMBER)).isTrue();
        assertThat(graph.allows(Light.GREEN, Light.RED)).isFalse();
        assertThat(graph.text(Light.AMBER)).isEqualTo("amber");
        assertThat(graph.state("amber")).contains(Light.AMBER);
        assertThat(graph.state("AMBER")).isEmpty();
        assertThat(graph.owned()).containsExactly(Light.AMBER);
    }

    @Test
    void graphIsPrintedAsADiagram() {
        assertThat(light().allow(Light.RED, Light.AMBER)
                        .allow(Light.AMBER, Light.GREEN, Light.RED)
                        .build()
                        .toMermaid())
                .isEqualTo("""
                        stateDiagram-v2
                            [*] --> RED
                            RED --> AMBER
                            AMBER: AMBER (owned)
                            AMBER --> RED
                            AMBER --> GREEN
                            GREEN --> [*]
                        """);
    }

    @Test
    void unreachableStateIsRefused() {
        refused(light().allow(Light.RED, Light.AMBER).allow(Light.AMBER, Light.RED), "lead from RED to [GREEN]");
    }

    @Test
    void ownedStateWithoutAWayOutIsRefused() {
        refused(light().allow(Light.RED, Light.AMBER, Light.GREEN), "AMBER has no outgoing arrow");
    }

    @Test
    void initialStateWithAnOwnerIsRefused() {
        refused(
                StateGraph.builder("light", Light.class)
                        .initial(Light.RED)
                        .owned(Light.RED)
                        .allow(Light.RED, Light.AMBER, Light.GREEN),
                "initial state RED is owned");
    }

    @Test
    void graphWithoutABeginningIsRefused() {
        refused(
                StateGraph.builder("light", Light.class).allow(Light.RED, Light.AMBER, Light.GREEN),
                "no initial state");
    }

    @Test
    void twoStatesWithOneTextAreRefused() {
        refused(
                StateGraph.builder("light", Light.class)
                        .initial(Light.RED)
                        .allow(Light.RED, Light.AMBER, Light.GREEN)
                        .storedAs(state -> "same"),
                "both stored as 'same'");
    }

    @Test
    void arrowsThatMoveNothingOrAreDeclaredTwiceAreRefused() {
        assertThatThrownBy(() -> light().allow(Light.RED, Light.RED)).hasMessageContaining("has no effect");
        assertThatThrownBy(() -> light().allow(Light.RED, Light.AMBER, Light.AMBER))
                .hasMessageContaining("declared twice");
        assertThatThrownBy(() -> light().initial(Light.GREEN)).hasMessageContaining("already begins in RED");
    }

    private static StateGraph.Builder<Light> light() {
        return StateGraph.builder("light", Light.class).initial(Light.RED).owned(Light.AMBER);
    }

    private static void refused(StateGraph.Builder<Light> builder, String why) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'light'")
                .hasMessageContaining(why);
    }
}
