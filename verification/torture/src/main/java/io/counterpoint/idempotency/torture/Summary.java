package io.counterpoint.idempotency.torture;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.counterpoint.idempotency.programs.Json;
import java.util.Map;

/** A run as JSON. */
final class Summary {

    private Summary() {}

    static String of(Run run) {
        ObjectNode all = Json.object()
                .put("start", run.start().toString())
                .put("seconds", run.time().toSeconds())
                .put("seed", run.seed())
                .put("arguments", run.command())
                .put("java", run.versions().java())
                .put("server", run.versions().server())
                .put("driver", run.versions().driver())
                .put("os", run.versions().os())
                .put("processors", run.versions().processors())
                .put("passed", run.passed())
                .put("complete", run.complete())
                .put("keys", run.keys())
                .put("answered", run.answered())
                .put("unanswered", run.unanswered());
        all.set("faults", sums(run.faults()));
        all.set("answers", sums(run.answers()));
        all.set("violations", violations(run.verdict()));
        all.put("lostReads", run.verdict().lostReads());
        ArrayNode modes = all.putArray("modes");
        for (Segment.Result mode : run.modes()) {
            modes.add(mode(mode));
        }
        ArrayNode mutants = all.putArray("mutants");
        for (Run.Trial trial : run.mutants()) {
            ObjectNode mutant =
                    mutants.addObject().put("mutant", trial.mutant().option()).put("caught", trial.isCaught());
            mutant.set("violations", violations(trial.caught()));
        }
        return Json.byElement(all) + "\n";
    }

    private static ObjectNode mode(Segment.Result mode) {
        ObjectNode object = Json.object()
                .put("mode", mode.mode().option())
                .put("keys", mode.keys())
                .put("answered", mode.answered())
                .put("unanswered", mode.unanswered())
                .put("longestMillis", mode.longest().toMillis())
                .put("millis", mode.time().toMillis())
                .put("underFaults", mode.underFaults());
        object.set("faults", sums(mode.faults()));
        object.set("answers", sums(mode.answers()));
        object.set("violations", violations(mode.verdict()));
        return object;
    }

    private static ObjectNode violations(Verdict verdict) {
        ObjectNode object = Json.object();
        for (Violation violation : Violation.values()) {
            object.put(violation.toString(), verdict.count(violation));
        }
        return object;
    }

    private static ObjectNode sums(Map<?, Long> sums) {
        ObjectNode object = Json.object();
        sums.forEach((what, count) -> object.put(what.toString(), count));
        return object;
    }
}
