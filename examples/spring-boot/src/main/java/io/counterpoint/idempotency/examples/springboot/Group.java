package io.counterpoint.idempotency.examples.springboot;

import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Version;

/** A group with a name and a number of members. */
@Entity
@Table(name = "chat_group")
class Group {

    @Id
    @GeneratedValue(strategy = GenerationType.IDENTITY)
    private long id;

    @Version
    private long version;

    private String name = "";
    private String owner = "";
    private int members = 1;

    /** Required by JPA. */
    protected Group() {}

    Group(String name, String owner) {
        this.name = name;
        this.owner = owner;
    }

    long id() {
        return id;
    }

    String name() {
        return name;
    }

    String owner() {
        return owner;
    }

    int members() {
        return members;
    }

    void join() {
        members++;
    }
}
