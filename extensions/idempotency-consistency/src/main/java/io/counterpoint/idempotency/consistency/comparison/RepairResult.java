package io.counterpoint.idempotency.consistency.comparison;

import io.counterpoint.idempotency.consistency.internal.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a repair or of a dry run. Keys and field names are shown, values are not.
 *
 * @param <K> the type of the keys
 * @param comparison the name of the comparison
 * @param truth the correct side; empty if each finding was decided individually
 * @param dryRun whether nothing was changed
 * @param counts the number of findings by outcome
 * @param changes the first 20 changes
 * @param unrepaired the first 1,000 rows that could not be changed, each with the reason
 * @param stillDifferent findings that the verification confirmed; 0 after a dry run
 * @param undecided keys whose rows kept changing during the verification; 0 after a dry run
 * @param remaining the first 20 findings that still differ
 */
public record RepairResult<K>(
        String comparison,
        Optional<Side> truth,
        boolean dryRun,
        Counts counts,
        List<Change<K>> changes,
        List<Unrepaired<K>> unrepaired,
        long stillDifferent,
        long undecided,
        List<Finding<K>> remaining) {

    /**
     * A row that could not be changed. Its batch was rolled back and repeated without this row.
     *
     * @param <K> the type of the key
     * @param key the key of the row
     * @param why the target's error, which may contain values
     */
    public record Unrepaired<K>(K key, String why) {}

    /**
     * The number of findings by outcome; each finding is counted once.
     *
     * @param inserts rows inserted or planned
     * @param updates rows updated or planned
     * @param deletes rows deleted or planned
     * @param alreadyEqual rows that no longer differed
     * @param movedOn rows left alone because one was written since the finding was confirmed
     * @param refused rows left alone because they were written just before the change
     * @param withheld rows not deleted because deletes were not allowed
     * @param beyondCap findings left for another call because this one reached its maximum number of changes
     * @param unrepaired rows that the target could not change
     */
    public record Counts(
            long inserts,
            long updates,
            long deletes,
            long alreadyEqual,
            long movedOn,
            long refused,
            long withheld,
            long beyondCap,
            long unrepaired) {

        static final Counts NONE = new Counts(0, 0, 0, 0, 0, 0, 0, 0, 0);

        /**
         * Returns the number of all changes.
         *
         * @return the number
         */
        public long changes() {
            return inserts + updates + deletes;
        }

        Counts plus(Change<?> change) {
            return change.fold(insert -> plus(1, 0, 0), update -> plus(0, 1, 0), delete -> plus(0, 0, 1));
        }

        private Counts plus(int insert, int update, int delete) {
            return new Counts(
                    inserts + insert,
                    updates + update,
                    deletes + delete,
                    alreadyEqual,
                    movedOn,
                    refused,
                    withheld,
                    beyondCap,
                    unrepaired);
        }

        Counts alreadyEqual(int more) {
            return with(alreadyEqual + more, movedOn, refused, withheld, beyondCap, unrepaired);
        }

        Counts movedOn(int more) {
            return with(alreadyEqual, movedOn + more, refused, withheld, beyondCap, unrepaired);
        }

        Counts refused(long more) {
            return with(alreadyEqual, movedOn, refused + more, withheld, beyondCap, unrepaired);
        }

        Counts withheld(int more) {
            return with(alreadyEqual, movedOn, refused, withheld + more, beyondCap, unrepaired);
        }

        Counts beyondCap(int more) {
            return with(alreadyEqual, movedOn, refused, withheld, beyondCap + more, unrepaired);
        }

        Counts unrepaired(int more) {
            return with(alreadyEqual, movedOn, refused, withheld, beyondCap, unrepaired + more);
        }

        private Counts with(long equal, long moved, long lost, long held, long beyond, long failed) {
            return new Counts(inserts, updates, deletes, equal, moved, lost, held, beyond, failed);
        }

        private Map<String, Long> byName() {
            Map<String, Long> all = new LinkedHashMap<>();
            all.put("inserts", inserts);
            all.put("updates", updates);
            all.put("deletes", deletes);
            all.put("alreadyEqual", alreadyEqual);
            all.put("movedOn", movedOn);
            all.put("refused", refused);
            all.put("withheld", withheld);
            all.put("beyondCap", beyondCap);
            all.put("unrepaired", unrepaired);
            return all;
        }
    }

    /**
     * Returns whether the verification found no more differences.
     *
     * @return false after a dry run
     */
    public boolean isClean() {
        return !dryRun && stillDifferent == 0 && undecided == 0;
    }

    /**
     * Returns the report as text.
     *
     * @return lines that end with a line feed
     */
    public String table() {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {dryRun ? "repair (dry run)" : "repair", comparison});
        rows.add(new String[] {"right side", right()});
        counts.byName().forEach((name, count) -> rows.add(new String[] {words(name), number(count)}));
        if (!dryRun) {
            rows.add(new String[] {"still different", number(stillDifferent)});
            rows.add(new String[] {"undecided", number(undecided)});
        }
        StringBuilder text = new StringBuilder(TextTable.print(rows));
        if (!changes.isEmpty()) {
            List<String[]> table = new ArrayList<>();
            table.add(new String[] {"key", "change", "fields"});
            changes.forEach(change -> table.add(
                    new String[] {String.valueOf(change.key()), kind(change), String.join(", ", fields(change))}));
            text.append('\n').append(TextTable.print(table));
            if (counts.changes() > changes.size()) {
                text.append("and ")
                        .append(number(counts.changes() - changes.size()))
                        .append(" more\n");
            }
        }
        unrepaired.forEach(row -> text.append(row.key())
                .append(" could not be repaired: ")
                .append(row.why())
                .append('\n'));
        return text.toString();
    }

    private String right() {
        return truth.map(Side::toString).orElse("as decided");
    }

    /**
     * Returns the report as one JSON object.
     *
     * @return the text
     */
    public String json() {
        return Json.pretty(json -> {
            json.writeStartObject();
            json.writeStringField("comparison", comparison);
            json.writeStringField("truth", right());
            json.writeBooleanField("dryRun", dryRun);
            for (Map.Entry<String, Long> count : counts.byName().entrySet()) {
                json.writeNumberField(count.getKey(), count.getValue());
            }
            json.writeNumberField("stillDifferent", stillDifferent);
            json.writeNumberField("undecided", undecided);
            json.writeBooleanField("clean", isClean());
            json.writeArrayFieldStart("changes");
            for (Change<K> change : changes) {
                json.writeStartObject();
                json.writeStringField("key", String.valueOf(change.key()));
                json.writeStringField("change", kind(change));
                json.writeArrayFieldStart("fields");
                for (String field : fields(change)) {
                    json.writeString(field);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeArrayFieldStart("unrepairedRows");
            for (Unrepaired<K> row : unrepaired) {
                json.writeStartObject();
                json.writeStringField("key", String.valueOf(row.key()));
                json.writeStringField("why", row.why());
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    private static String words(String name) {
        return name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }

    private static String kind(Change<?> change) {
        return change.fold(insert -> "insert", update -> "update", delete -> "delete");
    }

    private static List<String> fields(Change<?> change) {
        return change.fold(insert -> List.of(), Change.Update::fields, delete -> List.of());
    }

    /** The counts on one line. */
    @Override
    public String toString() {
        return "RepairResult[" + comparison + ", " + (dryRun ? "dry run, " : "") + counts + ", still different "
                + stillDifferent + "]";
    }
}
