package io.counterpoint.idempotency.examples.groupcreation.breaker;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.Choice;
import io.counterpoint.idempotency.programs.DatabaseAddress;
import io.counterpoint.idempotency.programs.ProgramOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The command line. */
@Command(
        name = "group-creation",
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "",
            "Creates groups from a file of requests in which clients retry, repeat themselves and make mistakes,"
                    + " and checks in the database that every key has made one group.",
            ""
        },
        footer = {
            "",
            "Exit code: 0 verified; 1 not verified; 2 the program could not run.",
            "",
            "A request file is CSV in UTF-8: the first line is " + RequestFile.HEADER
                    + ", members are separated by semicolons, and each request is one line."
        })
final class BreakerOptions extends ProgramOptions {

    @Option(
            names = "--story",
            description = "Without the library, with it, and with a killed leader; explains each result.")
    boolean story;

    @Option(names = "--requests", description = "The requests. Default: a sample of 1,000 lines.")
    Optional<Path> requests = Optional.empty();

    @Option(names = "--clients", defaultValue = "16", description = "How many clients send at once; 16 by default.")
    int clients;

    @Option(
            names = "--protocol",
            converter = ProtocolConverter.class,
            description = "One of ${COMPLETION-CANDIDATES}. Default: claim-first. With external, groups are in a"
                    + " separate database.")
    Optional<Protocol> protocol = Optional.empty();

    @Option(names = "--unprotected", description = "Do without the library, and look at the damage.")
    boolean unprotected;

    @Option(
            names = "--crash",
            description = "First kill the leaders of a few keys, just before and just after they commit.")
    boolean crash;

    @Option(
            names = "--jdbc-url",
            description =
                    "A database, jdbc:postgresql://host:port/name or jdbc:mariadb://host:port/name; missing tables"
                            + " are created. Default: H2 in a temporary folder.")
    Optional<String> jdbcUrl = Optional.empty();

    @Option(
            names = "--groups-jdbc-url",
            description = "With external: the database for the groups. Default on PostgreSQL: the schema "
                    + GROUPS_SCHEMA + " in the database of --jdbc-url, over connections of its own.")
    Optional<String> groupsJdbcUrl = Optional.empty();

    @Option(names = "--user", description = "The database user, if the URL names none.")
    String user = "";

    @Option(names = "--password", description = "The password of that user.")
    String password = "";

    private static final String GROUPS_SCHEMA = "groups_elsewhere";

    static BreakerOptions parse(String... args) throws CannotRun {
        return parse(new BreakerOptions(), args);
    }

    Protocol protocolOrDefault() {
        return protocol.orElse(Protocol.CLAIM_FIRST);
    }

    /** Where the tables are in the database at a URL. */
    Storage.Place at(String url) {
        DatabaseAddress records = new DatabaseAddress(url, user, password);
        if (protocolOrDefault() != Protocol.EXTERNAL) {
            return new Storage.Place(protocolOrDefault(), records, records);
        }
        DatabaseAddress groups = groupsJdbcUrl
                .map(address -> new DatabaseAddress(address, user, password))
                .orElse(new DatabaseAddress(url, user, password, GROUPS_SCHEMA));
        return new Storage.Place(Protocol.EXTERNAL, records, groups);
    }

    @Override
    protected void check(ParseResult given) throws CannotRun {
        if (story && given.matchedOptions().size() > 1) {
            throw new CannotRun("--story takes no other option.");
        }
        between("--clients", 1, 1000, clients);
        if (unprotected && (crash || protocol.isPresent())) {
            throw new CannotRun("--unprotected does without the library: --protocol and --crash do not go with it.");
        }
        boolean external = protocolOrDefault() == Protocol.EXTERNAL;
        goesWith(
                groupsJdbcUrl.isPresent(),
                "--groups-jdbc-url goes",
                "--jdbc-url and --protocol external",
                jdbcUrl.isPresent() && external);
        goesWith(!(user + password).isEmpty(), "--user and --password go", "--jdbc-url", jdbcUrl.isPresent());
        for (Optional<String> url : List.of(jdbcUrl, groupsJdbcUrl)) {
            if (url.isPresent()) {
                DatabaseAddress.requirePostgreSqlOrMariaDb(url.get());
            }
        }
        if (external
                && groupsJdbcUrl.isEmpty()
                && jdbcUrl.filter(DatabaseAddress::isMariaDb).isPresent()) {
            throw new CannotRun("--protocol external on MariaDB needs --groups-jdbc-url: it has no schemas.");
        }
    }

    private static final class ProtocolConverter extends Choice<Protocol> {
        ProtocolConverter() {
            super(List.of(Protocol.values()), Protocol::toString, "one of " + Arrays.toString(Protocol.values()));
        }
    }
}
