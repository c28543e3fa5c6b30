package io.counterpoint.idempotency.spring;

import java.util.UUID;
import java.util.function.LongSupplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** A service on JDBC that insists on a transaction of its caller's. */
@Transactional(propagation = Propagation.MANDATORY)
class JdbcEffects implements Effects {

    private final JdbcClient jdbc;

    JdbcEffects(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public void write(String name) {
        jdbc.sql("INSERT INTO effect (number, id) VALUES (?, ?)")
                .params(UUID.randomUUID().toString(), name)
                .update();
    }

    @Override
    public boolean isThere(String name) {
        return jdbc.sql("SELECT count(*) FROM effect WHERE id = ?")
                        .param(name)
                        .query(Integer.class)
                        .single()
                > 0;
    }

    @Override
    public void open(String account) {
        jdbc.sql("INSERT INTO account (id, balance, version) VALUES (?, 0, 0)")
                .param(account)
                .update();
    }

    @Override
    public LongSupplier change(String account) {
        jdbc.sql("UPDATE account SET balance = balance + 1, version = version + 1 WHERE id = ?")
                .param(account)
                .update();
        long version = jdbc.sql("SELECT version FROM account WHERE id = ?")
                .param(account)
                .query(Long.class)
                .single();
        return () -> version;
    }
}
