package io.counterpoint.idempotency.consistency.check;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.counterpoint.idempotency.ResultCodec;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The stored form of a check's result in the record of its slot: JSON, with as much of the sample as fits. */
final class StoredResult implements ResultCodec<CheckResult> {

    static final int MOST_BYTES = 256 * 1024;

    private static final int LONGEST_ERROR = 1000;

    @Override
    public byte[] encode(CheckResult result) {
        byte[] text = Json.compact(json -> CheckReport.write(json, result)).getBytes(StandardCharsets.UTF_8);
        if (text.length <= MOST_BYTES) {
            return text;
        }
        List<Map<String, @Nullable String>> sample = result.sample();
        return encode(new CheckResult(
                result.check(),
                result.severity(),
                result.offending(),
                sample.subList(0, sample.size() / 2),
                result.took(),
                result.error().map(error -> error.substring(0, Math.min(error.length(), LONGEST_ERROR)))));
    }

    @Override
    public CheckResult decode(byte[] bytes) throws IOException {
        Map<String, String> fields = new HashMap<>();
        Map<String, Long> numbers = new HashMap<>();
        List<Map<String, @Nullable String>> sample = new ArrayList<>();
        try (JsonParser json = new JsonFactory().createParser(bytes)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                switch (json.nextToken()) {
                    case START_ARRAY -> {
                        while (json.nextToken() == JsonToken.START_OBJECT) {
                            sample.add(row(json));
                        }
                    }
                    case VALUE_NUMBER_INT -> numbers.put(name, json.getLongValue());
                    default -> fields.put(name, json.getText());
                }
            }
        }
        return new CheckResult(
                required(fields, "check"),
                Severity.valueOf(required(fields, "severity")),
                required(numbers, "offending"),
                sample,
                Duration.ofMillis(required(numbers, "tookMillis")),
                Optional.ofNullable(fields.get("error")));
    }

    private static Map<String, @Nullable String> row(JsonParser json) throws IOException {
        Map<String, @Nullable String> row = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String column = json.currentName();
            row.put(column, json.nextToken() == JsonToken.VALUE_NULL ? null : json.getText());
        }
        return row;
    }

    private static <T> T required(Map<String, T> fields, String name) throws IOException {
        T value = fields.get(name);
        if (value == null) {
            throw new IOException("The stored result of a check has no " + name + ".");
        }
        return value;
    }
}
