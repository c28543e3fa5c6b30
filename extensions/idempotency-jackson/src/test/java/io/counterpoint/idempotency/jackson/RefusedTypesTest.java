package io.counterpoint.idempotency.jackson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonIgnoreType;
import com.fasterxml.jackson.annotation.JsonIncludeProperties;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.module.SimpleModule;
import com.fasterxml.jackson.databind.node.NullNode;
import io.counterpoint.idempotency.jackson.Samples.Account;
import io.counterpoint.idempotency.jackson.Samples.Code;
import io.counterpoint.idempotency.jackson.Samples.Pair;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A type that Jackson would have to guess is refused when the codec is made. */
class RefusedTypesTest {

    interface Shape {}

    record Square(int side) implements Shape {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    interface Unlisted {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    record ByClass(int side) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, defaultImpl = WithDefault.A.class)
    @JsonSubTypes(@JsonSubTypes.Type(WithDefault.A.class))
    interface WithDefault {
        record A() implements WithDefault {}
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME)
    @JsonSubTypes(@JsonSubTypes.Type(BadChild.A.class))
    interface BadChild {
        record A(Object anything) implements BadChild {}
    }

    @JsonIgnoreProperties(ignoreUnknown = true)
    record Lenient(int side) {}

    static final class Any {
        @JsonCreator
        Any() {}

        @JsonAnySetter
        public void set(String name, String value) {
            assertThat(name).isNotEqualTo(value);
        }
    }

    static final class Bean {
        private String name = "";

        public String getName() {
            return name;
        }

        public void setName(String name) {
            this.name = name;
        }
    }

    static final class HalfRead {
        private final int side;

        @JsonCreator
        HalfRead(@JsonProperty("side") int side) {
            this.side = side;
        }

        public int getSide() {
            return side;
        }

        public int getArea() {
            return side * side;
        }
    }

    @SuppressWarnings("rawtypes") // the type that is refused
    record Raw(List list) {}

    record Deep(Map<String, List<Optional<Pair<Integer, Object>>>> map) {}

    record Wild(List<?> list) {}

    record Keyed(Map<Account, String> map) {}

    record KeyedByDoubles(Map<Double, String> map) {}

    record KeyedByFloats(Map<Float, String> map) {}

    record Forgetful(@JsonIgnore String secret, JsonNode note) {}

    @JsonIgnoreProperties("secret")
    record ForgetfulByName(String secret, JsonNode note) {}

    @JsonIncludeProperties("note")
    record ForgetfulByTheOthers(String secret, JsonNode note) {}

    record ForgetfulByType(Cache cache, JsonNode note) {}

    @JsonIgnoreType
    record Cache(int size) {}

    record Secret(String secret, int open) {}

    record ForgetfulUse(@JsonIgnoreProperties("secret") Secret part, JsonNode note) {}

    static final class Hiding {
        private final JsonNode note;
        private final String hidden;

        @JsonCreator
        Hiding(@JsonProperty("note") JsonNode note) {
            this(note, "");
        }

        Hiding(JsonNode note, String hidden) {
            this.note = note;
            this.hidden = hidden;
        }

        public JsonNode getNote() {
            return note;
        }
    }

    /** Its heirs may have the equality that it has. */
    static class Heritable {
        private final int size;

        @JsonCreator
        Heritable(@JsonProperty("size") int size) {
            this.size = size;
        }

        public int getSize() {
            return size;
        }
    }

    record Heir(Heritable heritage) {}

    /** Equal to a list without its field. */
    static final class Page extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("unused") // is what would be lost
        private int total;
    }

    static List<Type> refused() {
        return List.of(
                Object.class,
                List.class,
                Map.class,
                Collection.class,
                Optional.class,
                Number.class,
                Comparable.class,
                Enum.class,
                Class.class,
                Date.class,
                Locale.class,
                Thread.class,
                Stream.class,
                void.class,
                Object[].class,
                Shape.class,
                Unlisted.class,
                ByClass.class,
                WithDefault.class,
                BadChild.class,
                Lenient.class,
                Any.class,
                Bean.class,
                HalfRead.class,
                Raw.class,
                Deep.class,
                Wild.class,
                Keyed.class,
                KeyedByDoubles.class,
                KeyedByFloats.class,
                Forgetful.class,
                Heritable.class,
                Heir.class,
                Page.class,
                Pair.class,
                new TypeReference<List<Shape>>() {}.getType(),
                new TypeReference<CompletableFuture<String>>() {}.getType(),
                new TypeReference<AtomicReference<String>>() {}.getType());
    }

    @ParameterizedTest
    @MethodSource("refused")
    void theTypeIsRefusedAtOnce(Type type) {
        assertThatThrownBy(() -> JsonCodecs.strict().of(type))
                .isInstanceOf(RefusedTypeException.class)
                .hasMessageStartingWith("No strict JSON codec for ");
    }

    /** The limit that the page states. */
    @Test
    void fieldOfAClassBesideANodeThatIsNotInTheJsonIsLost() {
        var codec = JsonCodecs.strict().of(Hiding.class);
        var again = codec.decode(codec.encode(new Hiding(NullNode.getInstance(), "s")));
        assertThat(again.hidden).isEmpty();
    }

    static List<Record> forgetful() {
        JsonNode note = NullNode.getInstance();
        return List.of(
                new ForgetfulByName("s", note),
                new ForgetfulByTheOthers("s", note),
                new ForgetfulByType(new Cache(1), note),
                new ForgetfulUse(new Secret("s", 1), note));
    }

    /** Nodes of equal numbers need not be equal, so results with nodes are not compared by equals. */
    @ParameterizedTest
    @MethodSource("forgetful")
    void componentThatIsIgnoredBesideANodeIsNotLost(Record result) {
        var codec = JsonCodecs.strict().of((Type) result.getClass());
        assertThatThrownBy(() -> codec.encode(result)).isInstanceOf(JsonResultException.class);
    }

    @Test
    void theMessageNamesTheComponentAndTheRemedy() {
        assertThatThrownBy(() -> JsonCodecs.strict().of(Deep.class))
                .hasMessage("No strict JSON codec for Deep.map{}[].second of type java.lang.Object: it can hold"
                        + " anything. Declare its type and all type parameters.");
        assertThatThrownBy(() -> JsonCodecs.strict().of(Shape.class)).hasMessageContaining("@JsonTypeInfo(use = NAME)");
        assertThatThrownBy(() -> JsonCodecs.strict().of(HalfRead.class))
                .hasMessageContaining("[area, side], but its constructor takes [side]");
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // stands for any type that only a module knows
    void aTypeThatAModuleHandlesIsTaken() {
        var dates = new SimpleModule();
        var codec = JsonCodecs.strict().with(dates, Date.class).of(Date.class);
        assertThat(codec.decode(codec.encode(new Date(1_234)))).isEqualTo(new Date(1_234));
    }

    @Test
    void aValueClassIsTaken() {
        var codec = JsonCodecs.strict().of(Code.class);
        assertThat(codec.decode(codec.encode(new Code("x")))).isEqualTo(new Code("x"));
    }
}
