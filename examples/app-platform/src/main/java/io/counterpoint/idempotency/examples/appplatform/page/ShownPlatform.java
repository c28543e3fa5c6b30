package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.usecase.CreateApp;
import io.counterpoint.idempotency.programs.DatabaseAddress;

/**
 * What the page needs from the platform that it shows. It does everything else over HTTP and in tables.
 *
 * @param database the platform's PostgreSQL database
 * @param service the URL of the service, without a path
 * @param operatorToken the token with which an operator checks and repairs
 * @param isMendedOnSchedule whether scheduled checks repair what they find
 * @param createApp can also create apps without its operation, to show what unprotected retries do
 */
public record ShownPlatform(
        DatabaseAddress database,
        String service,
        String operatorToken,
        boolean isMendedOnSchedule,
        CreateApp createApp) {}
