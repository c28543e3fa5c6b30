package io.counterpoint.idempotency.admin.cli;

import static picocli.CommandLine.ScopeType.INHERIT;

import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.Resolvable;
import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.AuditTable;
import io.counterpoint.idempotency.admin.Finding;
import io.counterpoint.idempotency.admin.Finding.Severity;
import io.counterpoint.idempotency.admin.NotFoundException;
import io.counterpoint.idempotency.admin.OperatorsWord;
import io.counterpoint.idempotency.admin.RefusedException;
import io.counterpoint.idempotency.admin.Resolution.Answered;
import io.counterpoint.idempotency.admin.Resolution.Verdict;
import io.counterpoint.idempotency.admin.StoredRecord;
import io.counterpoint.idempotency.admin.cli.Output.Format;
import io.counterpoint.idempotency.jdbc.spi.RecordTable;
import io.counterpoint.idempotency.spi.Characters;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands. Each returns the exit code. */
@Command(
        name = "idempotency-admin",
        description = "Shows and administers the records of idempotent operations.",
        footer = {
            "",
            "Lookups and follow-ups are application code: settle attempts there before you resolve one here.",
            "The password is read from the variable " + Main.PASSWORD + ", or from a prompt (--ask-password).",
            "Exit codes: 0 done; 1 the doctor found an error, or retries get something other than the stated outcome;",
            "2 refused, nothing was changed; 3 the database did not respond; 4 no such record; 5 the outcome is"
                    + " unknown."
        })
final class Commands {

    private final PrintStream out;
    private final Connecting connecting;
    private final List<? extends Resolvable<?>> operations;

    @Option(names = "--url", scope = INHERIT, description = "JDBC URL, without a password.")
    private @Nullable String url;

    @Option(names = "--user", scope = INHERIT, description = "The database user.")
    private @Nullable String user;

    @Option(names = "--ask-password", scope = INHERIT, description = "Prompts for the password.")
    private boolean askPassword;

    @Option(names = "--table", scope = INHERIT, description = "Table of the records. Default: ${DEFAULT-VALUE}.")
    private String table = RecordTable.DEFAULT.toString();

    @Option(
            names = "--audit-table",
            scope = INHERIT,
            description = "Table of the audit trail. Default: ${DEFAULT-VALUE}.")
    private String auditTable = AuditTable.DEFAULT;

    @Option(names = "--format", scope = INHERIT, description = "table or json. Default: ${DEFAULT-VALUE}.")
    private Format format = Format.TABLE;

    @Option(names = "--show-keys", scope = INHERIT, description = "Shows scopes and keys.")
    private boolean showKeys;

    @Option(names = "--show-payloads", scope = INHERIT, description = "Shows plans, results and failure messages.")
    private boolean showPayloads;

    /** Never read; picocli only checks that the option is present. */
    @SuppressWarnings("UnusedVariable")
    @Option(names = "--help", usageHelp = true, scope = INHERIT, description = "Shows this help.")
    private boolean help;

    Commands(PrintStream out, Connecting connecting, List<? extends Resolvable<?>> operations) {
        this.out = out;
        this.connecting = connecting;
        this.operations = operations;
    }

    private Administration administration() {
        return connecting.to(url, user, askPassword, table, auditTable);
    }

    private void print(String what, List<Map<String, Object>> rows) {
        new Output(out, format).print(what, rows);
    }

    private void printRecords(List<StoredRecord> records, Duration abandonedAfter) {
        Rows rows = new Rows(showKeys, showPayloads);
        print(
                "records",
                records.stream().map(record -> rows.of(record, abandonedAfter)).toList());
    }

    @Command(name = "lookup", description = "Shows the record of a hash, or of a scope, an operation and a key.")
    int lookup(
            @Parameters(arity = "0..1", paramLabel = "HASH", description = "At least 16 digits.") @Nullable String hash,
            @Option(names = "--scope", description = "The key's scope.") @Nullable String scope,
            @Option(names = "--operation", description = "The key's operation.") @Nullable String operation,
            @Option(names = "--key", description = "The key's value.") @Nullable String key,
            @Option(names = "--abandoned-after", defaultValue = "PT1M", description = "The grace period, such as PT1M.")
                    Duration abandonedAfter) {
        Optional<StoredRecord> found;
        if (hash != null && scope == null && operation == null && key == null) {
            found = administration().find(hash);
        } else if (hash == null && scope != null && operation != null && key != null) {
            found = administration()
                    .find(IdempotencyKey.inScope(scope).operation(operation).value(key));
        } else {
            throw new RefusedException("Pass a hash, or all of --scope, --operation and --key.");
        }
        printRecords(List.of(found.orElseThrow(NotFoundException::new)), abandonedAfter);
        return ExitCode.DONE.number();
    }

