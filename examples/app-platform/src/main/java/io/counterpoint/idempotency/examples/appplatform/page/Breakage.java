package io.counterpoint.idempotency.examples.appplatform.page;

import com.fasterxml.jackson.databind.JsonNode;
import io.counterpoint.idempotency.examples.appplatform.http.Refusals;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Plants damage, and has the service find and repair it on an operator's behalf. If the service repairs on schedule,
 * nothing is planted, because it would be fixed before anybody sees it.
 */
record Breakage(Service service, Jdbi jdbi) {

    private static final int LONGEST_NAME = 100;

    Done plant(Input input) throws Refusal {
        Damage damage = input.choice("damage", Damage.values());
        if (service.platform().isMendedOnSchedule()) {
            throw Refusals.busy("The service was started with --repair and would fix this in the background. Start it"
                    + " without.");
        }
        int rows = jdbi.withHandle(handle -> handle.execute(damage.sql));
        if (rows == 0) {
            throw Refusals.busy("There is no row to damage this way. Create an app first.");
        }
        return new Done(
                "This bypassed the service and changed its tables directly, so the library did nothing. The check "
                        + damage.check + " finds it.",
                Map.of("rows", rows, "check", damage.check));
    }

    Done check(Input input) throws IOException, InterruptedException {
        return new Done(
                "Each check read its tables in one transaction and counted what offends it. Checks change nothing.",
                Map.of("checks", service.get("/checks").path("checks")));
    }

    Done repair(Input input) throws Refusal, IOException, InterruptedException {
        String check = input.text("check", LONGEST_NAME);
        boolean dryRun = input.flag("dryRun");
        if (!check.matches("[a-z-]+")) {
            throw Refusals.malformed("check must be a name of lower-case letters and hyphens.");
        }
        JsonNode reports = service.operate("/repairs/" + check + (dryRun ? "?dryRun=true" : ""), Map.of());
        return new Done(
                dryRun
                        ? "The dry run counted what the repair would change, under the repair's own condition, and"
                                + " changed nothing."
                        : "The repair changed rows in batches. Each batch committed with an audit row for every change,"
                                + " and the check ran again.",
                Map.of("check", check, "dryRun", dryRun, "reports", reports));
    }

    /** The latest changes made by repairs, with old and new values. */
    static List<Map<String, Object>> audit(Handle handle) {
        return handle.createQuery("""
                        SELECT seq, repair, table_name, row_key, values_before, values_after,
                            to_char(changed_at, 'HH24:MI:SS') AS changed_at
                        FROM repair_audit ORDER BY seq DESC LIMIT 12
                        """).mapToMap().list();
    }
}
