package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.PostgresServer;
import io.counterpoint.idempotency.testing.ReplicatedPostgres;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Promotes the standby or pauses the primary, always while a worker's COMMIT waits for the standby. Before a promotion,
 * some of these waits are broken, so that the primary shows commits that the standby lacks.
 */
final class Failovers {

    private static final int LONGEST_WAIT_FOR_COMMIT = 1_000;
    private static final int LONGEST_SIGHT = 120;
    private static final int SHORTEST_PAUSE = 100;
    private static final int LONGEST_PAUSE = 1_000;
    private static final int MOST_BREAKS = 3;

    /** The order of the faults, repeated so that a run of any length has the desired proportions. */
    private static final List<FaultType> TURNS = List.of(
            FaultType.STANDBY_PROMOTED,
            FaultType.PRIMARY_FENCED,
            FaultType.PRIMARY_PAUSED,
            FaultType.STANDBY_PROMOTED,
            FaultType.PRIMARY_FENCED,
            FaultType.PRIMARY_PAUSED,
            FaultType.STANDBY_PROMOTED);

    private final Environment stage;
    private final FaultLog faults;
    private final BrokenWaits brokenWaits;
    private final CountDownLatch over;
    private int turn;

    /**
     * @param brokenWaits records when the primary may show commits that the standby lacks
     * @param over counted down when no more failovers are wanted
     */
    Failovers(Environment stage, FaultLog faults, BrokenWaits brokenWaits, CountDownLatch over) {
        this.stage = stage;
        this.faults = faults;
        this.brokenWaits = brokenWaits;
        this.over = over;
    }

    void next(SplittableRandom random) throws InterruptedException {
        ReplicatedPostgres pair = stage.pair();
        pair.holdBackLog();
        if (!aCommitWaits()) {
            pair.passLog();
            return;
        }
        // More calls reach this point meanwhile.
        pause(random.nextInt(LONGEST_SIGHT));
        FaultType type = TURNS.get(turn++ % TURNS.size());
        if (type == FaultType.PRIMARY_PAUSED) {
            pauseAndResume(random.nextInt(SHORTEST_PAUSE, LONGEST_PAUSE));
        } else {
            promote(random, type == FaultType.PRIMARY_FENCED);
        }
    }

    private boolean aCommitWaits() throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(LONGEST_WAIT_FOR_COMMIT);
        while (waiting().isEmpty()) {
            if (over.await(2, TimeUnit.MILLISECONDS) || System.nanoTime() > deadline) {
                return false;
            }
        }
        return true;
    }

    private Set<Integer> waiting() {
        return stage.pair().waitingCommits(Worker.APPLICATION);
    }

    private void pauseAndResume(int millis) throws InterruptedException {
        PostgresServer primary = stage.pair().primary();
        primary.pause();
        faults.add(FaultType.PRIMARY_PAUSED, "for " + millis + " ms");
        pause(millis);
        primary.resume();
        stage.pair().passLog();
        stage.pair().awaitCaughtUp();
    }

    private void promote(SplittableRandom random, boolean survives) throws InterruptedException {
        PostgresServer primary = stage.pair().primary();
        brokenWaits.begin(System.currentTimeMillis());
        int breaks = random.nextInt(MOST_BREAKS + 1);
        for (int i = 0; i < breaks; i++) {
            breakWaits(random);
            pause(random.nextInt(LONGEST_SIGHT));
        }
        if (survives) {
            primary.pause();
            stage.fence();
        } else {
            primary.kill();
            stage.fence();
        }
        brokenWaits.end(System.currentTimeMillis());
        PostgresServer former = stage.pair().promote();
        stage.leadToPrimary();
        faults.add(
                survives ? FaultType.PRIMARY_FENCED : FaultType.STANDBY_PROMOTED,
                stage.pair().toString());
        if (survives) {
            // It continues with what was sent to it, but nobody gets a reply.
            former.resume();
            pause(random.nextInt(LONGEST_SIGHT));
        }
        former.close();
        stage.pair().addStandby();
        stage.pair().waitForStandby();
    }

    private void breakWaits(SplittableRandom random) {
        for (int backend : waiting()) {
            int dice = random.nextInt(5);
            if (dice < 2) {
                stage.pair().terminate(backend);
            } else if (dice < 4) {
                stage.pair().cancel(backend);
            } else {
                continue;
            }
            faults.add(FaultType.COMMIT_WAIT_BROKEN, "backend " + backend);
        }
    }

    private void pause(long millis) throws InterruptedException {
        boolean unused = over.await(millis, TimeUnit.MILLISECONDS);
    }
}
