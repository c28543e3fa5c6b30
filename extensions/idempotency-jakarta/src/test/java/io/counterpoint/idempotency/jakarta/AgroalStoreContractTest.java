package io.counterpoint.idempotency.jakarta;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;

class AgroalStoreContractTest extends StoreContract {
    @BeforeAll
    static void open() throws SQLException {
        database = Database.open(Database.Way.AGROAL);
    }
}
