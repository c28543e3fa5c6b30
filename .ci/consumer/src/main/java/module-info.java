/** An application on the module path. */
module consumer {
    requires io.counterpoint.idempotency.jdbc;
    requires io.counterpoint.idempotency.consistency;
    requires io.leangen.geantyref;
    requires org.jdbi.v3.core;
    // Jdbi is an automatic module: nobody else resolves what it needs, this and the first.
    requires org.slf4j;
}
