package io.counterpoint.idempotency.spring;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;

/** An effect, as an entity. Its number is made here, so that only a flush writes it. */
@Entity
@Table(name = "effect")
class Effect {

    @Id
    private String number;

    @Column(name = "id")
    private String name;

    Effect() {}

    Effect(String name) {
        this.number = UUID.randomUUID().toString();
        this.name = name;
    }

    String name() {
        return name;
    }
}
