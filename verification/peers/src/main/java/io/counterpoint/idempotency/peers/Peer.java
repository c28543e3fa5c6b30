package io.counterpoint.idempotency.peers;

/** The libraries, with the versions that are tested. */
enum Peer {
    THIS_LIBRARY("this library"),
    DBOS("DBOS Transact"),
    SPRING_INTEGRATION("Spring Integration"),
    CAMEL("Apache Camel, transacted"),
    CAMEL_BY_DEFAULT("Apache Camel, by default"),
    TRANSACTION_OUTBOX("transaction-outbox"),
    NOTHING("no library");

    private final String title;

    Peer(String title) {
        this.title = title;
    }

    String title() {
        return title;
    }

    /**
     * Opens the use case.
     *
     * @param url the URL of the database, whose connections are subject to faults
     * @param system the same database without faults, for tables that a library keeps outside the effect's transaction
     */
    UseCase open(String url, String system, Work work) {
        return switch (this) {
            case THIS_LIBRARY -> new OnThisLibrary(Worker.pool(url), work);
            case DBOS -> new OnDbos(Worker.pool(url), Worker.pool(system), work);
            case SPRING_INTEGRATION -> new OnSpringIntegration(url, work);
            case CAMEL -> new OnCamel(url, work, true);
            case CAMEL_BY_DEFAULT -> new OnCamel(url, work, false);
            case NOTHING -> new OnNothing(Worker.pool(url), work);
            case TRANSACTION_OUTBOX -> new OnTransactionOutbox(Worker.pool(url), work);
        };
    }
}
