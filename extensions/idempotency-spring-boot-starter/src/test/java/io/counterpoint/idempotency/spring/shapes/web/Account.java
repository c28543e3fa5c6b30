package io.counterpoint.idempotency.spring.shapes.web;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;

/** An account and what is booked on it. */
@Entity
class Account {
    @Id
    String id = "";

    long balance;

    @Version
    long version;

    @JoinColumn(name = "account")
    @OneToMany(cascade = CascadeType.ALL)
    final List<Booking> bookings = new ArrayList<>();

    long add(long amount) {
        return balance += amount;
    }

    static Booking booking(String id) {
        Booking booking = new Booking();
        booking.id = id;
        return booking;
    }

    /** A part of an account. */
    @Entity(name = "Booking")
    static class Booking {
        @Id
        String id = "";
    }
}
