package io.counterpoint.idempotency.consistency.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Generated repairs beside a writer. What has committed, replayed in its order, has to give each row of both tables. */
@Tag("thorough")
class GeneratedRepairsTest {

    private static final String CONDITIONS = "1=1,tenant=7,gone IS NULL,tenant=7 AND gone IS NULL,tenant<0 OR tenant=7";
    private static final String CREATE =
            "CREATE TABLE %s_row (tenant int DEFAULT 7, id %s, gen int DEFAULT 0, name varchar(9),"
                    + " amount int, gone int, version int DEFAULT 1, touched int DEFAULT 0, PRIMARY KEY (tenant, id, gen))";
    private static final String SELECT =
            "SELECT tenant, concat(id, ''), gen, name, amount, gone, version, touched FROM %s_row";
    private static final String WHERE = " WHERE tenant = %2$s AND id = '%3$s' AND gen = ";
    private static final String TWIN =
            "INSERT INTO %1$s_row SELECT tenant, id, 2, name, amount, gone, version, 0 FROM %1$s_row" + WHERE + 0;
    private static final String INSERT = "INSERT INTO %s_row VALUES (%s, '%s', %s, %s, %s, %s, 1, 0)";
    private static final String UPDATE =
            "UPDATE %1$s_row SET name = %5$s, amount = %6$s, gone = %7$s, version = version + 1" + WHERE + "%4$s";
    private static final String TOUCH = "UPDATE %1$s_row SET version = version + 1" + WHERE + "%4$s";
    private static final String DELETE = "DELETE FROM %1$s_row" + WHERE + "%4$s";
    /** What PostgreSQL and MariaDB do at an event. */
    private static final String TRIGGERS =
            "NEW.touched = 1:SET NEW.touched = 1:UPDATE,NEW = OLD:SET NEW.name = OLD.name:UPDATE,"
                    + "NEW.touched = 1:SET NEW.touched = 1:INSERT,RAISE 'no':SIGNAL SQLSTATE '45000':INSERT,RETURN NULL:DO 0:INSERT,"
                    + "RETURN NULL:DO 0:UPDATE,RAISE 'no':SIGNAL SQLSTATE '45000':DELETE,RETURN NULL:DO 0:DELETE";

    private static final List<String> COLUMNS = List.of("name", "amount", "gone");

    private Kind kind;
    private TestDatabase database;
    private Random random;
    private long seed;

    @ParameterizedTest
    @EnumSource
    void repairChangesWhatItReportsAndNothingElse(Kind each) {
        kind = each;
        long first = Long.getLong("repairs.seed", 1);
        String text = "varchar(9)" + (kind == Kind.MARIADB ? " COLLATE utf8mb4_bin" : "");
        try (TestDatabase created = TestDatabase.create(kind)) {
            database = created;
            for (seed = first; seed < first + Integer.getInteger("repairs.cases", 60); seed++) {
                random = new Random(seed);
                switch (random.nextInt(3)) {
                    case 0 -> new Case<>(KeyOrder.longs(), i -> i * 7L - 20).run("bigint");
                    case 1 -> new Case<>(KeyOrder.uuids(), i -> new UUID((long) i << 60, i)).run("uuid");
                    default -> new Case<>(KeyOrder.texts(), i -> "kK".charAt(i % 2) + "-" + i / 2).run(text);
                }
            }
        }
    }

    private void same(Object found, Object expected) {
        assertThat(found).as("seed %s", seed).isEqualTo(expected);
    }

    private String one(String list) {
        String[] each = list.split(",", -1);
        return each[random.nextInt(each.length)];
    }

    /** Rows are texts, by their side and primary key. */
    private final class Case<K> {
        private final KeyOrder<K> order;
        private final List<String> ids;
        private final Side truth = Side.values()[random.nextInt(2)];
        private final Side wrong = truth.other();
        private final Map<Side, String> conditions = Map.of(Side.OLD, one(CONDITIONS), Side.NEW, one(CONDITIONS));
        private final String form = random.nextBoolean() ? "" : wrong == Side.OLD ? "lower" : "upper";
        private final boolean versioned = random.nextBoolean();
        private final boolean deletes = random.nextBoolean();
        private final boolean live = random.nextBoolean();
        private final boolean meddled = kind != Kind.H2 && random.nextBoolean();
        private final boolean quiet = !live && !meddled;
        private final Random own = new Random(seed);
        private final List<Consumer<Map<String, List<String>>>> steps = new ArrayList<>();
        private final List<Change<K>> audited = new ArrayList<>();
        private Comparison<K> comparison;
        private List<Finding<K>> found;
        private volatile boolean writing;

        Case(KeyOrder<K> order, IntFunction<K> keys) {
            this.order = order;
            this.ids = IntStream.range(0, 12).mapToObj(keys).map(order::print).toList();
        }

