package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.jdbc.spi.Dialect;
import io.counterpoint.idempotency.jdbc.testkit.DialectContract;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testing.GaleraCluster;
import io.counterpoint.idempotency.testkit.Domain;
import io.counterpoint.idempotency.testkit.OperationsContract;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInfo;

/**
 * The whole contract over three nodes. Each session is opened on the next one, so hardly two of one test share a node. The
 * few tests of locks that hold on one node only have all their sessions on one. {@link GaleraCallsTest} shows what is promised
 * between nodes instead.
 */
@Tag("galera")
class GaleraContractTest extends DialectContract {

    private static final int MOST_TRIES = 5;

    private static final Set<String> LOCKS_OF_ONE_NODE = Set.of(
            // A claim or insert waits for another one that is not committed.
            "claimWaitsForAnUncommittedInsertAndGivesUpAfterItsBound",
            "claimInATransactionWaitsForAnInsertUpToItsBound",
            "claimFollowsWhenTheInsertItWaitedForIsCommitted",
            "claimLeadsWhenTheInsertItWaitedForIsRolledBack",
            "claimsWaitForAnUncommittedInsertUpToTheirBound",
            "claimToLeadFollowsWhenTheInsertItWaitedForIsCommitted",
            "claimToLeadLeadsWhenTheInsertItWaitedForIsRolledBack",
            "insertWaitsForOneThatIsNotCommittedYet",
            "insertsOfManyWaitForOneThatIsNotCommittedYet",
            "rivalOfOneKeyCostsOneWaitAndTheOthersGoOn",
            "rivalOfOneKeyCostsTheBatchOneWaitAndTheOthersGoOn",
            "followerReturnsInProgressAtOnceWhileTheLeaderWorks",
            // A lock keeps others out.
            "lockIsHeldUntilTheTransactionEnds",
            "lockWithoutWaitFailsAtOnce",
            "lockThatWaitedReadsWhatWasCommittedMeanwhile",
            "causesOfAFaultAreLookedAt",
            "claimToLeadIsCommittedBeforeTheTransactionThatLocks",
            "changeGivesUpWaitingForALock",
            "changeThatWaitedForAnotherSeesWhatBecameOfTheRecord",
            "leaderThatHoldsTheLockIsAlive",
            // Two transactions wait for each other.
            "victimOfADeadlockIsInConflict");

    private static NodePools pools;
    private static DataSource everyNode;
    private static volatile boolean staysOnOne;

    @BeforeAll
    static void open() {
        // What a test reads of the domain is there wherever it was committed.
        pools = NodePools.onNew(GaleraCluster.shared(), "contract", "&sessionVariables=wsrep_sync_wait=1");
        everyNode = pools.oneAfterTheOther(() -> staysOnOne);
        // Nodes compare what transactions have written by the keys of rows.
        Jdbi.create(everyNode)
                .useHandle(handle -> handle.execute("CREATE TABLE IF NOT EXISTS effect (number bigint NOT NULL"
                        + " AUTO_INCREMENT PRIMARY KEY, id varchar(255) NOT NULL)"));
    }

    @AfterAll
    static void close() {
        pools.close();
    }

    @BeforeEach
    void choose(TestInfo test) {
        staysOnOne = test.getTestMethod()
                .map(Method::getName)
                .filter(LOCKS_OF_ONE_NODE::contains)
                .isPresent();
    }

    @Override
    protected Dialect dialect() {
        return MariaDbDialect.galera();
    }

    /** Another node ends transactions too. So work that ends its own runs again, like any conflict: it must not do that. */
    @Override
    protected List<String> endsOfTransactions() {
        return List.of();
    }

    @Override
    protected DataSource dataSource() {
        return everyNode;
    }

    @Override
    protected IdempotencyStore<Handle> store() {
        IdempotencyStore<Handle> store = emptied();
        // A node that empties its tables later would end transactions of the test.
        for (int node = 0; node < Storm.NODES; node++) {
            int records = Jdbi.create(pools.of(node))
                    .withHandle(handle -> handle.createQuery("SELECT count(*) FROM idempotency_record")
                            .mapTo(Integer.class)
                            .one());
            assertThat(records).isZero();
        }
        return store;
    }

    /** What another node has committed a moment ago refuses the emptying, if this node has not applied it yet. */
    private IdempotencyStore<Handle> emptied() {
        for (int tries = 1; ; tries++) {
            try {
                return super.store();
            } catch (JdbiException refused) {
                if (tries == MOST_TRIES) {
                    throw refused;
                }
            }
        }
    }

    @Nested
    class Operations extends OperationsContract<Handle> {
        @Override
        protected IdempotencyStore<Handle> store() {
            return GaleraContractTest.this.store();
        }

        @Override
        protected Domain<Handle> domain() {
            return GaleraContractTest.this.domain();
        }
    }
}
