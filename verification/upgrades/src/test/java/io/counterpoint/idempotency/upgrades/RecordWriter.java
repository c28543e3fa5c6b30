package io.counterpoint.idempotency.upgrades;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.PlannedExternalOperation;
import io.counterpoint.idempotency.PlannedOperation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.Locale;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Writes records of every state with the version that it is compiled against, and prints them as SQL. Its output is in the
 * tests of {@code idempotency-jdbc}. Arguments: the URL, the user.
 */
public final class RecordWriter {

    private RecordWriter() {}

    public static void main(String[] arguments) {
        boolean isH2 = arguments[0].startsWith("jdbc:h2");
        Jdbi jdbi = isH2 ? Jdbi.create(arguments[0], "sa", "") : Jdbi.create(arguments[0]);
        JdbiIdempotencyStore store = JdbiIdempotencyStore.on(jdbi);
        write(Idempotency.on(store.createTableIfMissing()));
        jdbi.useHandle(handle -> {
            // A leader of CLAIM_FIRST that died after its claim.
            handle.execute("UPDATE idempotency_record SET state = 'P', payload = NULL, failure_code = NULL,"
                    + " failure_message = NULL WHERE key_value = 'claim-pending'");
            handle.execute("UPDATE idempotency_record SET state = 'P' WHERE key_value = 'claim-pending-plan'");
            print(handle, isH2);
        });
    }

    private static void write(Idempotency<Handle> idempotency) {
        Operation<Handle, String> claim =
                idempotency.operation("operate", ResultCodec.string()).build();
        PlannedOperation<Handle, String> planned =
                idempotency.operation("operate", ResultCodec.string()).planned().build();
        Operation<Handle, String> single = idempotency
                .operation("operate", ResultCodec.string())
                .protocol(Operation.Protocol.SINGLE_TRANSACTION)
                .build();
        ExternalOperation.Builder<Handle, String> builder = idempotency
                .external("pay", ResultCodec.string(), unresolved -> Lookup.notYet())
                .noEffectWhen(thrown -> thrown instanceof IllegalArgumentException);
        ExternalOperation<String> external = builder.build();
        PlannedExternalOperation<String> plannedExternal = builder.planned().build();
        tolerate(() -> claim.execute(attempt("claim-succeeded"), handle -> "result"));
        tolerate(() -> planned.execute(attempt("claim-planned"), () -> "result", (handle, plan) -> {}));
        tolerate(() -> claim.execute(attempt("claim-failed"), handle -> refuse()));
        tolerate(() -> claim.execute(attempt("claim-pending"), handle -> "result"));
        tolerate(() -> planned.execute(attempt("claim-pending-plan"), () -> "result", (handle, plan) -> {}));
        tolerate(() -> single.execute(attempt("single-succeeded"), handle -> "result"));
        tolerate(() -> single.execute(attempt("single-failed"), handle -> refuse()));
        tolerate(() -> external.execute(attempt("external-succeeded"), key -> "result"));
        tolerate(() -> external.execute(attempt("external-failed"), key -> refuse()));
        tolerate(() -> external.execute(attempt("external-pending"), key -> {
            throw new IllegalStateException("no answer");
        }));
        tolerate(() -> plannedExternal.execute(attempt("external-pending-plan"), () -> "result", (key, plan) -> {
            throw new IllegalStateException("no answer");
        }));
    }

    private static Attempt attempt(String key) {
        return Attempt.inScope("user:1").key(key).request("amount", 100, "EUR");
    }

    private static String refuse() {
        throw new IllegalArgumentException();
    }

    private static void tolerate(Supplier<?> call) {
        try {
            Object unused = call.get();
        } catch (RuntimeException expected) {
            // The record is what counts.
        }
    }

    private static void print(Handle handle, boolean isH2) {
        String bytes = isH2 ? "X'%s'" : "'\\x%s'";
        handle.createQuery("SELECT * FROM idempotency_record ORDER BY operation, key_value")
                .map((row, context) -> String.format(
                        Locale.ROOT,
                        "INSERT INTO idempotency_record (scope, operation, key_value, protocol, state, token, fingerprint,"
                                + " payload, failure_code, failure_message, created_at, updated_at, expires_at)%n    VALUES"
                                + " ('%s', '%s', '%s', '%s', '%s', '%s',%n        %s, %s, %s, %s,%n        %s, %s, %s);",
                        row.getString("scope"),
                        row.getString("operation"),
                        row.getString("key_value"),
                        row.getString("protocol"),
                        row.getString("state"),
                        row.getString("token"),
                        String.format(bytes, hex(row.getBytes("fingerprint"))),
                        row.getBytes("payload") == null ? "NULL" : String.format(bytes, hex(row.getBytes("payload"))),
                        text(row.getString("failure_code")),
                        text(row.getString("failure_message")),
                        "TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:00+00'",
                        "TIMESTAMP WITH TIME ZONE '2020-01-01 00:00:01+00'",
                        "TIMESTAMP WITH TIME ZONE '2120-01-01 00:00:00+00'"))
                .forEach(System.out::println);
    }

    private static String text(String value) {
        return value == null ? "NULL" : "'" + value + "'";
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }
}
