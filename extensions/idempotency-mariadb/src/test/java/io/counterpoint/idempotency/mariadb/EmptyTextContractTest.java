package io.counterpoint.idempotency.mariadb;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Sessions that take an empty text for NULL, as Oracle does. */
@Tag("matrix")
@Tag("mariadb")
class EmptyTextContractTest extends MariaDbContract {

    @BeforeAll
    static void open() {
        database = TestPool.with("&sessionVariables=sql_mode='STRICT_TRANS_TABLES,EMPTY_STRING_IS_NULL'");
    }
}
