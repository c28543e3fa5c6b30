package io.counterpoint.idempotency.trial;

import io.counterpoint.idempotency.trial.Tables.Found;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs cases of one setting step by step, so that the tables are asked once for many keys, and a session once for its
 * settings. No statement of the library sets back what another one has left in the session, so it is still there in the
 * end. Where anything is wrong, all of them run once more, each by itself, to see with which case it is.
 */
final class Together {

    private static final int MANY = 50;

    private Together() {}

    static void run(List<Case> cases, Census census) throws Exception {
        // A purge takes the records of all keys.
        int many = cases.get(0).setting().scenario() == Scenario.PURGES ? 1 : MANY;
        for (int from = 0; from < cases.size(); from += many) {
            List<Case> some = cases.subList(from, Math.min(cases.size(), from + many));
            List<Course> courses = run(some);
            List<Course> alone = new ArrayList<>();
            if (some.size() > 1 && courses.stream().anyMatch(Course::isWrong)) {
                for (Case one : some) {
                    alone.addAll(run(List.of(one)));
                }
            }
            boolean isSeenAlone = alone.stream().anyMatch(Course::isWrong);
            for (int i = 0; i < some.size(); i++) {
                census.add(some.get(i), (isSeenAlone ? alone : courses).get(i).complaints());
            }
        }
    }

    private static List<Course> run(List<Case> cases) throws Exception {
        List<Run> runs =
                cases.stream().map(one -> new Run(one, one.number() % 2 == 0)).toList();
        complete(cases.get(0).setting(), runs);
        return runs.stream().map(Run::course).toList();
    }

    static Course alone(Case one, boolean retryTakesOver) throws Exception {
        Run run = new Run(one, retryTakesOver);
        complete(one.setting(), List.of(run));
        return run.course();
    }

    private interface Step {
        void of(Run run, Found found) throws SQLException;
    }

    private static void complete(Setting setting, List<Run> runs) throws Exception {
        TestEnvironment stage = setting.stage();
        for (Run run : runs) {
            run.prepare();
        }
        if (setting.scenario().isPrepared()) {
            look(stage, runs, Run::before);
        } else {
            runs.forEach(run -> run.before(Found.NOTHING));
        }
        for (Run run : runs) {
            run.call();
        }
        runs.get(0).complain(stage.pool.complaintsOfTheSession());
        look(stage, runs, Run::judgeCall);
        for (Run run : runs) {
            run.retry();
        }
        runs.get(0).complain(stage.pool.complaintsOfTheSession());
        look(stage, runs, Run::judgeRetry);
    }

    private static void look(TestEnvironment stage, List<Run> runs, Step step) throws SQLException {
        Map<String, Found> found = stage.tables.of(runs.stream().map(Run::key).toList());
        for (Run run : runs) {
            step.of(run, found.getOrDefault(run.key(), Found.NOTHING));
        }
    }
}
