package io.counterpoint.idempotency.spring.boot;

import org.springframework.beans.factory.SmartInitializingSingleton;

/** Prepares the table once all beans exist: by then migrations have run, but the web server has not started. */
final class TableAtStart implements SmartInitializingSingleton {

    private final RecordDatabase database;

    TableAtStart(RecordDatabase database) {
        this.database = database;
    }

    @Override
    public void afterSingletonsInstantiated() {
        database.prepareTable();
    }
}
