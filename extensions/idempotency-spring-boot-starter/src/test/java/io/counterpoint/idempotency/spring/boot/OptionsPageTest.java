package io.counterpoint.idempotency.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Batch;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.internal.Durations;
import io.counterpoint.idempotency.jdbc.JdbcStoreBuilder;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.servlet.FilterManaged;
import io.counterpoint.idempotency.servlet.IdempotencyFilter;
import io.counterpoint.idempotency.servlet.RoutePolicy;
import java.io.InputStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.unit.DataSize;

/** The tables of docs/options.md have every option of builders, annotation and properties, with the defaults of the code. */
class OptionsPageTest {

    private static final Path PAGE = Path.of("../../docs/options.md");

    /** Their methods that return the same type are options. */
    private static final List<Class<?>> BUILDERS = List.of(
            Operation.Builder.class,
            PlannedOperation.Builder.class,
            ExternalOperation.Builder.class,
            PlannedExternalOperation.Builder.class,
            Batch.class,
            JdbcStoreBuilder.class,
            Idempotency.Builder.class,
            IdempotencyFilter.Builder.class,
            RoutePolicy.class,
            FilterManaged.Builder.class);

    /** What the tables name besides. */
    private static final Set<String> ELSEWHERE = Set.of(
            "operation", "inScope", "request", "of", "checkTable", "createTableIfMissing", "purgeExpired", "anonymous");

    private final Idempotency<?> idempotency = Idempotency.on(new InMemoryIdempotencyStore());

    /** A row: its cells by the names of the columns. */
    private record Row(Map<String, String> cells) {
        String cell(String column) {
            return cells.getOrDefault(column, "");
        }

        /** What a builder's cell names. */
        Stream<String> methods() {
            return code(cell("builder") + cell("in code") + cell("`Batch`"))
                    .map(code -> code.replaceAll("(.*?)\\(.*", "$1"))
                    .map(code -> code.substring(code.lastIndexOf('.') + 1));
        }

        String defaultCode() {
            return code(cell("default")).findFirst().orElseThrow();
        }
    }

    @Test
    void everyPropertyIsInOneRowWithItsDefault() throws Exception {
        List<Map<?, ?>> properties = properties();
        List<Row> rows = rows("## Operations", "## The client");

        assertThat(properties).hasSizeGreaterThan(20).allSatisfy(property -> {
            String name = "`" + property.get("name") + "`";
            List<Row> those = rows.stream()
                    .filter(row -> row.cell("property").equals(name))
                    .toList();
            assertThat(those).as(name).hasSize(1);
            Object byDefault = property.get("defaultValue");
            assertThat(those.get(0).cell("default"))
                    .as(name)
                    .satisfies(cell ->
                            assertThat(cell.contains("`" + byDefault + "`")).isEqualTo(byDefault != null));
        });
        assertThat(rows.stream().map(row -> row.cell("property")).filter(cell -> !cell.isBlank()))
                .hasSize(properties.size());
    }

    @Test
    void everyAttributeOfTheAnnotationIsInOneRow() throws Exception {
        assertThat(rows("## Operations", "## Batches").stream()
                        .flatMap(row -> code(row.cell("`@Idempotent`")))
                        .toList())
                .containsExactlyInAnyOrderElementsOf(Arrays.stream(Idempotent.class.getDeclaredMethods())
                        .map(Method::getName)
                        .toList());
    }

    @Test
    void everyMethodOfABuilderIsInATableAndNoOther() throws Exception {
        Set<String> methods = BUILDERS.stream()
                .flatMap(type -> Arrays.stream(type.getMethods())
                        .filter(method -> method.getReturnType() != Object.class)
                        .filter(method -> method.getReturnType().isAssignableFrom(type)))
                .map(Method::getName)
                .collect(Collectors.toSet());
        // How a batch is begun.
        methods.removeAll(Set.of("inOneTransaction", "inOwnTransactions"));
        Set<String> named = rows("## Operations", "## The client").stream()
                .flatMap(Row::methods)
                .collect(Collectors.toSet());

        assertThat(named).containsAll(methods);
        named.removeAll(methods);
        assertThat(named).isEqualTo(ELSEWHERE);
    }

    @Test
    void defaultsAreThoseOfTheBuilders() throws Exception {
        assertThat(idempotency.operation("pay").build().toString())
                .contains(
                        "protocol " + row("protocol").defaultCode(),
                        "abandoned " + row("whenAbandoned").defaultCode() + " after "
                                + Durations.text(DurationStyle.detectAndParse(
                                        rowOf("abandonedAfter").defaultCode())),
                        "waits at most 0 s",
                        "retention " + Durations.text(duration("retention")),
                        "settles within " + Durations.text(duration("settleWithin")),
                        "retries " + row("maxRetries").defaultCode() + ",",
                        "results up to " + bytes(row("maxResultBytes").defaultCode()) + " bytes");
        assertThat(idempotency
                        .operation("pay")
                        .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                        .build()
                        .toString())
                .contains("waits at most "
                        + Durations.text(DurationStyle.detectAndParse(
                                code(row("waitAtMost").cell("default"))
                                        .reduce((first, last) -> last)
                                        .orElseThrow())));
        assertThat(field(batch(), "limits").toString())
                .contains(
                        "attempts=" + row("maxAttempts").defaultCode(),
                        "resultBytes=" + bytes(row("maxTransactionBytes").defaultCode()),
                        "time=" + duration("within"));
        assertThat(field(RoutePolicy.optional(), "maxBody"))
                .isEqualTo(bytes(row("maxRequestBody").defaultCode()));
        assertThat(field(RoutePolicy.optional(), "inMemory").toString())
                .isEqualTo("" + bytes(row("bodyInMemory").defaultCode()));
        assertThat(field(RoutePolicy.optional(), "limits").toString())
                .startsWith("FormLimits[fields=1000, formBytes=200000, parts=50, partHeader=512,");
        assertThat(field(responses(), "maxBody").toString())
                .isEqualTo("" + bytes(row("maxStoredBody").defaultCode()));
    }

