package io.counterpoint.idempotency.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import dev.dbos.transact.DBOS;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.context.WorkflowOptions;
import dev.dbos.transact.txstep.JdbcStepFactory;
import dev.dbos.transact.workflow.Workflow;
import io.counterpoint.idempotency.benchmarks.Variant.Action;
import io.counterpoint.idempotency.benchmarks.Variant.Answer;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * DBOS: a durable workflow whose identifier is the key, with the domain as its only transactional step. The step uses
 * the shared pool. DBOS's own tables use a separate pool, which is the default, because DBOS requests a second
 * connection while it holds one.
 */
final class DbosWorkflows implements AutoCloseable {

    /** Connections for DBOS's background work. */
    private static final int BACKGROUND = 2;

    private final HikariDataSource system;
    private final DBOS dbos;
    private final GroupCreation groups;

    private final Executions executions = new Executions();

    DbosWorkflows(BenchmarkDatabase database) {
        system = database.anotherPool(database.pool().getMaximumPoolSize() + BACKGROUND);
        dbos = new DBOS(DBOSConfig.defaults("benchmarks")
                .withDataSource(system)
                .withAppVersion("1")
                .withUseListenNotify(false));
        JdbcStepFactory steps = new JdbcStepFactory(dbos, database.pool());
        groups = dbos.registerProxy(GroupCreation.class, new GroupCreationInOneStep(steps, executions));
        dbos.launch();
    }

    Action createGroup() {
        return key -> {
            WorkflowOptions.Guard context = new WorkflowOptions(key).setContext();
            try {
                return executions.isBy(groups.create(key)) ? Answer.EXECUTED : Answer.REPLAYED;
            } finally {
                context.close();
            }
        };
    }

    @Override
    public void close() {
        dbos.shutdown();
        system.close();
    }

    /** The interface that DBOS needs for its proxy. */
    public interface GroupCreation {
        String create(String key) throws Exception;
    }

    /** The workflow. */
    public static final class GroupCreationInOneStep implements GroupCreation {
        private final JdbcStepFactory steps;
        private final Executions executions;

        GroupCreationInOneStep(JdbcStepFactory steps, Executions executions) {
            this.steps = steps;
            this.executions = executions;
        }

        @Override
        @Workflow(name = "create-group")
        public String create(String key) throws Exception {
            return steps.txStep(
                    connection -> {
                        UUID id = Domain.newGroupId();
                        Domain.createGroup(connection, id);
                        executions.add(id.toString());
                        return id.toString();
                    },
                    "create-group");
        }
    }

    /** Results of work that has run and has not been returned yet. */
    private static final class Executions {
        private final Set<String> results = ConcurrentHashMap.newKeySet();

        void add(String result) {
            results.add(result);
        }

        boolean isBy(String result) {
            return results.remove(result);
        }
    }
}
