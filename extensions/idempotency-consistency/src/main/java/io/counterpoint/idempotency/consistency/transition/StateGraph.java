package io.counterpoint.idempotency.consistency.transition;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The declared states of a row and the arrows between them, validated when it is built. Immutable.
 *
 * <pre>{@code
 * StateGraph<AppStatus> publication = StateGraph.builder("app-publication", AppStatus.class)
 *         .initial(DRAFT)
 *         .owned(PUBLISHING)
 *         .allow(DRAFT, PUBLISHING)
 *         .allow(PUBLISHING, PUBLISHED, DRAFT)
 *         .build();
 * }</pre>
 *
 * @param <S> the states
 */
public final class StateGraph<S extends Enum<S>> {

    private final String name;
    private final S initial;
    private final Set<S> owned;
    private final Map<S, Set<S>> arrows;
    private final Map<S, String> stored;
    private final Map<String, S> byStored;

    private StateGraph(Builder<S> builder, S initial, Map<String, S> byStored) {
        this.name = builder.name;
        this.initial = initial;
        this.owned = EnumSet.copyOf(builder.owned);
        this.arrows = new EnumMap<>(builder.arrows);
        this.byStored = byStored;
        this.stored = new EnumMap<>(builder.type);
        byStored.forEach((text, state) -> stored.put(state, text));
    }

    /**
     * Starts building a graph.
     *
     * @param <S> the states
     * @param name the name of the graph in the history: 1 to 100 characters
     * @param type the states, each of which must be reachable
     * @return a builder
     */
    public static <S extends Enum<S>> Builder<S> builder(String name, Class<S> type) {
        return new Builder<>(name, type);
    }

    /**
     * Returns the graph's name.
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * Returns whether a transition is declared.
     *
     * @param from where it begins
     * @param to where it ends
     * @return true if it was declared
     */
    public boolean allows(S from, S to) {
        return arrows.getOrDefault(from, Set.of()).contains(to);
    }

    /**
     * Returns the intermediate states. A row in one of them has an owner.
     *
     * @return the states
     */
    public Set<S> owned() {
        return Set.copyOf(owned);
    }

    /**
     * Returns the text that represents a state in the status column.
     *
     * @param state the state
     * @return the text
     */
    public String text(S state) {
        return stored.getOrDefault(state, state.name());
    }

    /**
     * Returns the state that a text represents.
     *
     * @param text the content of the status column
     * @return the state; empty if the text represents none
     */
    public Optional<S> state(String text) {
        return Optional.ofNullable(byStored.get(text));
    }

    /**
     * Returns the graph as a Mermaid state diagram, in which states with an owner are marked.
     *
     * @return the diagram
     */
    public String toMermaid() {
        StringBuilder diagram = new StringBuilder("stateDiagram-v2\n    [*] --> ")
                .append(text(initial))
                .append('\n');
        for (S state : stored.keySet()) {
            if (owned.contains(state)) {
                diagram.append("    %1$s: %1$s (owned)\n".formatted(text(state)));
            }
            Set<S> next = arrows.getOrDefault(state, Set.of());
            next.forEach(to -> diagram.append("    %s --> %s\n".formatted(text(state), text(to))));
            if (next.isEmpty()) {
                diagram.append("    %s --> [*]\n".formatted(text(state)));
            }
        }
        return diagram.toString();
    }

    @Override
    public String toString() {
        return "StateGraph[" + name + ", " + stored.values() + "]";
    }

    /**
     * Declares a graph.
     *
     * @param <S> the states
     */
    public static final class Builder<S extends Enum<S>> {
        private final String name;
        private final Class<S> type;
        private final Map<S, Set<S>> arrows;
        private final Set<S> owned;
        private Function<? super S, String> storedAs = Enum::name;
        private @Nullable S initial;

