package io.counterpoint.idempotency.spring.boot;

import static io.counterpoint.idempotency.spring.boot.Contexts.onH2;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import java.time.DayOfWeek;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Keys and scopes are made from values that are there and have the same text in every try, or the call is refused. */
class ExpressionsTest {

    /** Has no text of its own. */
    static class Plain {}

    static class Calls {
        private int runs;

        @Idempotent(operation = "plus", key = "'k-' + #user + ':' + #id", scope = "'s'", request = "#id")
        public int plus(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "left", key = "#user + ':' + #id", scope = "'s'", request = "#id")
        public int left(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "alone", key = "#user", scope = "'s'", request = "#id")
        public int alone(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "scoped", key = "#id", scope = "'user:' + #user", request = "#id")
        public int scoped(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "branches", key = "#id == 'x' ? 'x' : 'b-' + #user", scope = "'s'", request = "#id")
        public int branches(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "valueOf", key = "T(String).valueOf(#user) + #id", scope = "'s'", request = "#id")
        public int valueOf(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "format", key = "T(String).format('%s-%s', #user, #id)", scope = "'s'", request = "#id")
        public int format(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "formatted", key = "'%s-%s'.formatted(#user, #id)", scope = "'s'", request = "#id")
        public int formatted(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "concat", key = "'k'.concat(#user).concat(#id)", scope = "'s'", request = "#id")
        public int concat(Object user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "toString", key = "#user.toString() + #id", scope = "'s'", request = "#id")
        public int asText(Object user, String id) {
            return ++runs;
        }

        @Idempotent(
                operation = "inside",
                key = "('k-' + #user).trim() + #id.concat(':' + #user)",
                scope = "'s'",
                request = "#id")
        public int inside(Object user, String id) {
            return ++runs;
        }

        @Idempotent(
                operation = "calls",
                key = "(#user ?: 'nobody').concat('-' + (#id == 'a' + 'b' ? 'x' : #id))",
                scope = "#id == null ? 's' : 't'",
                request = "#id")
        public int calls(String user, String id) {
            return ++runs;
        }

        @Idempotent(operation = "path", key = "#user.name.length() + #id", scope = "'s'", request = "#id")
        public int path(Thread user, String id) {
            return ++runs;
        }

        @Idempotent(
                operation = "sum",
                key = "(#one + #other) + '-' + {'a', 'b'}[#one + 0]",
                scope = "'s'",
                request = {})
        public int sum(int one, int other) {
            return ++runs;
        }

        @Idempotent(operation = "elvis", key = "(#user ?: 'nobody') + ':' + #id", scope = "'s'", request = "#id")
        public int elvis(Object user, String id) {
            return ++runs;
        }
    }

    /** A call, and what it is called. */
    record Call(String name, BiFunction<Calls, Object, Integer> of) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Call> calls() {
        return Stream.of(
                new Call("plus", (calls, user) -> calls.plus(user, "1")),
                new Call("left", (calls, user) -> calls.left(user, "1")),
                new Call("alone", (calls, user) -> calls.alone(user, "1")),
                new Call("scoped", (calls, user) -> calls.scoped(user, "1")),
                new Call("branches", (calls, user) -> calls.branches(user, "1")),
                new Call("inside", (calls, user) -> calls.inside(user, "1")),
                new Call("valueOf", (calls, user) -> calls.valueOf(user, "1")),
                new Call("format", (calls, user) -> calls.format(user, "1")),
                new Call("formatted", (calls, user) -> calls.formatted(user, "1")),
                new Call("toString", (calls, user) -> calls.asText(user, "1")));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void valueThatIsMissingOrHasNoTextOfItsOwnIsRefusedBeforeAnyClaim(Call call) {
        List<Function<Integer, Object>> values = List.of(
                time -> null,
                time -> new Plain(),
                time -> Optional.of("ann"),
                time -> Optional.empty(),
                time -> new String[] {"ann"},
                time -> List.of("ann"));
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (Function<Integer, Object> value : values) {
                // Several times, since an expression is compiled after its first uses.
                for (int time = 1; time <= 5; time++) {
                    Object user = value.apply(time);
                    assertThatThrownBy(() -> call.of().apply(calls, user))
                            .as("%s", user)
                            .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class)
                            .hasMessageContaining(call.name())
                            .hasMessageContaining("#user");
                }
            }
            assertThat(calls.runs).isZero();
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT count(*) FROM idempotency_record", Integer.class))
                    .isZero();
        });
    }

    @ParameterizedTest
    @MethodSource("calls")
    void valuesWithATextOfTheirOwnMakeOneKeyEach(Call call) {
        List<Object> values = List.of("ann", 42, 42_000_000_000L, UUID.randomUUID(), DayOfWeek.MONDAY, (short) 7);
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (Object value : values) {
                int first = call.of().apply(calls, value);
                for (int time = 1; time <= 5; time++) {
                    assertThat(call.of().apply(calls, value)).isEqualTo(first);
                }
            }
        });
    }

    @Test
    void missingArgumentOfATextIsRefused() {
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (int time = 1; time <= 5; time++) {
                assertThatThrownBy(() -> calls.concat(null, "1"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("concat");
                assertThat(calls.concat("ann", "1")).isEqualTo(1);
            }
        });
    }

    @Test
    void pathThroughAMissingValueIsRefused() {
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (int time = 1; time <= 5; time++) {
                assertThatThrownBy(() -> calls.path(null, "1"))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("#user.name.length()");
                assertThat(calls.path(new Thread("ann"), "1")).isEqualTo(1);
            }
        });
    }

    @Test
    void numbersAreAddedAndIndexesAreNoText() {
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (int time = 1; time <= 5; time++) {
                assertThat(calls.sum(1, 2)).isEqualTo(1);
            }
            assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                            .queryForObject("SELECT key_value FROM idempotency_record", String.class))
                    .isEqualTo("3-b");
        });
    }

    @Test
    void blankNameIsNoScope() {
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (String name : List.of("", " ")) {
                assertThatThrownBy(() -> calls.scoped(name, "1")).isInstanceOf(UnknownCallerException.class);
            }
            assertThat(calls.plus("", "1")).isEqualTo(1);
        });
    }

    @Test
    void fractionIsNoTextOfAKey() {
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            assertThatThrownBy(() -> calls.plus(1.5, "1")).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> calls.alone(1.5, "1")).isInstanceOf(IllegalArgumentException.class);
        });
    }

    @Test
    void valueThatStandsForAMissingOneMakesAKey() {
        onH2().withBean(Calls.class).run(context -> {
            Calls calls = context.getBean(Calls.class);
            for (int time = 1; time <= 5; time++) {
                assertThat(calls.elvis(null, "1")).isEqualTo(1);
                assertThat(calls.elvis("ann", "1")).isEqualTo(2);
                assertThat(calls.elvis(Optional.of("ann"), "1")).isEqualTo(2);
                assertThat(calls.branches(null, "x")).isEqualTo(3);
                assertThat(calls.calls(null, "ab")).isEqualTo(4);
                assertThat(calls.calls("nobody", "y")).isEqualTo(5);
                assertThatThrownBy(() -> calls.calls("ann", null)).hasMessageContaining("calls");
            }
        });
    }
}
