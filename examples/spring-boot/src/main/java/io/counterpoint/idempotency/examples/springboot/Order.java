package io.counterpoint.idempotency.examples.springboot;

/**
 * The request body. It is stored with the key and sent to the provider, so it has a card token, never a card number.
 */
record Order(String card, long cents) {
    Order {
        Texts.require("card", card);
        if (cents < 1) {
            throw new IllegalArgumentException("cents must be 1 or more. Nothing was done.");
        }
    }
}
