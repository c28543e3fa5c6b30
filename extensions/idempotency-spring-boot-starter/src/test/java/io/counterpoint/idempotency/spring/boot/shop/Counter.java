package io.counterpoint.idempotency.spring.boot.shop;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.IdempotencyKey;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.annotation.Idempotent;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The web. */
@RestController
class Counter {

    record Item(String name) {}

    private final Orders orders;

    Counter(Orders orders) {
        this.orders = orders;
    }

    @PostMapping("/purchases")
    @ResponseStatus(HttpStatus.CREATED)
    Orders.Bought buy(@RequestBody Item item) {
        return orders.buyOverHttp(item.name());
    }

    /** The entity is of the request's session, and is read again after the call. */
    @PostMapping("/renamed/{purchase}")
    String rename(@PathVariable("purchase") Purchase purchase, @RequestBody Item item) {
        Orders.Bought renamed = orders.rename(purchase, item.name());
        return renamed.item() + ", read again: " + orders.itemOf(purchase.id());
    }

    @PostMapping("/purchases/two")
    Orders.Bought buyTwo(@RequestBody Item item) {
        orders.buyOverHttp(item.name());
        return orders.buyOverHttp("more " + item.name());
    }

    @PostMapping("/purchases/parts")
    Orders.Bought buyParts(@RequestBody Item item) {
        orders.buyPart(1, item.name());
        return orders.buyPart(2, item.name());
    }

    @PostMapping("/purchases/unnamed-parts")
    Orders.Bought buyUnnamedPart(@RequestBody Item item) {
        return orders.buyPart(null, item.name());
    }

    @PostMapping("/optional/purchases")
    Orders.Bought buyWithoutARequiredKey(@RequestBody Item item) {
        return orders.buyOverHttp(item.name());
    }

    @PostMapping("/open/purchases")
    Orders.Bought buyOpenly(@RequestBody Item item) {
        return orders.buyOverHttp(item.name());
    }

    @PostMapping("/orders")
    Orders.Bought order(@RequestBody Orders.Wanted wanted) {
        return orders.buy(wanted);
    }

    @PostMapping("/priced")
    void order(@RequestBody Orders.Priced priced) {
        orders.order(priced);
    }

    @PostMapping("/open/orders")
    Orders.Bought orderOpenly(@RequestBody Orders.Wanted wanted) {
        return orders.buy(wanted);
    }

    /** Takes a form, which Spring reads for all but POST. */
    @RequestMapping({"/renamed", "/traced/renamed"})
    Orders.Bought rename(@RequestParam String name) {
        return orders.buyOverHttp(name);
    }

    /** Takes a form, and no key. */
    @RequestMapping({"/named/item", "/unkeyed"})
    Item named(@RequestParam String name) {
        return new Item(name);
    }

    /** Does nothing with the key of its request. */
    @PostMapping({"/forgotten", "/unprotected"})
    @ResponseStatus(HttpStatus.CREATED)
    Item forgotten(@RequestBody Item item) {
        return item;
    }

    /** The endpoint itself takes the key of the request. */
    @PostMapping("/annotated")
    @Idempotent(operation = "buy-at-the-counter", key = "#attempt")
    public Item annotated(@RequestBody Item item) {
        return item;
    }

    @PostMapping("/unavailable")
    void unavailable() {
        throw new NotStartedException(
                IdempotencyException.Reason.STORE_UNREACHABLE,
                IdempotencyKey.inScope("test").operation("unavailable").value("k"),
                null);
    }

    @PostMapping("/wrapped")
    void wrapped() {
        throw new IllegalStateException(
                "of a framework",
                new NotStartedException(
                        IdempotencyException.Reason.STORE_UNREACHABLE,
                        IdempotencyKey.inScope("test").operation("wrapped").value("k"),
                        null));
    }

    /** A controller whose own handler for all exceptions comes before every advice. */
    @RestController
    @RequestMapping("/counter/own")
    static class OwnHandler {
        @PostMapping
        void unavailable() {
            throw new NotStartedException(
                    IdempotencyException.Reason.STORE_UNREACHABLE,
                    IdempotencyKey.inScope("test").operation("own").value("k"),
                    null);
        }

        @ExceptionHandler
        ResponseEntity<String> failed(RuntimeException thrown) {
            return ResponseEntity.badRequest().body("Sorry.");
        }
    }

    /** A controller that answers the library's exceptions by itself. */
    @RestController
    @RequestMapping("/counter/naming")
    static class Naming {
        @PostMapping
        void unavailable() {
            throw new NotStartedException(
                    IdempotencyException.Reason.STORE_UNREACHABLE,
                    IdempotencyKey.inScope("test").operation("naming").value("k"),
                    null);
        }

        @ExceptionHandler
        ResponseEntity<String> failed(IdempotencyException thrown) {
            return ResponseEntity.status(503).body("mine");
        }
    }

    /** As many applications have it. */
    @ControllerAdvice(assignableTypes = Counter.class)
    static class Everything {
        @ExceptionHandler
        ResponseEntity<String> failed(Exception thrown) {
            return ResponseEntity.internalServerError().body("Sorry.");
        }
    }
}