    @Command(name = "pending", description = "Lists unsettled attempts, oldest change first.")
    int pending(
            @Option(
                            names = "--unchanged-for",
                            defaultValue = "PT0S",
                            description = "Lists only attempts at least this old, such as PT10M.")
                    Duration unchangedFor,
            @Option(names = "--abandoned-after", defaultValue = "PT1M", description = "The grace period, such as PT1M.")
                    Duration abandonedAfter,
            @Option(names = "--limit", defaultValue = "100", description = "The record limit.") int limit) {
        printRecords(administration().pending(unchangedFor, limit), abandonedAfter);
        return ExitCode.DONE.number();
    }

    @Command(
            name = "resolve",
            description = "Resolves an external attempt on an operator's decision, with an audit row.")
    int resolve(
            @Parameters(paramLabel = "HASH", description = "At least 16 digits.") String hash,
            @Option(names = "--as", required = true, description = "settle, succeeded or failed.") String verdict,
            @Option(names = "--operator", required = true, description = "The operator's name.") String operator,
            @Option(
                            names = "--reason",
                            required = true,
                            description = "How the operator knows. If failed, retries see it.")
                    String reason,
            @Option(names = "--result-file", description = "The result, as encoded by the operation's codec.") @Nullable
                    Path resultFile,
            @Option(names = "--result", description = "The result, as text in UTF-8.") @Nullable String result) {
        Verdict stated = Verdict.parse(verdict);
        requireOneResult(stated, resultFile, result);
        Administration administration = administration();
        OperatorsWord word = administration.attempt(hash).by(operator).because(reason);
        StoredRecord record = administration.find(hash).orElseThrow(NotFoundException::new);
        Optional<? extends Resolvable<?>> own = operations.stream()
                .filter(one -> one.name().equals(record.key().operation()))
                .findFirst();
        boolean needsCode = stated == Verdict.SETTLE || (record.isPending() && record.hasFollowUp());
        Optional<byte[]> bytes = resultFile != null
                ? Optional.of(content(resultFile))
                : Optional.ofNullable(result).map(Characters::utf8);
        if (needsCode && own.isPresent() && bytes.isEmpty()) {
            return answered(
                    switch (stated) {
                        case SETTLE -> word.settle(own.get());
                        case FAILED -> word.failed(own.get());
                        case SUCCEEDED -> word.succeeded(own.get());
                    });
        }
        if (needsCode) {
            throw new RefusedException("Only the application has the code of this operation's "
                    + (record.hasFollowUp() ? "follow-up" : "lookup")
                    + ". Nothing was changed. Settle or resolve the attempt there: POST to its endpoint"
                    + " /actuator/idempotency/HASH, or call Administration.attempt.");
        }
        var operation = administration.operation(record.key().operation());
        return answered(
                stated == Verdict.FAILED
                        ? word.failed(operation)
                        : bytes.map(it -> word.succeeded(operation, it)).orElseGet(() -> word.succeeded(operation)));
    }

    /** A resolution is final, so what contradicts itself is no slip to overlook. */
    private static void requireOneResult(Verdict stated, @Nullable Path resultFile, @Nullable String result) {
        if (resultFile != null && result != null) {
            throw new RefusedException("Pass --result or --result-file, not both. Nothing was changed.");
        }
        if ((resultFile != null || result != null) && stated != Verdict.SUCCEEDED) {
            throw new RefusedException(
                    "Only an attempt that succeeded has a result: omit it, or state succeeded. Nothing was changed.");
        }
    }

    private int answered(Answered answered) {
        print("resolutions", List.of(Rows.of(answered)));
        return (answered.agrees() ? ExitCode.DONE : ExitCode.FOUND).number();
    }

    private static byte[] content(Path file) {
        try {
            return Files.readAllBytes(file);
        } catch (IOException e) {
            throw new RefusedException(
                    "The file of the result cannot be read: " + e.getClass().getSimpleName() + ".");
        }
    }

    @Command(name = "purge", description = "Deletes terminal records past their retention.")
    int purge(
            @Option(
                            names = "--batch",
                            defaultValue = "500",
                            description = "The maximum number of records per statement.")
                    int batch,
            @Option(names = "--batches", defaultValue = "1000", description = "The batch limit.") int batches) {
        print("purges", List.of(Map.of("deleted", administration().purge(batch, batches))));
        return ExitCode.DONE.number();
    }

    @Command(name = "statistics", description = "Counts all records by reading the whole table once.")
    int statistics() {
        print(
                "groups",
                administration().statistics().groups().stream().map(Rows::of).toList());
        return ExitCode.DONE.number();
    }

    @Command(name = "doctor", description = "Checks table, records and server against the documentation.")
    int doctor() {
        List<Finding> findings = administration().examineDatabase();
        print("findings", findings.stream().map(Rows::of).toList());
        boolean errors = findings.stream().anyMatch(finding -> finding.severity() == Severity.ERROR);
        return (errors ? ExitCode.FOUND : ExitCode.DONE).number();
    }

    @Command(name = "audit-schema", description = "Prints the DDL of the audit table for this database.")
    int auditSchema() {
        out.print(connecting.audit(url, user, askPassword, auditTable).schema());
        return ExitCode.DONE.number();
    }
}
