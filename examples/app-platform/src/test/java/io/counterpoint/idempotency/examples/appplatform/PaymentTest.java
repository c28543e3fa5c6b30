package io.counterpoint.idempotency.examples.appplatform;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.payment.FaultyProvider;
import io.counterpoint.idempotency.examples.appplatform.payment.FaultyProvider.Fault;
import io.counterpoint.idempotency.examples.appplatform.payment.PaymentProvider;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A transaction is charged once at the provider and once from the quota, however the provider fails. */
@Tag("thorough")
class PaymentTest {

    @TempDir
    Path folder;

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-11-30T23:59:59Z"));
    /** The platform's timeout for the provider. */
    private final AtomicReference<Duration> patience = new AtomicReference<>(Duration.ofSeconds(60));

    private FaultyProvider provider;
    private TestPlatform test;

    @BeforeEach
    void open() throws Exception {
        provider = new FaultyProvider(folder, 0);
        provider.start();
        test = TestPlatform.empty(Outside.at(provider.url(), patience::get, folder, new Now()));
    }

    @AfterEach
    void close() {
        provider.close();
        test.close();
    }

    /** The platform times out, and the provider charges or replies later. */
    private void giveUp(Fault fault, String transaction) throws Exception {
        provider.behave(fault);
        // Long enough for the request to reach the provider, even on a busy machine.
        patience.set(Duration.ofSeconds(1));
        assertThat(charge(transaction, 5).status()).isEqualTo(503);
        assertThat(test.one("SELECT status FROM charge")).isEqualTo("reserved");
        patience.set(Duration.ofSeconds(60));
    }

    private Raw charge(String transaction, int amount) throws Exception {
        return Raw.send(
                test.url(),
                "POST",
                "/charges",
                "{\"amount\":" + amount + "}",
                "Workspace: 1",
                "Transaction-Id: " + transaction);
    }

    private void chargedOnce(String transaction, int left) throws Exception {
        assertThat(test.one("SELECT status FROM charge WHERE transaction_id = '" + transaction + "'"))
                .isEqualTo("paid");
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo(Integer.toString(left));
        assertThat(provider.charges()).isEqualTo(1);
    }

    @Test
    void lostAnswerIsFoundByAskingTheProvider() throws Exception {
        provider.behave(Fault.LOSES_ANSWERS);
        assertThat(charge("t", 5).status()).isEqualTo(503);
        assertThat(test.one("SELECT status FROM charge")).isEqualTo("reserved");
        Raw retried = charge("t", 5);
        assertThat(retried.status()).isEqualTo(201);
        assertThat(retried.text()).contains("{\"left\":145}");
        chargedOnce("t", 145);
    }

