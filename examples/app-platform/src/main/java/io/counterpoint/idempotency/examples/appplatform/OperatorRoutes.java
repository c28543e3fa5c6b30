package io.counterpoint.idempotency.examples.appplatform;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;

import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.programs.Json;
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
        routes.get("/lags", inputs -> lags())
                .operator(
                        "GET", "/checks", inputs -> Json.parse(platform.check().json()))
                .operator("POST", "/repairs/*", this::repair, Parameter.DRY_RUN)
                .operator("POST", "/rebuilds/search-index", inputs -> Map.of("apps", rebuildSearch()));
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

    /** Rebuilds from the tables, the source of truth. Returns the number of entries written. */
    private int rebuildSearch() {
        return platform.transactions.inTransaction(READ_COMMITTED, SearchIndex::rebuild);
    }

    private Object repair(Inputs inputs) throws Refusal {
        if (platform.checks.named(inputs.name()).isEmpty()) {
            throw Refusal.missing("check");
        }
        return platform.upkeep.repair(inputs.name(), inputs.get(Parameter.DRY_RUN)).stream()
                .map(report -> Json.parse(report.json()))
                .toList();
    }
}