    @Test
    void boundsAreThoseOfTheBuilders() throws Exception {
        for (String option :
                List.of("retention", "waitAtMost", "maxWaiting", "settleWithin", "maxRetries", "maxResultBytes")) {
            requireBounds(row(option), idempotency.operation("pay"), option);
        }
        for (String option : List.of("maxAttempts", "maxTransactionBytes", "within")) {
            requireBounds(row(option), batch(), option);
        }
        requireBounds(row("maxStoredBody"), responses(), "maxStoredBody");
    }

    private static void requireBounds(Row row, Object builder, String option) throws Exception {
        Method setter = Arrays.stream(builder.getClass().getMethods())
                .filter(method -> method.getName().equals(option) && method.getParameterCount() == 1)
                .filter(method -> !method.isBridge())
                .findFirst()
                .orElseThrow();
        setter.setAccessible(true);
        List<String> bounds = code(row.cell("bounds")).toList();
        if (setter.getParameterTypes()[0] == Duration.class) {
            Duration longest = DurationStyle.detectAndParse(bounds.get(0));
            requireAccepted(setter, builder, longest);
            requireRefused(setter, builder, longest.plusNanos(1));
            requireRefused(setter, builder, Duration.ZERO);
        } else {
            long least = bytes(bounds.get(0));
            long most = bytes(bounds.get(1));
            requireAccepted(setter, builder, number(setter, least));
            requireAccepted(setter, builder, number(setter, most));
            requireRefused(setter, builder, number(setter, least - 1));
            requireRefused(setter, builder, number(setter, most + 1));
        }
    }

    private static Object number(Method setter, long number) {
        return setter.getParameterTypes()[0] == int.class ? (Object) Math.toIntExact(number) : (Object) number;
    }

    private static void requireAccepted(Method setter, Object builder, Object value) {
        assertThatCode(() -> setter.invoke(builder, value))
                .as(setter.getName() + " " + value)
                .doesNotThrowAnyException();
    }

    private static void requireRefused(Method setter, Object builder, Object value) {
        assertThatThrownBy(() -> setter.invoke(builder, value))
                .as(setter.getName() + " " + value)
                .isInstanceOf(InvocationTargetException.class)
                .hasCauseInstanceOf(IllegalArgumentException.class);
    }

    private Object batch() {
        return Batch.inOneTransaction(idempotency.operation("pay").build());
    }

    private FilterManaged.Builder responses() {
        return FilterManaged.storedIn(idempotency, "pay", unresolved -> Optional.empty());
    }

    private static Object field(Object of, String name) throws Exception {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private static Duration duration(String option) throws Exception {
        return DurationStyle.detectAndParse(row(option).defaultCode());
    }

    private static long bytes(String size) {
        return DataSize.parse(size).toBytes();
    }

    /** The first row that names a method. */
    private static Row row(String method) throws Exception {
        return rows("## Operations", "## The client").stream()
                .filter(row -> row.methods().anyMatch(method::equals))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no row of " + method));
    }

    private static Row rowOf(String attribute) throws Exception {
        return rows("## Operations", "## Batches").stream()
                .filter(row -> row.cell("`@Idempotent`").equals("`" + attribute + "`"))
                .findFirst()
                .orElseThrow();
    }

    private static Stream<String> code(String cell) {
        return Pattern.compile("`([^`]+)`").matcher(cell).results().map((MatchResult code) -> code.group(1));
    }

    private static List<Row> rows(String from, String to) throws Exception {
        String page = Files.readString(PAGE);
        List<Row> rows = new ArrayList<>();
        List<String> columns = List.of();
        for (String line :
                page.substring(page.indexOf(from), page.indexOf(to)).lines().toList()) {
            List<String> cells =
                    Arrays.stream(line.split("\\|", -1)).map(String::strip).toList();
            if (!line.startsWith("|")) {
                columns = List.of();
            } else if (columns.isEmpty()) {
                columns = cells;
            } else if (!line.startsWith("|---")) {
                Map<String, String> row = new HashMap<>();
                for (int i = 1; i < cells.size() - 1; i++) {
                    row.put(columns.get(i), cells.get(i));
                }
                rows.add(new Row(row));
            }
        }
        assertThat(rows).isNotEmpty();
        return rows;
    }

    /** What the compiler has written of the properties for editors. */
    private static List<Map<?, ?>> properties() throws Exception {
        List<Map<?, ?>> all = new ArrayList<>();
        for (URL file : Collections.list(
                OptionsPageTest.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            for (Object property : (List<?>) read(file).getOrDefault("properties", List.of())) {
                if (property instanceof Map<?, ?> one
                        && String.valueOf(one.get("name")).startsWith("idempotency.")) {
                    all.add(one);
                }
            }
        }
        return all;
    }

    private static Map<String, Object> read(URL file) throws Exception {
        try (InputStream in = file.openStream()) {
            return JsonParserFactory.getJsonParser().parseMap(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
