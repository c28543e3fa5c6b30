package io.counterpoint.idempotency.examples.appplatform.payment;

import com.sun.net.httpserver.HttpExchange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** A payment provider that fails on demand. */
public final class FaultyProvider extends PaymentProvider {

    /** How it fails. */
    public enum Fault {
        /** Does not fail. */
        NONE,
        /** Declines everything that it has not charged yet, permanently. */
        REFUSES,
        /** Charges, and closes the connection without a response. */
        LOSES_ANSWERS,
        /** Charges at once, but does not respond until its behaviour changes. */
        ANSWERS_LATE,
        /** Does not charge until its behaviour changes, perhaps after its client has given up. */
        CHARGES_LATE
    }

    /** A behaviour and the latch that ends it. */
    private record Behaviour(Fault fault, CountDownLatch over) {}

    private volatile Behaviour behaviour = new Behaviour(Fault.NONE, new CountDownLatch(1));

    /** Binds a port of this machine; 0 for any free port. */
    public FaultyProvider(Path folder, int port) throws IOException {
        super(folder, port);
    }

    /** Fails in this way from now on. Requests held up by the previous behaviour continue. */
    public void behave(Fault fault) {
        Behaviour former = behaviour;
        behaviour = new Behaviour(fault, new CountDownLatch(1));
        former.over().countDown();
    }

    @Override
    void pay(HttpExchange exchange, String key, String amount) throws IOException {
        Behaviour now = behaviour;
        await(now, Fault.CHARGES_LATE);
        String unused = decide(key, now.fault() == Fault.REFUSES ? REFUSED : amount);
        await(now, Fault.ANSWERS_LATE);
        if (now.fault() == Fault.LOSES_ANSWERS) {
            exchange.close();
        } else {
            super.pay(exchange, key, amount);
        }
    }

    private static void await(Behaviour now, Fault fault) {
        if (now.fault() == fault) {
            try {
                now.over().await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        behave(Fault.NONE);
        super.close();
    }
}
