/** An application on the module path. */
module consumer {
    requires io.counterpoint.idempotency.jdbc;
    requires io.counterpoint.idempotency.consistency;
}
