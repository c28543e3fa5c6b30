package io.counterpoint.idempotency.examples.springboot;

/** What a client sends, and then the provider gets. It is stored with the key: a token of the card, never its number. */
record Order(String card, long cents) {
    Order {
        Texts.require("card", card);
        if (cents < 1) {
            throw new IllegalArgumentException("cents must be 1 or more. Nothing was done.");
        }
    }
}
