package io.counterpoint.idempotency.consistency.outbox;

import static io.counterpoint.idempotency.jdbc.Isolation.READ_COMMITTED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher.Round;
import io.counterpoint.idempotency.consistency.testing.TestDatabase;
import io.counterpoint.idempotency.consistency.testing.TestDatabase.Kind;
import io.counterpoint.idempotency.testing.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.JdbiException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource
class OutboxTest {

    private static final String TOPIC = "search";

    @Parameter
    Kind kind;

    private TestDatabase database;
    private final Outbox outbox = Outbox.create();
    private final List<String> taken = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void open() {
        database = TestDatabase.create(kind);
        database.jdbi().useHandle(outbox::createTableIfMissing);
    }

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void eventGoesOutOnceItsTransactionCommits() {
        OutboxPublisher publisher =
                publisher(event -> taken.add(event.payload())).build();
        assertThatThrownBy(() -> Transactions.on(database.store()).useTransaction(READ_COMMITTED, handle -> {
                    outbox.append(handle, OutboxEvent.of(TOPIC, "rolled back"));
                    throw new IllegalStateException("roll back");
                }))
                .isInstanceOf(IllegalStateException.class);
        append(OutboxEvent.of(TOPIC, "committed"), OutboxEvent.of("other topic", "for others"));
        assertThat(publisher.publishAll().published()).isEqualTo(1);
        assertThat(publisher.publishAll().isEmpty()).isTrue();
        assertThat(taken).containsExactly("committed");
    }

