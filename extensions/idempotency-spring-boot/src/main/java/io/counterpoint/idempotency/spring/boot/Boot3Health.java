package io.counterpoint.idempotency.spring.boot;

import org.springframework.boot.actuate.health.AbstractHealthIndicator;
import org.springframework.boot.actuate.health.Health;

/** The health of the table for Spring Boot 3. */
final class Boot3Health extends AbstractHealthIndicator {

    private final TableHealth table;

    Boot3Health(TableHealth table) {
        super("The table of idempotency records cannot be read");
        this.table = table;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        TableHealth.Finding finding = table.check();
        Health.Builder unused = (finding.up() ? builder.up() : builder.down()).withDetails(finding.details());
    }
}
