package io.counterpoint.idempotency.sharding;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jdbi.v3.core.Handle;

/**
 * A node that pays in all scopes at once, in a process of its own. It reads commands and answers each with one line, once
 * it is carried out.
 */
final class MovingNode {

    private static final int THREADS = 4;

    private final Map<String, ScopeLocation> locations = new ConcurrentHashMap<>();
    private final Map<String, ReadWriteLock> calls = new ConcurrentHashMap<>();
    private final Map<String, String> answers = new ConcurrentHashMap<>();
    private final Queue<String> faults = new ConcurrentLinkedQueue<>();
    private final AtomicLong made = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final Operation<Handle, String> operation;
    private final int scopes;
    private final int keys;
    private volatile boolean stopped;

    private MovingNode(Shards<JdbiIdempotencyStore> shards, int scopes, int keys) {
        this.scopes = scopes;
        this.keys = keys;
        for (int i = 0; i < scopes; i++) {
            locations.put("user:" + i, ScopeLocation.on("a"));
            calls.put("user:" + i, new ReentrantReadWriteLock());
        }
        this.operation = Idempotency.on(ShardedIdempotencyStore.byScope(shards, locations::get))
                .operation("pay", ResultCodec.string())
                .build();
    }

    /** Two URLs, the number of scopes, the number of keys in each, and a seed. */
    public static void main(String[] arguments) throws Exception {
        try (Shard a = Shard.on(arguments[0]);
                Shard b = Shard.on(arguments[1])) {
            Shards<JdbiIdempotencyStore> shards = Shards.of(Map.of("a", a.store(), "b", b.store()));
            new MovingNode(shards, Integer.parseInt(arguments[2]), Integer.parseInt(arguments[3]))
                    .run(Long.parseLong(arguments[4]));
        }
    }

    private void run(long seed) throws IOException, InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(seed * THREADS + i);
            Thread thread = new Thread(() -> pay(random), "payer " + i);
            thread.setDaemon(true);
            thread.start();
            threads.add(thread);
        }
        BufferedReader commands = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = commands.readLine(); line != null && !stopped; line = commands.readLine()) {
            String[] command = line.split(" ", -1);
            switch (command[0]) {
                case "moving" -> {
                    locations.put(command[1], ScopeLocation.moving());
                    sayQuiet(command[1]);
                }
                case "on" -> {
                    locations.put(command[1], ScopeLocation.on(command[2]));
                    System.out.println("switched");
                }
                case "made" -> System.out.println(made.get());
                default -> {
                    stopped = true;
                    for (Thread thread : threads) {
                        thread.join();
                    }
                    report();
                }
            }
        }
    }

    /** Once no call of the scope is left that began before. */
    private void sayQuiet(String scope) {
        Lock idle = calls.get(scope).writeLock();
        idle.lock();
        try {
            System.out.println("quiet");
        } finally {
            idle.unlock();
        }
    }

    private void report() {
        faults.forEach(fault -> System.out.println("fault " + fault));
        answers.forEach((key, answer) -> System.out.println("answer " + key + " " + answer));
        System.out.println("end " + made + " " + refused);
    }

    private void pay(Random random) {
        while (!stopped) {
            String scope = "user:" + random.nextInt(scopes);
            String key = "key-" + random.nextInt(keys);
            calls.get(scope).readLock().lock();
            try {
                pay(scope, key);
            } catch (NotStartedException moving) {
                if (moving.getCause() instanceof ScopeMovingException) {
                    refused.incrementAndGet();
                } else {
                    faults.add(moving + " because of " + moving.getCause());
                }
            } catch (RuntimeException thrown) {
                faults.add(thrown.toString());
            } finally {
                calls.get(scope).readLock().unlock();
            }
        }
    }

    private void pay(String scope, String key) {
        Attempt attempt = Attempt.inScope(scope).key(key).request(key);
        Outcome<String> outcome = operation.execute(attempt, handle -> {
            String answer = UUID.randomUUID().toString();
            handle.execute("INSERT INTO payment (scope, key_value, answer) VALUES (?, ?, ?)", scope, key, answer);
            return answer;
        });
        outcome.fold(
                completed -> {
                    made.incrementAndGet();
                    String before = answers.putIfAbsent(scope + " " + key, completed.result());
                    if (before != null && !before.equals(completed.result())) {
                        faults.add("two answers for " + scope + " " + key);
                    }
                    return true;
                },
                inProgress -> true,
                rejected -> faults.add("rejected " + rejected),
                keyReused -> faults.add("reused " + keyReused));
    }
}
