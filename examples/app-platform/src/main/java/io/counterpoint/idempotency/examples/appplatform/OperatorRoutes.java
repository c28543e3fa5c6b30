package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.consistency.check.CheckReport;
import io.counterpoint.idempotency.consistency.check.RepairReport;
import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Lags for everybody; checks, repairs and rebuilds for operators. */
final class OperatorRoutes {

    private final Platform platform;

    OperatorRoutes(Platform platform) {
        this.platform = platform;
    }

    void addTo(Routes routes) {
        routes.get("/lags", (inputs, request, response) -> Replies.answer(response, 200, lags()))
                .operator("GET", "/checks", this::check)
                .operator("POST", "/repairs/*", this::repair, Parameter.DRY_RUN)
                .operator(
                        "POST",
                        "/rebuilds/search-index",
                        (inputs, request, response) -> Replies.answer(response, 200, Map.of("apps", rebuildSearch())));
    }

    private List<Map<String, Object>> lags() {
        return platform.lags.now().stream()
                .map(lag -> {
                    Map<String, Object> row = new LinkedHashMap<>();
                    row.put("part", lag.bound().part());
                    row.put("boundMillis", lag.bound().lag().toMillis());
                    row.put("events", lag.events());
                    row.put("worstMillis", lag.worst().toMillis());
                    row.put("holds", lag.holds());
                    return row;
                })
                .toList();
    }

    /** The tables are right. Returns the number of entries that were written. */
    private int rebuildSearch() {
        return platform.transactions.inTransaction(READ_COMMITTED, SearchIndex::rebuild);
    }

    private void check(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        CheckReport report = platform.check();
        Replies.json(response, 200, report.json());
    }

    private void repair(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        if (platform.checks.named(Routes.name(request)).isEmpty()) {
            throw Refusal.missing("check");
        }
        List<RepairReport> reports = platform.upkeep.repair(Routes.name(request), inputs.get(Parameter.DRY_RUN));
        Replies.json(
                response, 200, reports.stream().map(RepairReport::json).toList().toString());
    }
}
