package io.counterpoint.idempotency.admin.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.PrintStream;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Prints rows with the same columns, as a table or as JSON. */
record Output(PrintStream out, Format format) {

    /** The output format. */
    enum Format {
        /** For people. */
        TABLE,
        /** For programs: one object that contains an array of objects. */
        JSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    void print(String what, List<Map<String, Object>> rows) {
        if (format == Format.TABLE) {
            table(what, rows);
            return;
        }
        try {
            out.println(JSON.writeValueAsString(Map.of(what, rows)));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("Texts and numbers are always valid JSON.", e);
        }
    }

    private void table(String what, List<Map<String, Object>> rows) {
        if (rows.isEmpty()) {
            out.println("No " + what + ".");
            return;
        }
        Set<String> columns = rows.get(0).keySet();
        Map<String, Integer> widths = new TreeMap<>();
        for (String column : columns) {
            int widest = rows.stream()
                    .mapToInt(row -> String.valueOf(row.get(column)).length())
                    .max()
                    .orElse(0);
            widths.put(column, Math.max(column.length(), widest));
        }
        out.println(columns.stream()
                .map(column -> padded(column, widths.getOrDefault(column, 0)))
                .collect(Collectors.joining("  "))
                .stripTrailing());
        for (Map<String, Object> row : rows) {
            out.println(columns.stream()
                    .map(column -> padded(String.valueOf(row.get(column)), widths.getOrDefault(column, 0)))
                    .collect(Collectors.joining("  "))
                    .stripTrailing());
        }
    }

    private static String padded(String text, int width) {
        return text + " ".repeat(width - text.length());
    }
}
