package io.counterpoint.idempotency.admin.cli;

import io.counterpoint.idempotency.Failure;
import io.counterpoint.idempotency.admin.Finding;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.admin.Statistics.Group;
import io.counterpoint.idempotency.admin.StoredRecord;
import io.counterpoint.idempotency.spi.Characters;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/** Converts results to rows with ordered columns. Keys, scopes and payloads are shown only on request. */
record Rows(boolean showKeys, boolean showPayloads) {

    /** A record counts as abandoned if it is pending and has been unchanged for this long. */
    Map<String, Object> of(StoredRecord record, Duration abandonedAfter) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("operation", record.key().operation());
        row.put("hash", record.key().hash());
        if (showKeys) {
            row.put("scope", record.key().scope());
            row.put("key", record.key().value());
        }
        row.put("protocol", record.protocol().toString());
        row.put("state", record.state().toString());
        row.put("abandoned", record.isPending() && record.unchangedFor().compareTo(abandonedAfter) >= 0);
        row.put("unchangedFor", seconds(record.unchangedFor()));
        row.put("createdAt", record.createdAt().toString());
        row.put("expiresAt", record.expiresAt().toString());
        row.put("failureCode", record.failure().map(Failure::code).orElse(""));
        if (showPayloads) {
            row.put("failureMessage", record.failure().map(Failure::message).orElse(""));
            row.put("payload", record.payload().map(Rows::text).orElse(""));
        } else {
            row.put(
                    "payloadBytes",
                    record.payload().map(it -> it.toBytes().length).orElse(0));
        }
        return row;
    }

    static Map<String, Object> of(Group group) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("operation", group.operation());
        row.put("protocol", group.protocol().toString());
        row.put("state", group.state().toString());
        row.put("records", group.records());
        row.put("expired", group.expired());
        row.put("payloadBytes", group.payloadBytes());
        row.put("oldestChange", seconds(group.oldestChange()));
        return row;
    }

    static Map<String, Object> of(Finding finding) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("severity", finding.severity().name());
        row.put("code", finding.code());
        row.put("found", finding.found());
        row.put("remedy", finding.remedy());
        return row;
    }

    static Map<String, Object> of(Answered answered) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("operation", answered.resolution().operation());
        row.put("hash", answered.resolution().hash());
        row.put("stated", answered.resolution().verdict().toString());
        row.put("retriesGet", answered.outcome());
        row.put("audit", answered.resolution().id().toString());
        return row;
    }

    private static String seconds(Duration duration) {
        return duration.toSeconds() + " s";
    }

    /** Bytes that are not text, or would move the cursor, are shown in Base64. */
    private static String text(Payload payload) {
        byte[] bytes = payload.toBytes();
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            if (text.chars().noneMatch(Characters::isControl)) {
                return text;
            }
        } catch (CharacterCodingException noText) {
            // Shown as bytes.
        }
        return "base64:" + Base64.getEncoder().encodeToString(bytes);
    }
}