        void run(String type) {
            create(type);
            comparison = comparison();
            Object[] twin = line(random, ids.get(random.nextInt(12)), 7, 2);
            writing = live;
            CompletableFuture<Void> writer = CompletableFuture.runAsync(() ->
                    Stream.generate(() -> writing).takeWhile(goesOn -> goesOn).forEach(goesOn -> write()));
            RepairPlan.Builder<K> plan = comparison.repair(truth).batch(1 + random.nextInt(6));
            RepairPlan<K> repair = (deletes ? plan.allowDeletes() : plan).build();
            RepairResult<K> result;
            try {
                found = comparison.run().findings(0, 99);
                if (quiet) {
                    database.jdbi().useTransaction(handle -> write(handle, wrong, twin, TWIN));
                }
                result = repair.apply();
            } finally {
                writing = false;
                writer.join();
            }
            Map<String, List<String>> rows = new TreeMap<>();
            List<Integer> committed = database.list("SELECT step FROM journal ORDER BY seq", Integer.class);
            committed.forEach(step -> steps.get(step).accept(rows));
            same(database.jdbi().withHandle(this::rows), rows);
            same(result.changes(), audited);
            same(result.counts().changes(), (long) audited.size());
            for (RepairResult.Unrepaired<K> row : result.unrepaired()) {
                String id = order.print(row.key());
                boolean isMeddled = meddled && ids.indexOf(id) % 3 == 0;
                same(live || isMeddled || tests(wrong, "gone") || id.equals(twin[2]), true);
            }
            if (quiet) {
                same(result.counts().refused() + result.counts().movedOn(), 0L);
                database.execute("DELETE FROM " + wrong + "_row WHERE gen = 2");
            }
            same(live ? "" : "" + comparison.run().findings(0, 99), live ? "" : "" + result.remaining());
        }

        /** The repair met the rows that were confirmed, the wrong one to the last, and set nothing but fields that differed. */
        private void replay(Change<K> change, Map<String, List<String>> image, Map<String, List<String>> rows) {
            audited.add(change);
            String id = order.print(change.key());
            Row<K> is = change.fold(insert -> null, Change.Update::found, Change.Delete::found);
            Row<K> wanted = change.fold(Change.Insert::wanted, Change.Update::wanted, delete -> null);
            Row<K> old = wrong == Side.OLD ? is : wanted;
            RowComparer<K> comparer = comparison.settings().comparer();
            Finding<K> made = comparer.compare(change.key(), old, wrong == Side.OLD ? wanted : is);
            same(found.stream().anyMatch(it -> it.evidence().equals(made.evidence())), true);
            same(wanted == null && !deletes, false);
            String met = "%s.%s, %s, ., [^,]*, [^,]*, %s, .*"
                    .formatted(wrong, tests(wrong, "tenant") ? 7 : ".", id, tests(wrong, "gone") ? "null" : "[^,]*");
            List<String> places = new ArrayList<>(rows.keySet());
            places.removeIf(at -> !(at.substring(0, 3) + rows.get(at)).matches(met));
            same(places.size(), is == null ? 0 : 1);
            String place = is == null ? wrong + "" + List.of(7, id, 0) : places.get(0);
            List<String> row = new ArrayList<>(rows.getOrDefault(place, List.of("7", id, "0", "", "", "", "1", "0")));
            if (is != null) {
                String version = versioned ? row.get(6) : null;
                same(is.fields().values() + " " + is.version(), row.subList(3, 6) + " " + version);
                row.set(6, Integer.parseInt(row.get(6)) + (versioned ? 1 : 0) + "");
            }
            for (String field : change.fold(insert -> COLUMNS, Change.Update::fields, delete -> List.<String>of())) {
                int at = 3 + COLUMNS.indexOf(field);
                String value = wanted.fields().get(field) + "";
                same(is != null && meant(value).equals(meant(row.get(at))), false);
                row.set(at, form.equals("upper") && at == 3 ? value.toUpperCase(Locale.ROOT) : meant(value));
            }
            if (!meddled || ids.indexOf(id) % 3 > 0) {
                same(image.get(place), wanted == null ? null : row);
            }
            rows.compute(place, (at, was) -> image.get(place));
        }

        private String meant(String text) {
            return form.isEmpty() ? text : text.toLowerCase(Locale.ROOT);
        }

        private boolean tests(Side side, String column) {
            return conditions.get(side).contains(column);
        }

        private SqlTable<K> table(Side side) {
            SqlTable<K> table = SqlTable.of(database.jdbi(), side + "_row", "id", order)
                    .field("name", "name", "name", form + "(?)")
                    .fields("amount", "gone")
                    .where(conditions.get(side))
                    .audit((handle, change) -> journal(handle, (image, rows) -> replay(change, image, rows)));
            return versioned ? table.version("version", "version + 1") : table;
        }

        /** The writer also writes after a repair has read both rows, and before it changes one. */
        private Comparison<K> comparison() {
            return Comparison.builder("generated", table(Side.OLD), table(Side.NEW))
                    .clock(new TestClock())
                    .pageSize(1 + random.nextInt(9))
                    .ignoring("tenant", "gen", "version", "touched")
                    .canonical(form.isEmpty() ? "touched" : "name", name -> {
                        if (writing && own.nextInt(9) == 0) {
                            write();
                        }
                        return name.toString().toLowerCase(Locale.ROOT);
                    })
                    .build();
        }