    @ParameterizedTest
    @EnumSource(names = {"ANSWERS_LATE", "CHARGES_LATE"})
    void slowProviderChargesOnceHoweverOftenItIsAsked(Fault fault) throws Exception {
        giveUp(fault, "t");
        provider.behave(Fault.NONE);
        TestPlatform.await(() -> {
            try {
                return charge("t", 5).status() == 201;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        chargedOnce("t", 145);
    }

    /** The client never retries, and the provider has not charged yet. */
    @Test
    void paymentThatNobodyAsksForIsBroughtToItsEnd() throws Exception {
        giveUp(Fault.CHARGES_LATE, "t");
        assertThat(test.platform.chargePayment.resume(Duration.ofHours(1), PaymentTest::fail))
                .isZero();
        provider.behave(Fault.NONE);
        assertThat(test.platform.chargePayment.resume(Duration.ZERO, PaymentTest::fail))
                .isEqualTo(1);
        chargedOnce("t", 145);
        assertThat(charge("t", 5).status()).isEqualTo(201);
        assertThat(test.platform.chargePayment.resume(Duration.ZERO, PaymentTest::fail))
                .isZero();
    }

    @Test
    void refusedPaymentGivesTheQuotaBackAndStaysRefused() throws Exception {
        provider.behave(Fault.REFUSES);
        assertThat(charge("t", 5).status()).isEqualTo(402);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("150");
        provider.behave(Fault.NONE);
        Raw retried = charge("t", 5);
        assertThat(retried.status()).isEqualTo(402);
        assertThat(retried.text()).contains("payment-refused");
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("150");
        assertThat(test.one("SELECT status FROM charge")).isEqualTo("refused");
        assertThat(provider.charges()).isZero();
    }

    @Test
    void paymentThatIsRefusedLateGivesTheQuotaBack() throws Exception {
        giveUp(Fault.CHARGES_LATE, "t");
        restartEmpty();
        provider.behave(Fault.REFUSES);
        assertThat(test.platform.chargePayment.resume(Duration.ZERO, PaymentTest::fail))
                .isEqualTo(1);
        assertThat(charge("t", 5).status()).isEqualTo(402);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("150");
    }

    private int port() {
        return URI.create(test.platform.outside.providerUrl()).getPort();
    }

    @Test
    void killedProviderChargesOnceAfterItsReturn() throws Exception {
        assertThat(charge("t", 5).status()).isEqualTo(201);
        provider.close();
        for (int tries = 0; tries < 2; tries++) {
            Raw away = charge("u", 5);
            assertThat(away.status()).isEqualTo(503);
            assertThat(away.text()).contains("provider-away", "Retry-After");
        }
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        PaymentProvider.class.getName(),
                        folder.toString(),
                        Integer.toString(port()))
                .redirectErrorStream(true)
                .start();
        try (BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(said.readLine()).startsWith(PaymentProvider.READY);
            assertThat(charge("u", 5).status()).isEqualTo(201);
        } finally {
            // kill -9
            process.destroyForcibly().waitFor();
        }
        assertThat(charge("t", 5).status()).isEqualTo(201);
        assertThat(charge("u", 5).status()).isEqualTo(201);
        assertThat(test.count("charge WHERE status = 'paid'")).isEqualTo(2);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("140");
        assertThat(provider.charges()).isEqualTo(2);
    }

    @Test
    void quotaIsThatOfTheMonth() throws Exception {
        assertThat(charge("november", 150).status()).isEqualTo(201);
        assertThat(charge("too much", 1).status()).isEqualTo(400);
        assertThat(charge("too-much", 1).status()).isEqualTo(402);
        now.set(Instant.parse("2026-12-01T00:00:00Z"));
        assertThat(charge("december", 10).text()).contains("{\"left\":140}");
        assertThat(charge("november", 150).status()).isEqualTo(201);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("140");
        assertThat(test.platform.check().results())
                .filteredOn(result -> result.check().equals("quota"))
                .allMatch(result -> result.offending() == 0);
    }

    @Test
    void refusalOfLastMonthGivesNothingBackToThisMonth() throws Exception {
        giveUp(Fault.CHARGES_LATE, "november");
        now.set(Instant.parse("2026-12-01T00:00:00Z"));
        restartEmpty();
        assertThat(charge("december", 10).status()).isEqualTo(201);
        provider.behave(Fault.REFUSES);
        assertThat(test.platform.chargePayment.resume(Duration.ZERO, PaymentTest::fail))
                .isEqualTo(1);
        assertThat(test.count("charge WHERE status = 'refused'")).isEqualTo(1);
        assertThat(test.one("SELECT quota_left FROM workspace")).isEqualTo("140");
    }

    /** Kills the provider before it charges what was sent to it. */
    private void restartEmpty() throws Exception {
        provider.close();
        provider = new FaultyProvider(Files.createDirectory(folder.resolve("empty")), port());
        provider.start();
    }

    private static void fail(String whose, Exception why) {
        throw new AssertionError(whose, why);
    }

    /** A clock that the test sets. */
    private final class Now extends Clock {
        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Instant instant() {
            return now.get();
        }
    }
}
