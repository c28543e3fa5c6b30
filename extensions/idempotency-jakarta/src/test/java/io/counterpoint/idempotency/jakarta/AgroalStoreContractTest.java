package io.counterpoint.idempotency.jakarta;

import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

@Tag("thorough")
class AgroalStoreContractTest extends StoreContract {
    @BeforeAll
    static void open() throws SQLException {
        database = Database.open(Database.Way.AGROAL);
    }
}
