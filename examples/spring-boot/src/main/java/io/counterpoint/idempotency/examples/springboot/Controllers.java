package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.IdempotencyException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The handlers, and what becomes of their exceptions. */
@RestController
class Controllers {

    /** The effects so far. */
    final List<String> effects = new CopyOnWriteArrayList<>();

    private final Operation<Transaction, String> createGroup;

    Controllers(Operation<Transaction, String> createGroup) {
        this.createGroup = createGroup;
    }

    record Group(String name) {}

    record Payment(String to, int cents) {}

    record Created(String id) {}

    /** A handler-managed key. */
    @PostMapping("/groups")
    @ResponseStatus(HttpStatus.CREATED)
    Created createGroup(@RequestBody Group group, HttpServletRequest request) {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        return new Created(idempotent.resultOf(createGroup.execute(idempotent.attempt(), transaction -> {
            transaction.onCommit(() -> effects.add(group.name()));
            return "group-of-" + group.name();
        })));
    }

    /** A filter-managed key: the filter has claimed it, and stores the response of this method. */
    @PostMapping("/payments")
    ResponseEntity<Created> pay(@RequestBody Payment payment) {
        if (payment.cents() <= 0) {
            return ResponseEntity.badRequest().build();
        }
        effects.add(payment.to());
        if (payment.to().equals("nobody")) {
            throw new IllegalStateException("The other side hung up.");
        }
        return ResponseEntity.status(HttpStatus.CREATED).body(new Created("payment-to-" + payment.to()));
    }

    /** A filter-managed key, on another thread. */
    @PostMapping("/payments/later")
    Callable<Created> payLater(@RequestBody Payment payment) {
        return () -> {
            effects.add(payment.to());
            return new Created("payment-to-" + payment.to());
        };
    }

    /** The handler below would take these too, and turn each into 500. */
    @ExceptionHandler
    void answered(IdempotencyException exception, HttpServletRequest request) throws IOException {
        IdempotentRequest.of(request).answer(exception);
    }

    @ExceptionHandler
    ResponseEntity<String> failed(Exception thrown) {
        return ResponseEntity.internalServerError().body("Sorry.");
    }
}
