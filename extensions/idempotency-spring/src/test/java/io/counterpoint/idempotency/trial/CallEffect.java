package io.counterpoint.idempotency.trial;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;

/** An effect, as an entity. The table has no unique key, so that duplicates can show. */
@Entity
@Table(name = "call_effect")
@IdClass(CallEffect.Key.class)
class CallEffect {

    @Id
    private String id;

    @Id
    private String result;

    CallEffect() {}

    CallEffect(String id, String result) {
        this.id = id;
        this.result = result;
    }

    /** Both of its columns. */
    record Key(String id, String result) implements Serializable {}
}
