package io.counterpoint.idempotency.jdbc.spi;

import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * What one batch of a purge has deleted.
 *
 * @param count how many records
 * @param latest the latest end of their retention; null if there were none
 */
public record PurgedBatch(int count, @Nullable OffsetDateTime latest) {}
