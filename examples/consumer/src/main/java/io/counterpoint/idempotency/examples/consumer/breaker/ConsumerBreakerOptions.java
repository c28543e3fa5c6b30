package io.counterpoint.idempotency.examples.consumer.breaker;

import io.counterpoint.idempotency.programs.CannotRun;
import io.counterpoint.idempotency.programs.ProgramOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** The command line. */
@Command(
        name = "consumer",
        sortOptions = false,
        showDefaultValues = true,
        usageHelpAutoWidth = true,
        description = {
            "",
            "Sends payments through Kafka, each several times, kills their consumers and the broker, and checks in the"
                    + " payments' own table that each was booked once.",
            ""
        },
        footer = {"", "Exit code: 0 verified; 1 not verified; 2 the program could not run."})
final class ConsumerBreakerOptions extends ProgramOptions {

    private static final int MOST_MESSAGES = 100_000_000;

    @Option(names = "--messages", defaultValue = "20000", description = "How many payments.")
    int messages;

    @Option(names = "--copies", defaultValue = "2", description = "How often each is sent.")
    int copies;

    @Option(names = "--consumers", defaultValue = "2", description = "How many processes consume.")
    int consumers;

    @Option(
            names = "--consumer-kills",
            defaultValue = "3",
            description = "How often a consumer is killed and replaced.")
    int consumerKills;

    @Option(names = "--broker-kills", defaultValue = "1", description = "How often the broker is killed and restarted.")
    int brokerKills;

    @Option(names = "--batch", defaultValue = "500", description = "How many payments commit together.")
    int batch;

    @Option(names = "--poison-every", defaultValue = "5000", description = "One of so many cannot be booked; 0: none.")
    int poisonEvery;

    @Option(names = "--seed", defaultValue = "1", description = "Decides where copies go, and when is killed.")
    long seed;

    @Option(names = "--unprotected", description = "Do without the inbox, and look at the damage.")
    boolean unprotected;

    static ConsumerBreakerOptions parse(String... args) throws CannotRun {
        return parse(new ConsumerBreakerOptions(), args);
    }

    boolean isPoison(int number) {
        return !unprotected && poisonEvery > 0 && number % poisonEvery == poisonEvery - 1;
    }

    int poison() {
        return unprotected || poisonEvery == 0 ? 0 : messages / poisonEvery;
    }

    @Override
    protected void check(ParseResult given) throws CannotRun {
        between("--messages", 1, MOST_MESSAGES, messages);
        between("--copies", 1, 10, copies);
        between("--consumers", 1, 20, consumers);
        between("--consumer-kills", 0, 1000, consumerKills);
        between("--broker-kills", 0, 1000, brokerKills);
        between("--batch", 1, 1000, batch);
        between("--poison-every", 0, MOST_MESSAGES, poisonEvery);
    }
}
