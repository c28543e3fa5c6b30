package io.counterpoint.idempotency.spring.bridge;

import jakarta.persistence.Embeddable;
import jakarta.persistence.EmbeddedId;
import jakarta.persistence.Entity;

/** A row of the old key table. */
@Entity(name = "processed_request")
class ProcessedRequest {

    @EmbeddedId
    Key key;

    String response;

    protected ProcessedRequest() {}

    ProcessedRequest(Key key, String response) {
        this.key = key;
        this.response = response;
    }

    @Embeddable
    record Key(String userId, String requestId) {}
}
