package io.counterpoint.idempotency.torture;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.counterpoint.idempotency.torture.UseCase.Asked;
import io.counterpoint.idempotency.torture.UseCase.CallResult;
import io.counterpoint.idempotency.torture.WorkStep.WorkBehaviour;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process that makes calls on many threads, and records the outcomes. It prints {@code ready}, and takes orders on
 * its standard input: {@code newest N} sets the newest key, and {@code stop} ends it. If the input ends, because the
 * conductor was killed, it exits at once.
 */
final class Worker {

    static final String READY = "ready";
    static final String NEWEST = "newest ";
    static final String STOP = "stop";

    /** The name of the workers' connections on the server. */
    static final String APPLICATION = "torture-worker";

    /** Most calls are for one of this many newest keys, many for a recent key, and a few for any key. */
    private static final int NEWEST_KEYS = 40;

    private static final int RECENT_KEYS = 3_000;

    /** How many times a worker that calls every key retries. The pauses in between outlast the grace period. */
    private static final int ROUNDS = 12;

    private static final int INTERRUPT_EVERY_MILLIS = 100;

    private final WorkerOptions orders;
    private final History history;
    private final UseCase useCase;
    private final Engine engine;
    private final AtomicLong newest = new AtomicLong(NEWEST_KEYS);
    private volatile boolean stopped;

    private Worker(WorkerOptions orders, History history, UseCase useCase) {
        this.orders = orders;
        this.history = history;
        this.useCase = useCase;
        this.engine = Engine.of(orders.records());
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        WorkerOptions orders = WorkerOptions.parse(arguments);
        try (History history = History.at(orders.history());
                HikariDataSource records = pool(
                        orders.records() + Engine.of(orders.records()).lockBound(),
                        orders.connections(),
                        orders.isolation());
                HikariDataSource effects = pool(
                        orders.mode().hasFollowUp() ? orders.records() : orders.effects(),
                        orders.connections(),
                        orders.isolation())) {
            String schema = Engine.of(orders.records()).schema(orders.records());
            Worker worker = new Worker(
                    orders,
                    history,
                    new UseCase(orders.mode(), orders.mutant(), records, schema, effects, orders.effects()));
            listen(worker::obey);
            Heartbeat.begin(history);
            worker.run();
        }
        System.exit(0);
    }

