/** The dialect for MariaDB and MySQL. */
@NullMarked
package io.counterpoint.idempotency.mariadb;

import org.jspecify.annotations.NullMarked;
