package io.counterpoint.idempotency.torture;

import java.util.SplittableRandom;

/** What the work of one call does, if it gets to do it. */
final class WorkStep {

    private final String key;
    private final String origin;
    private final WorkBehaviour conduct;
    private final int pauseMillis;
    private int runs;

    /** What the results of a call begin with. */
    static String origin(String request, String call) {
        return request + "." + call;
    }

    /** With what {@link #origin} says of the call. */
    WorkStep(String key, String origin, WorkBehaviour conduct, int pauseMillis) {
        this.key = key;
        this.origin = origin;
        this.conduct = conduct;
        this.pauseMillis = pauseMillis;
    }

    enum WorkBehaviour {
        PLAIN,
        /** The work throws, for good. */
        REFUSES,
        /** The work throws, and the operation lets the key be used again. */
        IS_BUSY,
        /** The external effect is made, and the work throws all the same. */
        THROWS_AFTERWARDS
    }

    /** Brief keys are never released, so that whatever removes their records is a purge. */
    static WorkBehaviour conduct(SplittableRandom random, String key) {
        int dice = random.nextInt(100);
        if (dice < 5) {
            return WorkBehaviour.REFUSES;
        }
        if (dice < 8) {
            return Key.isBrief(key) ? WorkBehaviour.PLAIN : WorkBehaviour.IS_BUSY;
        }
        return dice < 11 ? WorkBehaviour.THROWS_AFTERWARDS : WorkBehaviour.PLAIN;
    }

    String key() {
        return key;
    }

    /** A result that no other run of any call has. */
    String freshResult() {
        return origin + "." + ++runs;
    }

    void beforeExternalEffect() throws Refused, Busy, InterruptedException {
        throwIfRefusing();
        pause();
    }

    void afterExternalEffect() throws InterruptedException {
        pause();
        if (conduct == WorkBehaviour.THROWS_AFTERWARDS) {
            throw new IllegalStateException("the external answer cannot be read");
        }
    }

    void afterEffect() throws Refused, Busy, InterruptedException {
        pause();
        throwIfRefusing();
    }

    private void throwIfRefusing() throws Refused, Busy {
        if (conduct == WorkBehaviour.REFUSES) {
            throw new Refused(key);
        }
        if (conduct == WorkBehaviour.IS_BUSY) {
            throw new Busy(key);
        }
    }

    private void pause() throws InterruptedException {
        if (pauseMillis > 0) {
            Thread.sleep(pauseMillis);
        }
    }

    /** What the work of a key throws. */
    abstract static class Thrown extends Exception {
        private static final long serialVersionUID = 1L;

        private final String key;

        private Thrown(String key) {
            super(key);
            this.key = key;
        }

        boolean isOf(WorkStep script) {
            return key.equals(script.key);
        }
    }

    /** The domain says no. */
    static final class Refused extends Thrown {
        private static final long serialVersionUID = 1L;

        private Refused(String key) {
            super(key);
        }
    }

    /** The domain says later. */
    static final class Busy extends Thrown {
        private static final long serialVersionUID = 1L;

        private Busy(String key) {
            super(key);
        }
    }
}
