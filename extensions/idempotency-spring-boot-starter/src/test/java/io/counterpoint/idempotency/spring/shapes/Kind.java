package io.counterpoint.idempotency.spring.shapes;

import io.counterpoint.idempotency.spring.shapes.web.Bank;
import java.util.List;

/** An application of the table. */
enum Kind {
    BANK(Bank.class),
    BANK_WITH_ONE_CONNECTION(Bank.class),
    LEDGER(
            Ledger.class,
            "--spring.autoconfigure.exclude=org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                    + "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration"),
    COLUMN(Tenancy.class, "--tenants=COLUMN"),
    SCHEMA(Tenancy.class, "--tenants=SCHEMA"),
    DATABASE(Tenancy.class, "--tenants=DATABASE"),
    ROUTED(Tenancy.class, "--tenants=ROUTED"),
    TWO_FACTORIES(TwoFactories.class);

    private final Class<?> application;

    @SuppressWarnings("ImmutableEnumChecker") // List.of gives one.
    private final List<String> arguments;

    Kind(Class<?> application, String... arguments) {
        this.application = application;
        this.arguments = List.of(arguments);
    }

    Class<?> application() {
        return application;
    }

    List<String> arguments() {
        return arguments;
    }

    /** What the requests of a shape name. */
    List<String> named(int use) {
        return application == Tenancy.class ? List.of("blue", "green") : List.of("a" + use);
    }
}