    @Test
    void appendOutsideATransactionIsRefused() {
        assertThatThrownBy(() ->
                        database.jdbi().useHandle(handle -> outbox.append(handle, OutboxEvent.of(TOPIC, "alone"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("this handle has none");
        assertThat(database.count("outbox_event")).isZero();
    }

    @Test
    void eventArrivesAsItWasAppended() {
        OutboxEvent event = OutboxEvent.ordered(TOPIC, "app:1", "{\"naïve\": \"ü\"}");
        append(event);
        List<OutboxEvent> arrived = new ArrayList<>();
        assertThat(publisher(arrived::add).build().publishAll().published()).isEqualTo(1);
        assertThat(arrived).containsExactly(event);
        assertThat(event.toString()).doesNotContain("naïve").contains(event.id().toString());
    }

    @Test
    void publisherMayCallTheDatabaseThroughAPoolOfOne() {
        append(OutboxEvent.of(TOPIC, "x"));
        assertThat(publisher(event -> database.execute("SELECT 1"))
                        .build()
                        .publishAll()
                        .published())
                .isEqualTo(1);
    }

    @Test
    void manyPublishersKeepTheOrderOfEachKeyAndLoseNothing() {
        int keys = 7;
        for (int i = 0; i < 140; i++) {
            append(OutboxEvent.ordered(TOPIC, "key " + i % keys, Integer.toString(i)));
        }
        Map<String, List<Integer>> byKey = new ConcurrentHashMap<>();
        OutboxPublisher publisher = publisher(event -> byKey.computeIfAbsent(
                                event.orderKey().orElseThrow(), key -> Collections.synchronizedList(new ArrayList<>()))
                        .add(Integer.valueOf(event.payload())))
                .build();
        List<Race.Result<Integer>> results = Race.of(4, number -> {
            int published = 0;
            while (database.count("outbox_event WHERE published_at IS NULL") > 0) {
                published += publisher.publishOnce().published();
            }
            return published;
        });
        assertThat(results.stream().mapToInt(Race.Result::orFail).sum()).isEqualTo(140);
        assertThat(byKey).hasSize(keys);
        byKey.forEach((key, numbers) -> assertThat(numbers).as(key).hasSize(20).isSorted());
    }

    @Test
    void twoPublishersAtOnceNeverHaveTheSameEvent() {
        append(IntStream.range(0, 200)
                .mapToObj(i -> OutboxEvent.of(TOPIC, Integer.toString(i)))
                .toArray(OutboxEvent[]::new));
        List<Race.Result<Round>> results = Race.of(
                2,
                number -> publisher(event -> taken.add(event.payload())).build().publishAll());
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(taken).hasSize(200).doesNotHaveDuplicates();
    }

    @Test
    void eventOfADeadPublisherGoesOutWhenItsClaimEnds() {
        append(OutboxEvent.of(TOPIC, "x"));
        OutboxPublisher dying = publisher(event -> {
                    throw new Died();
                })
                .claimFor(Duration.ofHours(1))
                .build();
        assertThatThrownBy(dying::publishOnce).isInstanceOf(Died.class);
        OutboxPublisher other = publisher(event -> taken.add(event.payload())).build();
        assertThat(other.publishOnce().isEmpty()).isTrue();
        letClaimsEnd();
        assertThat(other.publishOnce().published()).isEqualTo(1);
    }

    @Test
    void failedEventComesAgainAfterAPauseAndIsParkedInTheEnd() {
        append(OutboxEvent.of(TOPIC, "poison"));
        OutboxPublisher publisher = publisher(event -> {
                    throw new IllegalStateException("indigestible " + "x".repeat(2000));
                })
                .attempts(3)
                .retryAfter(Duration.ofMinutes(10), Duration.ofHours(1))
                .build();
        for (int attempt = 1; attempt < 3; attempt++) {
            assertThat(publisher.publishOnce()).isEqualTo(new Round(0, 1, 0, Duration.ZERO));
            assertThat(publisher.publishOnce().isEmpty()).as("a pause").isTrue();
            letClaimsEnd();
        }
        assertThat(publisher.publishOnce()).isEqualTo(new Round(0, 0, 1, Duration.ZERO));
        letClaimsEnd();
        assertThat(publisher.publishOnce().isEmpty()).as("parked").isTrue();
        List<ParkedEvent> parked = database.jdbi().withHandle(handle -> outbox.parked(handle, 10));
        assertThat(parked).hasSize(1);
        assertThat(parked.get(0).attempts()).isEqualTo(3);
        assertThat(parked.get(0).event().payload()).isEqualTo("poison");
        assertThat(parked.get(0).error()).contains("indigestible").hasSize(1000);
        assertThat(status().parked()).isEqualTo(1);
        assertThat(status().waiting()).isZero();
    }

    @Test
    void eventThatKillsItsPublisherEveryTimeIsParked() {
        append(OutboxEvent.of(TOPIC, "deadly"));
        OutboxPublisher publisher = publisher(event -> {
                    throw new Died();
                })
                .attempts(2)
                .build();
        for (int attempt = 1; attempt <= 2; attempt++) {
            assertThatThrownBy(publisher::publishOnce).isInstanceOf(Died.class);
            letClaimsEnd();
        }
        assertThat(publisher.publishOnce().parked()).isEqualTo(1);
        assertThat(database.jdbi()
                        .withHandle(handle -> outbox.parked(handle, 10))
                        .get(0)
                        .error())
                .contains("died");
    }

    @Test
    void parkedEventHoldsBackItsOwnKeyAndNoOther() {
        OutboxEvent poison = OutboxEvent.ordered(TOPIC, "app:1", "poison");
        append(
                poison,
                OutboxEvent.ordered(TOPIC, "app:1", "behind it"),
                OutboxEvent.ordered(TOPIC, "app:2", "other key"),
                OutboxEvent.of(TOPIC, "without order"));
        AtomicInteger cured = new AtomicInteger();
        OutboxPublisher publisher = publisher(event -> {
                    if (event.id().equals(poison.id()) && cured.get() == 0) {
                        throw new IllegalStateException("indigestible");
                    }
                    taken.add(event.payload());
                })
                .attempts(1)
                .build();
        assertThat(publisher.publishAll().parked()).isEqualTo(1);
        assertThat(taken).containsExactlyInAnyOrder("other key", "without order");
        cured.set(1);
        assertThat(operator(handle -> outbox.retry(handle, poison.id()))).isTrue();
        assertThat(publisher.publishAll().published()).isEqualTo(2);
        assertThat(taken).endsWith("poison", "behind it");
        assertThat(operator(handle -> outbox.retry(handle, poison.id())))
                .as("published")
                .isFalse();
    }

    @Test
    void discardedEventIsGoneAndThoseBehindItGoOut() {
        OutboxEvent poison = OutboxEvent.ordered(TOPIC, "app:1", "poison");
        append(poison, OutboxEvent.ordered(TOPIC, "app:1", "behind it"));
        OutboxPublisher publisher = publisher(event -> {
                    if (event.payload().equals("poison")) {
                        throw new IllegalStateException("indigestible");
                    }
                    taken.add(event.payload());
                })
                .attempts(1)
                .build();
        assertThat(operator(handle -> outbox.discard(handle, poison.id())))
                .as("not parked yet")
                .isFalse();
        assertThat(publisher.publishAll().published()).isZero();
        assertThat(operator(handle -> outbox.discard(handle, poison.id()))).isTrue();
        assertThat(publisher.publishAll().published()).isEqualTo(1);
        assertThat(taken).containsExactly("behind it");
    }

    /** Its event went out by another meanwhile; what that one marked stays. */
    @Test
    void publisherWhoseClaimHasEndedMarksNothing() {
        append(OutboxEvent.of(TOPIC, "x"));
        OutboxPublisher other = publisher(event -> taken.add("other")).build();
        OutboxPublisher slow = publisher(event -> {
                    letClaimsEnd();
                    assertThat(other.publishOnce().published()).isEqualTo(1);
                    throw new IllegalStateException("too late");
                })
                .attempts(1)
                .build();
        assertThat(slow.publishOnce().parked()).isZero();
        assertThat(taken).containsExactly("other");
        assertThat(database.count("outbox_event WHERE published_at IS NOT NULL AND parked_at IS NULL"))
                .isEqualTo(1);
    }

    @Test
    void lagIsTheAgeOfTheOldestEventThatWaits() {
        assertThat(status()).isEqualTo(new OutboxStatus(TOPIC, 0, 0, Duration.ZERO));
        append(OutboxEvent.of(TOPIC, "old"), OutboxEvent.of(TOPIC, "new"));
        database.execute(
                "UPDATE outbox_event SET appended_at = appended_at - INTERVAL '90' SECOND WHERE payload = 'old'");
        assertThat(status().waiting()).isEqualTo(2);
        assertThat(status().lag()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(150));
        Round round = publisher(event -> taken.add(event.payload())).build().publishAll();
        assertThat(round.lag()).isBetween(Duration.ofSeconds(90), Duration.ofSeconds(150));
        assertThat(status().lag()).isZero();
    }

    @Test
    void sessionsMayHaveAnyZone() {
        List<String> zones = List.of("-05:00", "+02:00", "+05:45");
        for (String appending : zones) {
            for (String publishing : zones) {
                setZone(appending);
                append(OutboxEvent.of(TOPIC, "x"));
                OutboxPublisher dying = publisher(event -> {
                            setZone(publishing);
                            throw new Died();
                        })
                        .claimFor(Duration.ofMinutes(10))
                        .build();
                assertThatThrownBy(dying::publishOnce).isInstanceOf(Died.class);
                OutboxPublisher other = publisher(event -> {}).build();
                assertThat(other.publishOnce().isEmpty()).as("claimed").isTrue();
                assertThat(status().lag()).isLessThan(Duration.ofMinutes(1));
                letClaimsEnd();
                assertThat(other.publishOnce().lag()).isLessThan(Duration.ofMinutes(1));
            }
        }
    }

    /** Of the one session that the pool has when nobody uses it. */
    private void setZone(String zone) {
        database.execute(
                switch (kind) {
                    case H2 -> "SET TIME ZONE '" + zone + "'";
                    case POSTGRESQL -> "SET TIME ZONE INTERVAL '" + zone + "' HOUR TO MINUTE";
                    case MARIADB -> "SET time_zone = '" + zone + "'";
                });
    }

    /** The change is gone with the transaction, and the event would be in the next one. */
    @Test
    void eventIsNotCommittedWithoutTheChangeThatADeadlockHasUndone() {
        database.prepareDeadlock();
        database.execute("CREATE TABLE changed (id integer)");
        Throwable thrown =
                catchThrowable(() -> Transactions.on(database.store()).useTransaction(READ_COMMITTED, handle -> {
                    handle.execute("INSERT INTO changed VALUES (1)");
                    try {
                        database.meetDeadlock(handle, "UPDATE contended SET n = n + 1 WHERE id = 2");
                    } catch (JdbiException kept) {
                        assertThat(kind).isNotEqualTo(Kind.H2);
                    }
                    outbox.append(handle, OutboxEvent.of(TOPIC, "x"));
                }));
        assertThat(database.count("outbox_event")).isEqualTo(thrown == null ? 1 : 0);
        assertThat(database.count("changed")).isEqualTo(thrown == null ? 1 : 0);
        assertThat(thrown == null && kind == Kind.MARIADB).isFalse();
    }

    @Test
    void publishedEventsAreDeletedInBatchesAndOthersStay() {
        append(OutboxEvent.of(TOPIC, "1"), OutboxEvent.of(TOPIC, "2"), OutboxEvent.of(TOPIC, "3"));
        assertThat(publisher(event -> taken.add(event.payload()))
                        .build()
                        .publishAll()
                        .published())
                .isEqualTo(3);
        append(OutboxEvent.of(TOPIC, "waiting"));
        assertThat(delete(Duration.ofHours(1))).isZero();
        assertThat(delete(Duration.ZERO)).isEqualTo(2);
        assertThat(delete(Duration.ZERO)).isEqualTo(1);
        assertThat(delete(Duration.ZERO)).isZero();
        assertThat(database.count("outbox_event")).isEqualTo(1);
    }

    @Test
    void consumerAppliesAnEventOnceHoweverOftenItComes() throws Exception {
        database.execute("CREATE TABLE applied (id integer)");
        OutboxEvent event = OutboxEvent.of(TOPIC, "x");
        AtomicInteger failures = new AtomicInteger(1);
        IdempotentConsumer<Handle> consumer =
                IdempotentConsumer.of(database.idempotency(), "index", (handle, ignored) -> {
                    handle.execute("INSERT INTO applied VALUES (1)");
                    if (failures.getAndDecrement() == 1) {
                        throw new IllegalStateException("the first time");
                    }
                });
        assertThatThrownBy(() -> consumer.accept(event)).hasMessage("the first time");
        assertThat(database.count("applied")).isZero();
        List<Race.Result<Boolean>> results = Race.of(8, number -> {
            consumer.accept(event);
            return true;
        });
        assertThat(results).allMatch(Race.Result::succeeded);
        assertThat(database.count("applied")).isEqualTo(1);
        IdempotentConsumer.of(database.idempotency(), "another", (handle, ignored) -> taken.add("another"))
                .accept(event);
        assertThat(taken).containsExactly("another");
    }

    @Test
    void startedPublisherPublishesUntilItIsClosed() throws Exception {
        CountDownLatch three = new CountDownLatch(3);
        OutboxPublisher publisher = publisher(event -> three.countDown())
                .poll(Duration.ofMillis(5))
                .build()
                .start();
        append(OutboxEvent.of(TOPIC, "1"));
        append(OutboxEvent.of(TOPIC, "2"), OutboxEvent.of(TOPIC, "3"));
        assertThat(three.await(30, TimeUnit.SECONDS)).isTrue();
        publisher.close();
        assertThatThrownBy(publisher::start).isInstanceOf(IllegalStateException.class);
        append(OutboxEvent.of(TOPIC, "4"));
        assertThat(publisher.publishAll().isEmpty()).isTrue();
    }

    @Test
    void publisherThatIsClosedLetsGoOfWhatItHasNotHandedOn() {
        append(OutboxEvent.of(TOPIC, "1"), OutboxEvent.of(TOPIC, "2"), OutboxEvent.of(TOPIC, "3"));
        OutboxPublisher[] closing = new OutboxPublisher[1];
        closing[0] = publisher(event -> closing[0].close()).build();
        assertThat(closing[0].publishOnce().published()).isEqualTo(1);
        assertThat(database.count("outbox_event WHERE published_at IS NULL AND attempts = 0 AND claim IS NULL"))
                .isEqualTo(2);
        assertThat(publisher(event -> taken.add(event.payload()))
                        .build()
                        .publishAll()
                        .published())
                .isEqualTo(2);
    }

    @Test
    void publisherWaitsOutADatabaseFaultAndReportsIt() throws Exception {
        database.execute("ALTER TABLE outbox_event RENAME TO away");
        CountDownLatch failed = new CountDownLatch(1);
        CountDownLatch published = new CountDownLatch(1);
        try (OutboxPublisher publisher = publisher(event -> published.countDown())
                .poll(Duration.ofMillis(5))
                .retryAfter(Duration.ofMillis(5), Duration.ofMillis(5))
                .listener(new OutboxPublisher.Listener() {
                    @Override
                    public void failed(String topic, Throwable thrown) {
                        failed.countDown();
                    }
                })
                .build()
                .start()) {
            assertThat(failed.await(30, TimeUnit.SECONDS)).isTrue();
            database.execute("ALTER TABLE away RENAME TO outbox_event");
            append(OutboxEvent.of(TOPIC, "x"));
            assertThat(published.await(30, TimeUnit.SECONDS)).isTrue();
            assertThat(publisher.toString()).contains(TOPIC);
        }
    }

    @Test
    void eventOutOfBoundsIsRefused() {
        assertThatThrownBy(() -> OutboxEvent.of("", "x")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutboxEvent.of(TOPIC, "x".repeat((1 << 20) + 1)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new OutboxEvent(UUID.randomUUID(), TOPIC, Optional.of("k".repeat(256)), "x"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** What ends a process, as far as a publisher can tell: it marks nothing after it. */
    private static final class Died extends VirtualMachineError {
        private static final long serialVersionUID = 1L;
    }

    private OutboxPublisher.Builder publisher(EventConsumer consumer) {
        return OutboxPublisher.builder(Transactions.on(database.store()), outbox, TOPIC, consumer);
    }

    private void append(OutboxEvent... events) {
        Transactions.on(database.store())
                .useTransaction(READ_COMMITTED, handle -> outbox.append(handle, List.of(events)));
    }

    private void letClaimsEnd() {
        database.execute("UPDATE outbox_event SET due_at = appended_at WHERE due_at IS NOT NULL");
    }

    private OutboxStatus status() {
        return database.jdbi().withHandle(handle -> outbox.status(handle, TOPIC));
    }

    private int delete(Duration olderThan) {
        return database.jdbi().withHandle(handle -> outbox.deletePublished(handle, olderThan, 2));
    }

    private boolean operator(Function<Handle, Boolean> act) {
        return database.jdbi().withHandle(act::apply);
    }
}
