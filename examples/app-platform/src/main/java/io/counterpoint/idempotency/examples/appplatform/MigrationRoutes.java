package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.ComparisonException.SupersededException;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Decision;
import io.counterpoint.idempotency.consistency.comparison.ComparisonReview.Item;
import io.counterpoint.idempotency.consistency.comparison.RepairResult;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.Json;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * The migration of apps from users to workspaces, for operators: the switch, the comparison, the decision about each finding,
 * and the repair. Each answers with the mode and what is open. A request that comes twice changes nothing the second time.
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
        routes.operator("GET", PATH, (inputs, request, response) -> answer(response, Map.of()))
                .operator("POST", PATH + "/mode", this::switchMode, Parameter.MODE)
                .operator("POST", PATH + "/comparisons", this::compare)
                .operator("POST", PATH + "/choices", this::choose, Parameter.DECISION, Parameter.APP_OR_REST)
                .operator("POST", PATH + "/repairs", this::repair);
    }

    private void answer(HttpServletResponse response, Map<String, ?> first) throws IOException {
        Map<String, Object> answer = new LinkedHashMap<>(first);
        answer.put("mode", platform.paths.mode().toString());
        answer.put("findings", migration.review().open());
        answer.put(
                "differences",
                migration.review().findings(0, SHOWN).stream()
                        .map(MigrationRoutes::row)
                        .toList());
        Replies.answer(response, 200, answer);
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

    private void switchMode(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        PathMode mode = platform.paths.to(inputs.get(Parameter.MODE));
        Replies.answer(response, 200, Map.of("mode", mode.toString()));
    }

    private void compare(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        String report = alone(() -> migration.comparison().startOver().json());
        answer(response, Map.of("report", Json.parse(report)));
    }

    private void choose(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        Optional<UUID> app = inputs.get(Parameter.APP_OR_REST);
        Decision decision = inputs.get(Parameter.DECISION);
        if (app.isPresent() && !migration.review().decide(app.get(), decision)) {
            throw Refusal.missing("finding");
        }
        answer(
                response,
                Map.of("chosen", app.isPresent() ? 1 : migration.review().decideRest(decision)));
    }

    private void repair(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        RepairResult<UUID> result = alone(migration::repair);
        answer(
                response,
                Map.of(
                        "changes",
                        result.counts().changes(),
                        "unrepaired",
                        result.unrepaired(),
                        "left",
                        migration.review().open()));
    }

    /** Behind the switch to the new path, the old table is out of date by design. */
    private <T> T alone(Supplier<T> work) throws Refusal {
        if (platform.paths.mode() == PathMode.NEW) {
            throw Refusals.migration("The old path is written no more, so there is nothing to compare or repair.");
        }
        try {
            return work.get();
        } catch (SupersededException another) {
            throw Refusals.migration("Another comparison has begun meanwhile, and goes on: look at what it finds.");
        }
    }
}
