package io.counterpoint.idempotency.spring.boot;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/** The health of the table for Spring Boot 4. */
final class Boot4Health extends AbstractHealthIndicator {

    private final TableHealth table;

    Boot4Health(TableHealth table) {
        super("The table of idempotency records cannot be read");
        this.table = table;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        TableHealth.Finding finding = table.check();
        Health.Builder unused = (finding.up() ? builder.up() : builder.down()).withDetails(finding.details());
    }
}
