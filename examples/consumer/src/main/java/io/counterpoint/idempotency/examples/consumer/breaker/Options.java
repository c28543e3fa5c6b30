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
        usageHelpAutoWidth = true,
        description = {
            "",
            "Sends payments through Kafka, each several times, kills their consumers and the broker, and checks in the"
                    + " payments' own table that each was booked once.",
            ""
        },
        footer = {"", "Exit code: 0 verified; 1 not verified; 2 the program could not run."})
final class Options extends ProgramOptions {

    private static final int MOST_MESSAGES = 100_000_000;

    @Option(
            names = "--messages",
            paramLabel = "N",
            defaultValue = "20000",
            description = "How many payments. Default: ${DEFAULT-VALUE}.")
    int messages;

    @Option(
            names = "--copies",
            paramLabel = "N",
            defaultValue = "2",
            description = "How often each is sent. Default: ${DEFAULT-VALUE}.")
    int copies;

    @Option(
            names = "--consumers",
            paramLabel = "N",
            defaultValue = "2",
            description = "How many processes consume. Default: ${DEFAULT-VALUE}.")
    int consumers;

    @Option(
            names = "--consumer-kills",
            paramLabel = "N",
            defaultValue = "3",
            description = "How often a consumer is killed. Another takes its place. Default: ${DEFAULT-VALUE}.")
    int consumerKills;

    @Option(
            names = "--broker-kills",
            paramLabel = "N",
            defaultValue = "1",
            description = "How often the broker is killed and started again. Default: ${DEFAULT-VALUE}.")
    int brokerKills;

    @Option(
            names = "--batch",
            paramLabel = "N",
            defaultValue = "500",
            description = "How many payments commit together. Default: ${DEFAULT-VALUE}.")
    int batch;

    @Option(
            names = "--poison-every",
            paramLabel = "N",
            defaultValue = "5000",
            description = "One payment of so many cannot be booked. 0: none. Default: ${DEFAULT-VALUE}.")
    int poisonEvery;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "Decides who pays how much, where copies go, and when is killed. Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(names = "--unprotected", description = "Do without the inbox, and look at the damage.")
    boolean unprotected;

    static Options parse(String... args) throws CannotRun {
        return parse(new Options(), args);
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

    private static void between(String option, int least, int most, int value) throws CannotRun {
        if (value < least || value > most) {
            throw new CannotRun(option + " has to be from " + least + " to " + most + ", found " + value + ".");
        }
    }
}
