package io.counterpoint.idempotency.explorer;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.spi.IdempotencyRecord;
import io.counterpoint.idempotency.spi.IdempotencyRecord.Payload;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * Short names for random values: each token and each result in a schedule is one character, numbered in order of
 * appearance. A state renames them by their order in the state, so that it is recognised regardless of their names.
 */
final class Names {

    private static final char FIRST_TOKEN = '\uE000';
    private static final char FIRST_VALUE = '\uF000';
    private static final char END = '\uF800';

    private final Map<UUID, String> tokens = new HashMap<>();
    private int values;

    String of(UUID token) {
        return tokens.computeIfAbsent(token, unseen -> String.valueOf((char) (FIRST_TOKEN + tokens.size())));
    }

    String freshValue() {
        return String.valueOf((char) (FIRST_VALUE + values++));
    }

    static String of(Optional<Payload> payload) {
        return payload.map(bytes -> new String(bytes.toBytes(), StandardCharsets.UTF_8))
                .orElse("");
    }

    String of(IdempotencyRecord record) {
        String head = record.protocol() + of(record.token());
        return record.fold(
                pending -> "P" + head + of(pending.plan()) + pending.age().toMinutes(),
                succeeded -> "S" + head + of(succeeded.result()),
                failed -> "F" + head);
    }

    /** The result of a step. */
    String ofAnswer(Object answer) {
        if (answer instanceof Optional<?> optional) {
            return optional.isEmpty() ? "-" : ofAnswer(optional.get());
        }
        if (answer instanceof Map<?, ?> records) {
            Map<IdempotencyKey, String> sorted = new TreeMap<>();
            records.forEach((key, record) -> sorted.put((IdempotencyKey) key, ofAnswer(record)));
            return sorted.values().toString();
        }
        return answer instanceof IdempotencyRecord record ? of(record) : answer.toString();
    }

    /** The text with tokens and results renamed by their order. */
    static String canonical(CharSequence text) {
        Map<Character, Character> renamed = new HashMap<>();
        int tokens = 0;
        int values = 0;
        StringBuilder canonical = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < FIRST_TOKEN || c >= END) {
                canonical.append(c);
                continue;
            }
            Character name = renamed.get(c);
            if (name == null) {
                name = (char) (c < FIRST_VALUE ? FIRST_TOKEN + tokens++ : FIRST_VALUE + values++);
                renamed.put(c, name);
            }
            canonical.append((char) name);
        }
        return canonical.toString();
    }

    /** The text without tokens and results, for sorting callers. */
    static String anonymous(CharSequence text) {
        StringBuilder anonymous = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            anonymous.append(c < FIRST_TOKEN || c >= END ? c : c < FIRST_VALUE ? FIRST_TOKEN : FIRST_VALUE);
        }
        return anonymous.toString();
    }

    /** The text for people. */
    static String inWords(String text) {
        StringBuilder words = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= FIRST_TOKEN && c < FIRST_VALUE) {
                words.append("token ").append(c - FIRST_TOKEN + 1);
            } else if (c >= FIRST_VALUE && c < END) {
                words.append("result ").append(c - FIRST_VALUE + 1);
            } else {
                words.append(c);
            }
        }
        return words.toString();
    }

    /** A result for people. */
    String inWords(Object answer) {
        if (answer instanceof Optional<?> optional) {
            return optional.isEmpty() ? "nothing" : inWords(optional.get());
        }
        if (answer instanceof IdempotencyRecord record) {
            return record.fold(
                    pending -> "Pending(" + record.protocol() + ", " + inWords(of(record.token())) + ", "
                            + pending.age().toMinutes() + " min old)",
                    succeeded -> "Succeeded(" + inWords(of(succeeded.result())) + ")",
                    failed -> "Failed(" + failed.failure().code() + ")");
        }
        return inWords(answer.toString());
    }
}
