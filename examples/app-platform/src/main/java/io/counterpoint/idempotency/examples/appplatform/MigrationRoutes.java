package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.consistency.comparison.SupersededException;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.Json;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The migration of apps from users to workspaces, for operators: the switch, the comparison, the decision about each
 * finding, and the repair. Each route responds with the mode and the open findings. A repeated request changes nothing.
 */
final class MigrationRoutes {

    private static final String PATH = "/migrations/apps";
    private static final int SHOWN = 100;

    private final Platform platform;
    private final Migration migration;

    MigrationRoutes(Platform platform) {
        this.platform = platform;
        this.migration = platform.migration;
    }

    void addTo(Routes routes) {
        routes.operator("GET", PATH, inputs -> answer(Map.of()))
                .operator("POST", PATH + "/mode", this::switchMode, Parameter.MODE)
                .operator("POST", PATH + "/comparisons", this::compare)
                .operator("POST", PATH + "/choices", this::choose, Parameter.DECISION, Parameter.APP_OR_REST)
                .operator("POST", PATH + "/repairs", this::repair);
    }

    private Object answer(Map<String, ?> first) {
        Map<String, Object> answer = new LinkedHashMap<>(first);
        answer.put("mode", platform.paths.mode().toString());
        answer.put("findings", migration.review().open());
        answer.put(
                "differences",
                migration.review().findings(0, SHOWN).stream()
                        .map(MigrationRoutes::row)
                        .toList());
        return answer;
    }

    private static Map<String, Object> row(Item<UUID> item) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("app", item.finding().key());
        row.put("old", item.finding().values().old().orElse(null));
        row.put("new", item.finding().values().replacement().orElse(null));
        row.put(
                "right",
                item.decision()
                        .map(decision -> decision.name().toLowerCase(Locale.ROOT))
                        .orElse(null));
        return row;
    }

    private Object switchMode(Inputs inputs) throws Refusal {
        return Map.of("mode", platform.paths.to(inputs.get(Parameter.MODE)).toString());
    }

    private Object compare(Inputs inputs) throws Refusal {
        String report = alone(() -> migration.comparison().startOver().json());
        return answer(Map.of("report", Json.parse(report)));
    }

    private Object choose(Inputs inputs) throws Refusal {
        Optional<UUID> app = inputs.get(Parameter.APP_OR_REST);
        Decision decision = inputs.get(Parameter.DECISION);
        if (app.isPresent() && !migration.review().decide(app.get(), decision)) {
            throw Refusal.missing("finding");
        }
        return answer(Map.of("chosen", app.isPresent() ? 1 : migration.review().decideRest(decision)));
    }

    private Object repair(Inputs inputs) throws Refusal {
        RepairResult<UUID> result = alone(migration::repair);
        return answer(Map.of(
                "changes",
                result.counts().changes(),
                "unrepaired",
                result.unrepaired(),
                "left",
                migration.review().open()));
    }

    /** After the switch to the new path, the old table is out of date by design. */
    private <T> T alone(Supplier<T> work) throws Refusal {
        if (platform.paths.mode() == PathMode.NEW) {
            throw Refusals.migration("The old path is no longer written, so there is nothing to compare or repair.");
        }
        try {
            return work.get();
        } catch (SupersededException another) {
            throw Refusals.migration(
                    "Another comparison has started meanwhile and continues. See its findings instead.");
        }
    }
}
