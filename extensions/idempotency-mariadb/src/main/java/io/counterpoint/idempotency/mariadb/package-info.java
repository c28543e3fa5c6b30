/** MariaDB and MySQL as the store of idempotent operations. */
@NullMarked
package io.counterpoint.idempotency.mariadb;

import org.jspecify.annotations.NullMarked;
