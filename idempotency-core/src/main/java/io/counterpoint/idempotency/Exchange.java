package io.counterpoint.idempotency;

import io.counterpoint.idempotency.engine.Payloads;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A provider request, the time from which it may have been sent, and the provider's response once known. A resolution
 * by an operator has only the response.
 */
record Exchange<Q, A>(Instant since, Optional<Q> request, Optional<A> answer) {

    static <Q, A> Exchange<Q, A> asking(Instant since, Q request) {
        return new Exchange<>(since, Optional.of(request), Optional.empty());
    }

    static <Q, A> Exchange<Q, A> answering(A answer) {
        return new Exchange<>(Instant.EPOCH, Optional.empty(), Optional.of(answer));
    }

    /** The request of a record that must contain one. */
    Q stored() {
        return request.orElseThrow(() -> new IllegalStateException(
                "The stored request is missing or unreadable; keep a codec that reads what earlier versions wrote."));
    }

    /** The first response wins. */
    Exchange<Q, A> answeredBy(Exchange<Q, A> other) {
        return new Exchange<>(since, request, answer.or(other::answer));
    }

    /** What the engine needs to know about it. */
    record Asking<Q, A>() implements Payloads.Asking<Exchange<Q, A>> {
        @Override
        public boolean isAnswered(Exchange<Q, A> plan) {
            return plan.answer.isPresent();
        }

        @Override
        public Exchange<Q, A> complete(Exchange<Q, A> plan, Exchange<Q, A> answer) {
            return plan.answeredBy(answer);
        }
    }

    /** The bytes of both, one after the other. */
    record Codec<Q, A>(ResultCodec<Q> requests, ResultCodec<A> answers, int mostOfEach)
            implements ResultCodec<Exchange<Q, A>> {

        private static final int ABSENT = -1;

        /** The maximum size of both together. */
        static int most(int ofEach) {
            return Long.BYTES + 2 * (Integer.BYTES + ofEach);
        }

        @Override
        public byte[] encode(Exchange<Q, A> exchange) {
            throw new UnsupportedOperationException("An exchange cannot be encoded without its key.");
        }

        @Override
        public Exchange<Q, A> decode(byte[] bytes) {
            throw new UnsupportedOperationException("An exchange cannot be decoded without its key.");
        }

        @Override
        public byte[] encode(IdempotencyKey key, Exchange<Q, A> exchange) throws Exception {
            byte[] request = exchange.request.isEmpty() ? null : requests.encode(key, exchange.request.get());
            byte[] answer = exchange.answer.isEmpty() ? null : answers.encode(key, exchange.answer.get());
            ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES + size(request) + size(answer))
                    .putLong(exchange.since.toEpochMilli());
            put(bytes, request);
            put(bytes, answer);
            return bytes.array();
        }

        private int size(byte @Nullable [] part) {
            if (part != null && part.length > mostOfEach) {
                throw new IllegalArgumentException("The request or response is " + part.length + " bytes long, which"
                        + " exceeds the limit of " + mostOfEach + "; make it smaller, or raise maxResultBytes.");
            }
            return Integer.BYTES + (part == null ? 0 : part.length);
        }

        private static void put(ByteBuffer bytes, byte @Nullable [] part) {
            bytes.putInt(part == null ? ABSENT : part.length);
            if (part != null) {
                bytes.put(part);
            }
        }

        @Override
        public Exchange<Q, A> decode(IdempotencyKey key, byte[] encoded) throws Exception {
            ByteBuffer bytes = ByteBuffer.wrap(encoded);
            Instant since = Instant.ofEpochMilli(bytes.getLong());
            byte[] request = next(bytes);
            byte[] answer = next(bytes);
            return new Exchange<>(
                    since,
                    request == null ? Optional.empty() : requestIn(key, request, answer != null),
                    answer == null ? Optional.empty() : Optional.of(answers.decode(key, answer)));
        }

        /** Once answered, a request is needed only for an outstanding follow-up. */
        private Optional<Q> requestIn(IdempotencyKey key, byte[] request, boolean answered) throws Exception {
            try {
                return Optional.of(requests.decode(key, request));
            } catch (Exception unreadable) {
                if (answered) {
                    return Optional.empty();
                }
                throw unreadable;
            }
        }

        private static byte @Nullable [] next(ByteBuffer bytes) {
            int length = bytes.getInt();
            if (length == ABSENT) {
                return null;
            }
            if (length < 0 || length > bytes.remaining()) {
                throw new IllegalStateException("These bytes are not a provider's request and response.");
            }
            byte[] part = new byte[length];
            bytes.get(part);
            return part;
        }
    }
}
