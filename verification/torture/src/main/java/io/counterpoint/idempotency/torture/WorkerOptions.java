package io.counterpoint.idempotency.torture;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The orders of a worker, as its command line.
 *
 * @param id the worker's name in results
 * @param connections the size of its pools
 * @param virtual whether its threads are virtual, if this Java has them
 * @param isolation the isolation level of its sessions
 * @param history the file for its history
 * @param lastKey the last key, to call every key until it is answered; -1 to make calls until the order to stop
 */
record WorkerOptions(
        String id,
        Mode mode,
        Optional<Mutant> mutant,
        long seed,
        int threads,
        int connections,
        boolean virtual,
        Isolation isolation,
        String records,
        String effects,
        Path history,
        long lastKey) {

    private static final String NO_MUTANT = "none";

    boolean asksEveryKey() {
        return lastKey >= 0;
    }

    List<String> toArguments() {
        return List.of(
                id,
                mode.name(),
                mutant.map(Mutant::name).orElse(NO_MUTANT),
                Long.toString(seed),
                Integer.toString(threads),
                Integer.toString(connections),
                Boolean.toString(virtual),
                isolation.name(),
                records,
                effects,
                history.toString(),
                Long.toString(lastKey));
    }

    static WorkerOptions parse(String... arguments) {
        return new WorkerOptions(
                arguments[0],
                Mode.valueOf(arguments[1]),
                arguments[2].equals(NO_MUTANT) ? Optional.empty() : Optional.of(Mutant.valueOf(arguments[2])),
                Long.parseLong(arguments[3]),
                Integer.parseInt(arguments[4]),
                Integer.parseInt(arguments[5]),
                Boolean.parseBoolean(arguments[6]),
                Isolation.valueOf(arguments[7]),
                arguments[8],
                arguments[9],
                Path.of(arguments[10]),
                Long.parseLong(arguments[11]));
    }
}