        private synchronized void write() {
            // Not one of every third key, which triggers meet.
            String id = ids.get(own.nextInt(4) * 3 + 1 + own.nextInt(2));
            Object[] line = line(own, id, own.nextInt(4) == 0 ? 8 : 7, 0);
            String sql = List.of(DELETE, UPDATE, TOUCH, INSERT).get(own.nextInt(4));
            List<Side> sides = List.of(Side.values()).subList(own.nextInt(9) / 8, 2 - own.nextInt(9) / 8);
            try {
                database.jdbi().useTransaction(handle -> sides.forEach(side -> write(handle, side, line, sql)));
            } catch (StatementException conflict) {
                assertThat(((SQLException) conflict.getCause()).getSQLState()).matches("(40|23)...");
            }
        }

        private void write(Handle handle, Side side, Object[] line, String sql) {
            line[0] = side;
            if ((line[1].equals(7) || tests(side, "tenant")) && handle.execute(sql.formatted(line)) > 0) {
                String place = side + "" + List.of(line).subList(1, 4);
                journal(handle, (image, rows) -> rows.compute(place, (at, was) -> image.get(place)));
            }
        }

        /** While the row is locked, so in the order of the writes. */
        private void journal(Handle handle, BiConsumer<Map<String, List<String>>, Map<String, List<String>>> step) {
            Map<String, List<String>> image = rows(handle);
            synchronized (steps) {
                steps.add(rows -> step.accept(image, rows));
                handle.execute("INSERT INTO journal (step) VALUES (?)", steps.size() - 1);
            }
        }

        private Map<String, List<String>> rows(Handle handle) {
            Map<String, List<String>> rows = new TreeMap<>();
            for (Side side : Side.values()) {
                handle.createQuery(SELECT.formatted(side)).mapToMap().forEach(row -> {
                    List<String> texts = new ArrayList<>();
                    row.values().forEach(value -> texts.add(value + ""));
                    rows.put(side + "" + texts.subList(0, 3), texts);
                });
            }
            return rows;
        }

        private Object[] line(Random from, String id, int tenant, int gen) {
            String name = List.of("'a'", "'A'", "'b'", "'b '", "''").get(from.nextInt(5));
            Object amount = from.nextInt(3) == 0 ? "NULL" : from.nextInt(2);
            return new Object[] {"", tenant, id, gen, name, amount, from.nextInt(4) > 0 ? "NULL" : from.nextInt(2)};
        }

        /** Most rows that are outside of a condition are equal to one that is not. */
        private void fill(Handle handle, Side side, String id) {
            Random from = new Random(random.nextInt(3) == 0 ? random.nextInt() : seed + id.hashCode());
            Object[] line = line(from, id, 7, 0);
            for (int[] at : new int[][] {{7, 0}, {8, 0}, {7, 1}}) {
                if (random.nextInt(6) > 0 && (at[1] == 0 || tests(side, "gone"))) {
                    Object gone = at[1] == 0 ? line[6] : 1;
                    write(handle, side, new Object[] {side, at[0], id, at[1], line[4], line[5], gone}, INSERT);
                }
            }
        }

        private void create(String type) {
            String seq = kind == Kind.MARIADB ? "AUTO_INCREMENT" : "GENERATED BY DEFAULT AS IDENTITY";
            Stream.of("old_row", "new_row", "journal").forEach(it -> database.execute("DROP TABLE IF EXISTS " + it));
            database.execute("CREATE TABLE journal (step int, seq int " + seq + " PRIMARY KEY)");
            Stream.of("old", "new").forEach(side -> database.execute(CREATE.formatted(side, type)));
            Stream<Side> sides = Stream.of(Side.values());
            sides.forEach(it -> database.jdbi().useTransaction(to -> ids.forEach(id -> fill(to, it, id))));
            if (meddled) {
                createTrigger(one(TRIGGERS).split(":"));
            }
        }

        private void createTrigger(String[] trigger) {
            String row = trigger[2].equals("DELETE") ? "OLD" : "NEW";
            String met = row + ".id IN ('" + String.join("', '", ids.get(0), ids.get(3), ids.get(6), ids.get(9)) + "')";
            String create = "CREATE TRIGGER meddle BEFORE " + trigger[2] + " ON " + wrong + "_row FOR EACH ROW ";
            if (kind == Kind.MARIADB) {
                database.execute(create + "IF " + met + " THEN " + trigger[1] + "; END IF");
            } else {
                String body = "AS $$ BEGIN " + trigger[0] + "; RETURN " + row + "; END $$";
                database.execute("CREATE OR REPLACE FUNCTION meddle() RETURNS trigger LANGUAGE plpgsql " + body);
                database.execute(create + "WHEN (" + met + ") EXECUTE FUNCTION meddle()");
            }
        }
    }
}
