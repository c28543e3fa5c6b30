package io.counterpoint.idempotency.benchmarks;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Keys as clients send them, generated cheaply so that this is not measured. */
final class Keys {

    /** The number of keys with a result, for measuring replays. */
    static final int KNOWN = 256;

    private Keys() {}

    static String fresh() {
        ThreadLocalRandom random = ThreadLocalRandom.current();
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    static List<String> fresh(int count) {
        return Stream.generate(Keys::fresh).limit(count).toList();
    }

    /** Any one of some keys. */
    static Supplier<String> anyOf(List<String> keys) {
        return () -> keys.get(ThreadLocalRandom.current().nextInt(keys.size()));
    }
}
