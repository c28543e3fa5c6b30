package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.NotStartedException;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore;
import io.counterpoint.idempotency.memory.InMemoryIdempotencyStore.Transaction;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.spi.IdempotencyStore;
import io.counterpoint.idempotency.testkit.ControllableClock;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import io.counterpoint.idempotency.trial.PaymentService.Payments;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The code of docs/testing.md, which runs here and in TransactionalTestTest of the starter. */
class TestingPageTest {

    private static final Attempt ATTEMPT =
            Attempt.inScope("user:42").key("key-1").request("a-7", 1250);

    // ---- in memory -------------------------------------------------------------------------------------------

    private final List<String> charged = new CopyOnWriteArrayList<>();

    private IdempotencyStore<Payments> inMemory(IdempotencyStore<Transaction> store) {
        return store.mapped(transaction -> (account, cents) -> transaction.onCommit(() -> charged.add(account)));
    }

    @Test
    void retryGetsTheReceiptAndChargesNothing() throws Exception {
        PaymentService service = new PaymentService(Idempotency.on(inMemory(new InMemoryIdempotencyStore())));

        assertThat(service.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Executed.class);
        assertThat(service.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Replayed.class);
        assertThat(charged).containsExactly("a-7");
    }

    @Test
    void keyOfAnotherPaymentIsRefused() throws Exception {
        PaymentService service = new PaymentService(Idempotency.on(inMemory(new InMemoryIdempotencyStore())));

        service.pay(ATTEMPT, "a-7", 1250).orElseThrow();

        Attempt other = Attempt.inScope("user:42").key("key-1").request("a-7", 9900);
        assertThat(service.pay(other, "a-7", 9900)).isInstanceOf(Outcome.KeyReused.class);
        assertThat(charged).containsExactly("a-7");
    }

    // ---- faults ----------------------------------------------------------------------------------------------

    private final ControllableClock clock = new ControllableClock();
    private final InMemoryIdempotencyStore memory = new InMemoryIdempotencyStore(clock);
    private final FaultyStore<Transaction> faulty = FaultyStore.around(memory);
    private final PaymentService payments = new PaymentService(
            Idempotency.builder(inMemory(faulty)).clock(clock).build());

    @Test
    void commitWithoutAnAnswerChargesOnce() throws Exception {
        faulty.at(StoreCall.COMMIT).losesAnswer();

        assertThat(payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Executed.class);
        assertThat(charged).containsExactly("a-7");
    }

    @Test
    void databaseThatIsAwayChargesNothing() throws Exception {
        faulty.at(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(NotStartedException.class);
        assertThat(charged).isEmpty();

        faulty.disarm();
        assertThat(payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Executed.class);
    }

    @Test
    void unknownPaymentIsKnownAtTheNextCall() throws Exception {
        faulty.at(StoreCall.COMMIT).losesAnswer();
        faulty.second(StoreCall.LOCK).always().fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(OutcomeUnknownException.class);

        faulty.disarm();
        assertThat(payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Replayed.class);
        assertThat(charged).containsExactly("a-7");
    }

    @Test
    void conflictRunsTheWorkAgain() throws Exception {
        faulty.at(StoreCall.COMMIT).fails(Fault.CONFLICT);

        assertThat(payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Executed.class);
        assertThat(charged).containsExactly("a-7");
    }

    // ---- time ------------------------------------------------------------------------------------------------

    @Test
    void keyOfADeadProcessFailsAfterTheGracePeriod() throws Exception {
        faulty.second(StoreCall.OPEN).always().fails(Fault.CONNECTION_LOST);
        faulty.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        assertThatThrownBy(() -> payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(OutcomeUnknownException.class);

        PaymentService another = new PaymentService(
                Idempotency.builder(inMemory(memory)).clock(clock).build());
        assertThat(another.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.InProgress.class);
        clock.advance(Duration.ofMinutes(2));
        assertThat(another.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Rejected.class);
        assertThat(charged).isEmpty();
    }

    @Test
    void keyIsNewAfterItsRetention() throws Exception {
        payments.pay(ATTEMPT, "a-7", 1250).orElseThrow();

        clock.advance(Duration.ofDays(8));
        assertThat(memory.purgeExpired(100)).isEqualTo(1);
        assertThat(payments.pay(ATTEMPT, "a-7", 1250)).isInstanceOf(Outcome.Executed.class);
    }

    // ---- JDBC ------------------------------------------------------------------------------------------------

    private static final String DATABASE = "jdbc:h2:mem:testing";

    private static FaultInjection injection(DataSource dataSource) {
        return FaultInjection.into(dataSource, failing -> {
                    PaymentService service = new PaymentService(
                            Idempotency.on(JdbcIdempotencyStore.on(failing).mapped(TestingPageTest::inDatabase)));
                    return key ->
                            service.pay(Attempt.inScope("user:42").key(key).request(1250), key, 1250);
                })
                .onDisposableDatabase(DATABASE)
                .countingEffects("SELECT count(*) FROM payment WHERE account = ?");
    }

    private static Payments inDatabase(Connection connection) {
        return (account, cents) -> {
            try (PreparedStatement insert = connection.prepareStatement("INSERT INTO payment VALUES (?, ?)")) {
                insert.setString(1, account);
                insert.setLong(2, cents);
                insert.executeUpdate();
            }
        };
    }

    @Test
    @Tag("thorough")
    void paymentIsMadeOnceWhicheverCallOfTheDriverFails() throws Exception {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(DATABASE + ";DB_CLOSE_DELAY=-1");
        JdbcIdempotencyStore.on(dataSource).createTableIfMissing();
        try (Connection connection = dataSource.getConnection()) {
            connection.createStatement().execute("CREATE TABLE payment (account varchar(100), cents bigint)");
        }

        injection(dataSource).within(Duration.ofSeconds(30)).verify();
    }

    // ---- the page --------------------------------------------------------------------------------------------

    @Test
    void codeOfThePageIsThatOfTestsThatRun() throws Exception {
        Path spring =
                Path.of("../idempotency-spring-boot-starter/src/test/java/io/counterpoint/idempotency/spring/boot");
        Path here = Path.of("src/test/java/io/counterpoint/idempotency/trial");
        String sources = flat(Files.readString(here.resolve("PaymentService.java")))
                + flat(Files.readString(here.resolve("TestingPageTest.java")))
                + flat(Files.readString(spring.resolve("TransactionalTestTest.java")));

        assertThat(Pattern.compile("(?s)```java\n(.*?)```")
                        .matcher(Files.readString(Path.of("../../docs/testing.md")))
                        .results()
                        .map(block -> flat(block.group(1))))
                .hasSizeGreaterThanOrEqualTo(9)
                .allSatisfy(block -> assertThat(sources).contains(block));
    }

    /** However the formatter breaks its lines. */
    private static String flat(String code) {
        return code.replaceAll("\\s+", "");
    }
}
