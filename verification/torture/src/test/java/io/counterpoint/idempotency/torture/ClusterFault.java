package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.testing.PatroniCluster;
import io.counterpoint.idempotency.testing.PatroniNode;
import java.util.List;

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
    },
    /** Without a synchronous standby, what is answered in between is lost. With one, commits wait, and are not answered. */
    LOG_HELD_BACK("log held back from the standbys, then `kill -9` of both") {
        @Override
        void strike(PatroniCluster cluster, Runnable meanwhile) {
            PatroniNode former = cluster.leader();
            former.holdBackLog();
            try {
                if (cluster.isSynchronous()) {
                    cluster.awaitWaitingCommits(WAITING_COMMITS);
                } else {
                    meanwhile.run();
                }
                former.kill();
            } finally {
                former.forgetHeldLog();
            }
            try {
                PatroniNode unused = cluster.awaitLeaderBesides(former);
                meanwhile.run();
            } finally {
                former.start();
            }
        }
    },
    /** The primary goes on without a standby. The standby comes back first, and lacks what was answered in between. */
    STANDBY_AWAY("no standby, then the primary killed, and the standby is back first") {
        @Override
        void strike(PatroniCluster cluster, Runnable meanwhile) {
            PatroniNode primary = cluster.leader();
            List<PatroniNode> standbys = cluster.othersThan(primary);
            standbys.forEach(PatroniNode::kill);
            cluster.awaitNoneSynchronous();
            meanwhile.run();
            primary.kill();
            standbys.forEach(PatroniNode::start);
            standbys.forEach(cluster::awaitRefusalToLead);
            primary.start();
        }
    };

    private static final int WAITING_COMMITS = 4;

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
