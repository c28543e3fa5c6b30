package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.programs.DatabaseAddress;

/**
 * What the page needs of the platform that it shows. Everything else goes over HTTP, and through tables.
 *
 * @param database where the platform's tables are; a PostgreSQL
 * @param service where the service listens, without a path
 * @param operatorToken what an operator sends to check and to repair
 * @param isMendedOnSchedule whether scheduled checks mend what they find
 * @param createApp makes apps also without its operation, to show what retries make of that
 */
public record ShownPlatform(
        DatabaseAddress database,
        String service,
        String operatorToken,
        boolean isMendedOnSchedule,
        CreateApp createApp) {}
