package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.consistency.comparison.Side;
import io.counterpoint.idempotency.examples.appplatform.usecase.PathMode;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The migration of apps from users to workspaces, for operators: the switch, the comparison, the choice of the right side for
 * each finding, and the repair. A request that comes twice changes nothing the second time.
 */
final class MigrationRoutes {

    private static final String PATH = "/migrations/apps";
    private static final int SHOWN = 100;

    private final Platform platform;

    MigrationRoutes(Platform platform) {
        this.platform = platform;
    }

    void addTo(Routes routes) {
        routes.operator("GET", PATH, (inputs, request, response) -> show(response))
                .operator("POST", PATH + "/mode", this::switchMode, Parameter.MODE)
                .operator("POST", PATH + "/comparisons", this::compare)
                .operator("POST", PATH + "/choices", this::choose, Parameter.SIDE, Parameter.APP_OR_REST)
                .operator("POST", PATH + "/repairs", this::repair);
    }

    /** The mode, and what the latest comparison found, with both values. */
    private void show(HttpServletResponse response) throws IOException {
        List<MigrationReview.Difference> differences = platform.migration().differences();
        Map<String, Object> answer = new LinkedHashMap<>();
        answer.put("mode", platform.paths().mode().toString());
        answer.put("findings", differences.size());
        answer.put(
                "differences",
                differences.stream().limit(SHOWN).map(MigrationRoutes::row).toList());
        Replies.answer(response, 200, answer);
    }

    private static Map<String, Object> row(MigrationReview.Difference difference) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("app", difference.app());
        row.put("old", difference.old().orElse(null));
        row.put("new", difference.replacement().orElse(null));
        row.put("right", difference.right().map(Side::toString).orElse(null));
        return row;
    }

    private void switchMode(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        PathMode mode = platform.paths().to(inputs.get(Parameter.MODE));
        Replies.answer(response, 200, Map.of("mode", mode.toString()));
    }

    private void compare(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        requireOldIsWritten();
        Replies.json(response, 200, platform.migration().detect().json());
    }

    private void choose(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        Optional<UUID> app = inputs.get(Parameter.APP_OR_REST);
        Side right = inputs.get(Parameter.SIDE);
        if (app.isPresent() && !platform.migration().choose(app.get(), right)) {
            throw Refusal.missing("finding");
        }
        int chosen = app.isPresent() ? 1 : platform.migration().chooseForTheRest(right);
        Replies.answer(response, 200, Map.of("chosen", chosen));
    }

    private void repair(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        requireOldIsWritten();
        long changes = platform.migration().repair();
        Replies.answer(
                response,
                200,
                Map.of(
                        "changes",
                        changes,
                        "left",
                        platform.migration().differences().size()));
    }

    /** Behind the switch to the new path, the old table is out of date by design. */
    private void requireOldIsWritten() throws Refusal {
        if (platform.paths().mode() == PathMode.NEW) {
            throw Refusals.migration("The old path is written no more, so there is nothing to compare or repair.");
        }
    }
}
