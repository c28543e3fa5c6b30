package io.counterpoint.idempotency.spring;

import java.util.UUID;
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
                .params(UUID.randomUUID(), name)
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
}