    /** A pool with the limits of {@link Mode}. */
    static HikariDataSource pool(String url, int connections, Isolation isolation) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url + Engine.of(url).bounds());
        config.setMaximumPoolSize(connections);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(Mode.CONNECTION_WAIT.toMillis());
        config.setValidationTimeout(Mode.CONNECTION_WAIT.toMillis() / 2);
        config.setInitializationFailTimeout(-1);
        // Otherwise, if the first connection breaks while HikariCP queries its isolation, the pool never opens another
        // one.
        config.setTransactionIsolation(isolation.ofPool());
        return new HikariDataSource(config);
    }

    private void obey(String order) {
        if (order.startsWith(NEWEST)) {
            newest.set(Long.parseLong(order.substring(NEWEST.length())));
        } else if (order.equals(STOP)) {
            stopped = true;
        }
    }

    interface Obeying {
        void obey(String order) throws IOException;
    }

    /** Takes the conductor's orders, and exits with it. */
    static void listen(Obeying process) {
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
                        for (String line = input.readLine(); line != null; line = input.readLine()) {
                            process.obey(line);
                        }
                    } catch (IOException gone) {
                        // Treated like the end of the input.
                    }
                    Runtime.getRuntime().halt(1);
                },
                "orders");
        thread.setDaemon(true);
        thread.start();
    }

    private void run() throws InterruptedException {
        ThreadFactory factory = threads(orders.virtual());
        List<Thread> threads = new ArrayList<>();
        AtomicLong next = new AtomicLong();
        for (int i = 0; i < orders.threads(); i++) {
            SplittableRandom random = new SplittableRandom(orders.seed() * 31 + i);
            threads.add(factory.newThread(() -> {
                if (orders.asksEveryKey()) {
                    askEveryKey(next, random);
                } else {
                    askUntilStopped(random);
                }
            }));
        }
        threads.forEach(Thread::start);
        System.out.println(READY);
        if (!orders.asksEveryKey()) {
            interruptNowAndThen(threads);
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    /** Uses platform threads if this Java has no virtual ones. The code is compiled for Java 17. */
    private static ThreadFactory threads(boolean virtual) {
        if (!virtual) {
            return Thread::new;
        }
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("virtual threads were ordered, and this Java has none", e);
        }
    }

    private void interruptNowAndThen(List<Thread> threads) throws InterruptedException {
        SplittableRandom random = new SplittableRandom(orders.seed());
        while (!stopped) {
            Thread.sleep(random.nextInt(INTERRUPT_EVERY_MILLIS / 2, INTERRUPT_EVERY_MILLIS * 2));
            threads.get(random.nextInt(threads.size())).interrupt();
            history.noted(FaultType.THREAD_INTERRUPTED, 1);
        }
    }

    private void askUntilStopped(SplittableRandom random) {
        while (!stopped) {
            int dice = random.nextInt(1_000);
            if (dice < 2) {
                purge();
            } else if (orders.mode().hasBatches() && dice < 800) {
                askTogether(random);
            } else {
                String key = Key.of(orders.mode(), engine, drawn(random));
                WorkBehaviour conduct = WorkStep.conduct(random, key);
                Answer unused = ask(key, dice < 20 ? "b" : "a", random.nextInt(4) == 0, conduct, pause(random));
            }
        }
    }

    /** Calls several keys at once. Now and then a key occurs twice, or with a different request. */
    private void askTogether(SplittableRandom random) {
        int size = random.nextInt(2, Mode.MOST_OF_A_BATCH + 1);
        List<Asked> asked = new ArrayList<>(size);
        List<Long> calls = new ArrayList<>(size);
        for (int i = 0; i < size; i++) {
            boolean again = i > 0 && random.nextInt(20) == 0;
            String key = again ? asked.get(i - 1).script().key() : Key.of(orders.mode(), engine, drawn(random));
            String request = random.nextInt(50) == 0 ? "b" : "a";
            long call = history.started(key, request, orders.mode().deadline());
            calls.add(call);
            asked.add(new Asked(request, script(key, request, call, WorkStep.conduct(random, key), pause(random))));
        }
        long start = System.nanoTime();
        List<CallResult> results;
        try {
            results = useCase.callAll(asked, random.nextBoolean());
        } catch (RuntimeException | Error thrown) {
            results = Collections.nCopies(size, new CallResult(Answer.UNEXPECTED, thrown.toString()));
        }
        boolean unused = Thread.interrupted();
        for (int i = 0; i < size; i++) {
            history.ended(
                    calls.get(i),
                    System.nanoTime() - start,
                    results.get(i).answer(),
                    results.get(i).detail());
        }
    }

    private WorkStep script(String key, String request, long call, WorkBehaviour conduct, int pause) {
        return new WorkStep(key, WorkStep.origin(request, orders.id() + "." + call), conduct, pause);
    }

    private long drawn(SplittableRandom random) {
        long last = newest.get();
        int dice = random.nextInt(100);
        long among = dice < 70 ? NEWEST_KEYS : dice < 95 ? RECENT_KEYS : last + 1;
        return Math.max(0, last - random.nextLong(among));
    }

    /** Usually none. Some are long, to reveal bugs that need time. */
    private int pause(SplittableRandom random) {
        int longest = (int) Mode.WORK.toMillis();
        if (orders.mutant().isPresent()) {
            return random.nextInt(longest);
        }
        return random.nextInt(10) == 0 ? random.nextInt(longest) : 0;
    }

    private void purge() {
        try {
            int purged = useCase.purge();
            if (purged > 0) {
                history.noted(FaultType.RECORDS_PURGED, purged);
            }
        } catch (RuntimeException theNextOneDoes) {
            // Whenever it succeeds, it deletes what is there.
        }
    }

    private void askEveryKey(AtomicLong next, SplittableRandom random) {
        for (long number = next.getAndIncrement(); number <= orders.lastKey(); number = next.getAndIncrement()) {
            String key = Key.of(orders.mode(), engine, number);
            if (askUntilAnswered(key, "a", random) == Answer.KEY_REUSED) {
                Answer unused = askUntilAnswered(key, "b", random);
            }
        }
    }

    private Answer askUntilAnswered(String key, String request, SplittableRandom random) {
        // Such an effect may never become visible, because nobody waits for it until after the grace period.
        int rounds = orders.mode().hasEffectsElsewhere() ? 2 : ROUNDS;
        Answer answer = ask(key, request, false, WorkBehaviour.PLAIN, 0);
        for (int round = 1; round < rounds && answer.isOpen(); round++) {
            sleep(random.nextInt((int) Mode.GRACE.toMillis() / 4) + Mode.GRACE.toMillis() / 4);
            answer = ask(key, request, false, WorkBehaviour.PLAIN, 0);
        }
        return answer;
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Answer ask(String key, String request, boolean waits, WorkBehaviour conduct, int pause) {
        long call = history.started(key, request, orders.mode().deadline());
        WorkStep script = script(key, request, call, conduct, pause);
        long start = System.nanoTime();
        CallResult result;
        try {
            result = useCase.call(request, waits, script);
        } catch (Error thrown) {
            result = new CallResult(Answer.UNEXPECTED, thrown.toString());
        }
        // The library has to preserve the interrupt flag; the next call belongs to another caller.
        boolean unused = Thread.interrupted();
        history.ended(call, System.nanoTime() - start, result.answer(), result.detail());
        if (script.hasSwallowed()) {
            history.noted(FaultType.DEADLOCK_SWALLOWED, 1);
        }
        return result.answer();
    }
}
