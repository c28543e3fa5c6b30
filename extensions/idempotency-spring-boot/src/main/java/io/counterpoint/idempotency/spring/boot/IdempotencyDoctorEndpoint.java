package io.counterpoint.idempotency.spring.boot;

import io.counterpoint.idempotency.admin.Administration;
import io.counterpoint.idempotency.admin.Finding;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;

/**
 * Checks the table, its records, the server, the driver and the pool against the documentation. It changes nothing and
 * shows no scopes, keys, results, passwords or URLs. It is off unless exposed.
 */
@Endpoint(id = "idempotencydoctor", defaultAccess = Access.READ_ONLY)
public final class IdempotencyDoctorEndpoint {

    private final Administration administration;

    IdempotencyDoctorEndpoint(Administration administration) {
        this.administration = administration;
    }

    /**
     * Returns the findings.
     *
     * @return the findings, each with its severity, code and remedy
     */
    @ReadOperation
    public Map<String, Object> findings() {
        List<Map<String, String>> findings = Stream.concat(
                        administration.examineDatabase().stream(), administration.examineClient().stream())
                .map(IdempotencyDoctorEndpoint::view)
                .toList();
        return Map.of("findings", findings);
    }

    private static Map<String, String> view(Finding finding) {
        return Map.of(
                "severity",
                finding.severity().name(),
                "code",
                finding.code(),
                "found",
                finding.found(),
                "remedy",
                finding.remedy());
    }
}