        private Builder(String name, Class<S> type) {
            if (name.isEmpty() || name.length() > 100) {
                throw new IllegalArgumentException(
                        "The name of a graph must be 1 to 100 characters, found " + name.length() + ".");
            }
            this.name = name;
            this.type = type;
            this.arrows = new EnumMap<>(type);
            this.owned = EnumSet.noneOf(type);
        }

        /**
         * Sets the initial state of rows.
         *
         * @param state the state, which must not be an owned one
         * @return this
         */
        public Builder<S> initial(S state) {
            if (initial != null) {
                throw refused("it already begins in " + initial + ", so it cannot also begin in " + state);
            }
            initial = state;
            return this;
        }

        /**
         * Declares an intermediate state. The caller that moves a row into it owns the row until it moves on. A row
         * whose owner is gone is found by its age.
         *
         * @param state the state, which needs an outgoing arrow
         * @return this
         */
        public Builder<S> owned(S state) {
            owned.add(state);
            return this;
        }

        /**
         * Declares arrows.
         *
         * @param from the source state
         * @param to a target state
         * @param others additional target states
         * @return this
         * @throws IllegalArgumentException if one already exists or would lead back to its source
         */
        @SafeVarargs
        public final Builder<S> allow(S from, S to, S... others) {
            arrow(from, to);
            for (S other : others) {
                arrow(from, other);
            }
            return this;
        }

        /**
         * Sets the texts stored in the status column. Default: the names of the constants.
         *
         * @param text returns the text of a state, 1 to 100 characters, different for each
         * @return this
         */
        public Builder<S> storedAs(Function<? super S, String> text) {
            storedAs = text;
            return this;
        }

        /**
         * Validates and builds the graph.
         *
         * @return the graph
         * @throws IllegalArgumentException if there is no initial state, a state is unreachable, an owned state is
         *     initial or has no outgoing arrow, or two states have the same text
         */
        public StateGraph<S> build() {
            S start = initial;
            if (start == null) {
                throw refused("it has no initial state");
            }
            Set<S> unreachable = EnumSet.complementOf(reachable(start));
            if (!unreachable.isEmpty()) {
                throw refused("no arrows lead from " + start + " to " + unreachable);
            }
            if (owned.contains(start)) {
                throw refused("its initial state " + start + " is owned, but no transition into it sets an owner");
            }
            owned.forEach(state -> {
                if (arrows.getOrDefault(state, Set.of()).isEmpty()) {
                    throw refused("the owned state " + state + " has no outgoing arrow");
                }
            });
            return new StateGraph<>(this, start, texts());
        }

        private void arrow(S from, S to) {
            if (to == from) {
                throw refused("an arrow from " + from + " to itself has no effect");
            }
            if (!arrows.computeIfAbsent(from, state -> EnumSet.noneOf(type)).add(to)) {
                throw refused("the arrow from " + from + " to " + to + " is declared twice");
            }
        }

        private EnumSet<S> reachable(S start) {
            EnumSet<S> reached = EnumSet.of(start);
            Deque<S> open = new ArrayDeque<>(reached);
            for (S at = open.poll(); at != null; at = open.poll()) {
                for (S next : arrows.getOrDefault(at, Set.of())) {
                    if (reached.add(next)) {
                        open.add(next);
                    }
                }
            }
            return reached;
        }

        private Map<String, S> texts() {
            Map<String, S> texts = new HashMap<>();
            for (S state : EnumSet.allOf(type)) {
                String text = storedAs.apply(state);
                S other = texts.put(text, state);
                if (other != null) {
                    throw refused(other + " and " + state + " are both stored as '" + text + "'");
                }
            }
            return texts;
        }

        private IllegalArgumentException refused(String why) {
            return new IllegalArgumentException("The graph '" + name + "' is not valid: " + why + ". Declared: "
                    + arrows.entrySet().stream()
                            .map(arrow -> arrow.getKey() + " -> " + arrow.getValue())
                            .collect(Collectors.joining(", ", "", ".")));
        }
    }
}
