package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.PatroniCluster;
import io.counterpoint.idempotency.testing.PatroniNode;

/** What happens to the primary of a cluster. Afterwards every node takes part again, or will soon. */
enum ClusterFault {
    SWITCHOVER("planned switchover") {
        @Override
        void strike(PatroniCluster cluster, Runnable meanwhile) {
            PatroniNode former = cluster.switchOver();
            PatroniNode unused = cluster.awaitLeaderBesides(former);
        }
    },
    POSTGRES_KILLED("`kill -9` of the primary's PostgreSQL") {
        @Override
        void strike(PatroniCluster cluster, Runnable meanwhile) {
            cluster.leader().killPostgres();
        }
    },
    NODE_KILLED("`kill -9` of the primary's PostgreSQL and Patroni") {
        @Override
        void strike(PatroniCluster cluster, Runnable meanwhile) {
            PatroniNode former = cluster.leader();
            former.kill();
            try {
                PatroniNode unused = cluster.awaitLeaderBesides(former);
                meanwhile.run();
            } finally {
                former.start();
            }
        }
    },
    PRIMARY_PAUSED("primary paused until another leads, then resumed") {
        @Override
        void strike(PatroniCluster cluster, Runnable meanwhile) {
            PatroniNode former = cluster.leader();
            former.pause();
            try {
                PatroniNode unused = cluster.awaitLeaderBesides(former);
                meanwhile.run();
            } finally {
                former.resume();
            }
        }
    };

    private final String text;

    ClusterFault(String text) {
        this.text = text;
    }

    /**
     * Does it once.
     *
     * @param meanwhile what to do while another leads and the former primary is away
     */
    abstract void strike(PatroniCluster cluster, Runnable meanwhile);

    @Override
    public String toString() {
        return text;
    }
}
