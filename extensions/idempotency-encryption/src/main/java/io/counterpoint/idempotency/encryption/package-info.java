/** Encryption of stored results: {@link io.counterpoint.idempotency.encryption.ResultEncryption}. */
@NullMarked
package io.counterpoint.idempotency.encryption;

import org.jspecify.annotations.NullMarked;
