package io.counterpoint.idempotency.jakarta;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.ExternalOperation;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.IdempotencyException.Reason;
import io.counterpoint.idempotency.KeyReusedException;
import io.counterpoint.idempotency.Lookup;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.OutcomeUnknownException;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.annotation.CallerScope;
import io.counterpoint.idempotency.annotation.Idempotent;
import io.counterpoint.idempotency.annotation.IncompleteKeyException;
import io.counterpoint.idempotency.annotation.InvalidIdempotentMethodException;
import io.counterpoint.idempotency.annotation.ResultCodecs;
import io.counterpoint.idempotency.annotation.UnknownCallerException;
import io.counterpoint.idempotency.jdbc.JdbcIdempotencyStore;
import io.quarkus.narayana.jta.runtime.TransactionConfiguration;
import io.smallrye.faulttolerance.api.ApplyGuard;
import jakarta.annotation.Priority;
import jakarta.annotation.security.RolesAllowed;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InterceptorBinding;
import jakarta.interceptor.InvocationContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.transaction.Transaction;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;
import jakarta.ws.rs.container.AsyncResponse;
import jakarta.ws.rs.container.Suspended;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.eclipse.microprofile.faulttolerance.Fallback;
import org.eclipse.microprofile.faulttolerance.Retry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The annotation on beans of CDI, in Weld with the interceptors of Narayana. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(60)
class AnnotatedMethodsTest {

    private static Database database;
    private SeContainer container;
    private Groups groups;

    @BeforeAll
    void start() throws Exception {
        database = Database.open(Database.Way.AGROAL);
        System.setProperty("idempotency.purge.interval", "20ms");
        container = start(Groups.class, Audit.class, Charges.class, Bookings.class);
        groups = container.select(Groups.class).get();
    }

    private static SeContainer start(Class<?>... beans) {
        return initializer()
                .addBeanClasses(Producers.class)
                .addBeanClasses(beans)
                .initialize();
    }

    static SeContainerInitializer initializer() {
        return SeContainerInitializer.newInstance()
                .disableDiscovery()
                .addBeanClasses(
                        IdempotentMethods.class,
                        IdempotentInterceptor.class,
                        OneCall.class,
                        HttpAttempts.class,
                        ConfiguredStore.class,
                        SeparateTransactions.RequiresNew.class,
                        SeparateTransactions.NotSupported.class);
    }

    @BeforeEach
    void empty() {
        database.empty();
    }

    @AfterAll
    void stop() throws Exception {
        System.clearProperty("idempotency.purge.interval");
        container.close();
        database.close();
    }

    record Request(@Nullable String id, String name) {}

    @ApplicationScoped
    static class Groups {
        @Inject
        Audit audit;

        @Idempotent(operation = "create-group", key = "#request.id", scope = "'tenant:' + #tenant")
        public String create(String tenant, Request request) {
            database.sql("INSERT INTO effect VALUES (?)", request.name());
            return "made " + request.name();
        }

        @Idempotent(operation = "audited", key = "#id", scope = "'t'")
        public void audited(String id) {
            database.sql("INSERT INTO effect VALUES (?)", id);
            audit.separately();
        }

        @Idempotent(operation = "found", key = "#id ?: 'none'", scope = "'t'", retention = "7d")
        public Optional<String> find(@Nullable String id) {
            return Optional.ofNullable(id);
        }
    }

    @ApplicationScoped
    static class Audit {
        @Transactional(TxType.REQUIRES_NEW)
        public void separately() {
            database.sql("INSERT INTO effect VALUES ('audit')");
        }
    }

    @Test
    void retryReplaysAndTheEffectHappensOnce() {
        assertThat(groups.create("a", new Request("k", "one"))).isEqualTo("made one");
        assertThat(groups.create("a", new Request("k", "one"))).isEqualTo("made one");
        assertThat(groups.create("b", new Request("k", "one"))).isEqualTo("made one");
        assertThat(database.effects()).containsExactly("one", "one");
        assertThatThrownBy(() -> groups.create("a", new Request("k", "two"))).isInstanceOf(KeyReusedException.class);
    }

    @Test
    void keyWithoutItsValueIsRefusedBeforeTheMethod() {
        assertThatThrownBy(() -> groups.create("a", new Request(null, "one")))
                .isInstanceOf(IncompleteKeyException.class);
        assertThat(database.effects()).isEmpty();
    }

    @Test
    void requiresNewInsideTheMethodIsRefusedAndOutsideItIsNot() {
        assertThatThrownBy(() -> groups.audited("k")).isInstanceOf(SeparateTransactionException.class);
        assertThat(database.effects()).isEmpty();
        container.select(Audit.class).get().separately();
        assertThat(database.effects()).containsExactly("audit");
    }

    @Test
    void expiredRecordsArePurged() throws Exception {
        assertThat(groups.find("old")).contains("old");
        database.sql("UPDATE idempotency_record SET expires_at = now() - interval '1 day'");
        String count = "SELECT count(*) FROM idempotency_record";
        while (!database.committed(count).equals(List.of("0"))) {
            Thread.onSpinWait();
        }
    }

    @Test
    void optionalResultIsReplayedEmpty() {
        assertThat(groups.find(null)).isEmpty();
        assertThat(groups.find(null)).isEmpty();
        assertThat(groups.find("x")).contains("x");
    }

    /** Each has one mistake, which its name says in the words of the message. */
    static class Mistakes {
        @Idempotent(operation = "op", key = "#other", scope = "'s'")
        public void butItsParametersAre() {}

        @Idempotent(operation = "op", key = "#request.nothing", scope = "'s'")
        public void whichHasNoSuchPublicProperty(Request request) {}

        @Idempotent(operation = "op", key = " ", scope = "'s'")
        public void isNotUnderstood() {}

        @Idempotent(operation = "", key = "#id", scope = "'s'")
        public void operationNameIsNotValid(String id) {}

        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public CompletionStage<String> whoseWorkContinuesAfterTheMethodHasReturned(String id) {
            throw new UnsupportedOperationException();
        }

        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void cannotBeComparedBetweenTries(String id, Object request) {}

        @Transactional(TxType.REQUIRES_NEW)
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void wouldNotRunInTheOperationsTransaction(String id) {}

        @Transactional(dontRollbackOn = IllegalStateException.class)
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void commitsOnSomeExceptions(String id) {}

        @Transactional(rollbackOn = UnsupportedOperationException.class)
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void commitsWhenItThrowsTheChecked(String id) throws IOException {}

        @Transactional
        @TransactionConfiguration(timeout = 5)
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void setsATimeout(String id) {}

        @Idempotent(operation = "op", key = "#happened.id", scope = "'s'")
        public void insideTheTransactionInWhichTheyAreFired(
                @Observes(during = TransactionPhase.AFTER_SUCCESS) Request happened) {}

        @Retry
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void wouldRepeatAFailedRun(String id) {}

        @ApplyGuard
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void guardAppliesInsideTheOperation(String id) {}

        @RolesAllowed("clerk")
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void soReplaysWouldNotBeAuthorized(String id) {}

        @Fallback
        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public void wouldCommitWhatAFailedRunHasWritten(String id) {}

        @Idempotent(operation = "op", key = "#id", scope = "'s'", request = "#id")
        public void canBeReadOnceOnly(InputStream body, String id) {}

        @Idempotent(operation = "op", key = "#id", scope = "'s'")
        public final void aFinalMethodIsNotIntercepted(String id) {}

        @Idempotent(operation = "op", key = "#id", scope = "'s'", request = "#id")
        public void writesToTheResponse(@Suspended AsyncResponse response, String id) {}

        @Idempotent(operation = "op", key = "#attempt", scope = "'s'")
        public void wouldBeIgnored(Attempt attempt) {}
    }

    /** It builds its operation of the injected bean. */
    @ApplicationScoped
    static class Charges {
        private ExternalOperation<String> charge;

        @Inject
        void build(Idempotency<Connection> idempotency, Bookings bookings) {
            charge = idempotency
                    .external("charge", ResultCodec.string(), unresolved -> Lookup.notYet())
                    .then((connection, key, result) -> bookings.book(result))
                    .build();
        }

        Outcome<String> pay(String key) {
            return charge.execute(Attempt.inScope("t").key(key).withoutRequest(), ignored -> "charged " + key);
        }
    }

    @ApplicationScoped
    static class Bookings {
        private boolean open;

        @Transactional(TxType.MANDATORY)
        public void book(String charge) {
            database.sql("INSERT INTO effect VALUES (?)", charge);
            if (!open) {
                open = true;
                throw new IllegalStateException("the books are closed");
            }
        }
    }

    @Test
    void serviceOfAFollowUpJoinsTheTransactionOfItsRecord() {
        Charges charges = container.select(Charges.class).get();

        assertThatThrownBy(() -> charges.pay("k"))
                .isInstanceOfSatisfying(
                        OutcomeUnknownException.class,
                        owed -> assertThat(owed.reason()).isSameAs(Reason.FOLLOW_UP_OWED));
        assertThat(database.effects()).isEmpty();

        assertThat(charges.pay("k")).isInstanceOf(Outcome.Healed.class);
        assertThat(charges.pay("k")).isInstanceOf(Outcome.Replayed.class);
        assertThat(database.effects()).containsExactly("charged k");
    }

    static Stream<Method> mistakes() {
        return Arrays.stream(Mistakes.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Idempotent.class));
    }

    @ParameterizedTest
    @MethodSource
    void mistakes(Method method) {
        assertThatThrownBy(() -> new IdempotentMethod(method))
                .isInstanceOf(InvalidIdempotentMethodException.class)
                .satisfies(refused -> assertThat(words(refused.getMessage().replace("." + method.getName(), "")))
                        .containsIgnoringCase(method.getName()));
    }

    @ParameterizedTest
    @CsvSource({"-1, true", "179, true", "180, false", "4010, false"})
    void faultToleranceIsAcceptedOnlyInFrontOfTheOperation(String priority, boolean accepted) throws Exception {
        System.setProperty("mp.fault.tolerance.interceptor.priority", priority);
        try {
            for (String name : List.of(
                    "wouldRepeatAFailedRun", "wouldCommitWhatAFailedRunHasWritten", "guardAppliesInsideTheOperation")) {
                Method method = Mistakes.class.getMethod(name, String.class);
                if (accepted) {
                    assertThat(new IdempotentMethod(method).operation()).isEqualTo("op");
                } else {
                    mistakes(method);
                }
            }
        } finally {
            System.clearProperty("mp.fault.tolerance.interceptor.priority");
        }
    }

    /** A message as one word of the names of methods. */
    private static String words(String message) {
        return message.replaceAll("[^A-Za-z]", "");
    }

    @ApplicationScoped
    static class WithoutScope {
        @Idempotent(operation = "op", key = "#id")
        public void call(String id) {}
    }

    @ApplicationScoped
    static class WithoutServlets {
        @Idempotent(operation = "op", key = "#attempt")
        public void call(String id) {}
    }

    static class TwoScopes {
        @Produces
        CallerScope one() {
            return () -> Optional.of("one");
        }

        @Produces
        CallerScope other() {
            return () -> Optional.of("other");
        }
    }

    static class TwoCodecs {
        @Produces
        ResultCodecs one() {
            return (operation, result) -> ResultCodec.string();
        }

        @Produces
        ResultCodecs other() {
            return (operation, result) -> ResultCodec.string();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {TwoScopes.class, TwoCodecs.class})
    void applicationWithSeveralBeansForOneTaskDoesNotStart(Class<?> beans) {
        assertThatThrownBy(() -> start(Unserved.class, Requests.class, beans).close())
                .hasStackTraceContaining("found several. Remove the others");
    }

    @Test
    void applicationWithAMistakeDoesNotStart() {
        assertThatThrownBy(() -> start(WithoutScope.class)).hasStackTraceContaining("no bean identifies the caller");
        assertThatThrownBy(() -> start(WithoutServlets.class))
                .hasStackTraceContaining("neither servlets nor JAX-RS is available")
                .hasStackTraceContaining("quarkus-rest");
    }

    @ParameterizedTest
    @ValueSource(strings = {"idempotency.http.required", "idempotency.http.elsewhere"})
    void applicationWhoseRoutesNeedAKeyDoesNotStartWithoutServlets(String setting) {
        System.setProperty(setting, "required");
        try {
            assertThatThrownBy(() -> start(Audit.class))
                    .hasStackTraceContaining("neither servlets nor JAX-RS is available")
                    .hasStackTraceContaining("quarkus-rest")
                    .hasStackTraceContaining("#start-refused");
            System.setProperty("idempotency.http.enabled", "false");
            start(Audit.class).close();
        } finally {
            System.clearProperty(setting);
            System.clearProperty("idempotency.http.enabled");
        }
    }

    /** As in Quarkus, where it has servlets, and its JAX-RS serves the request without one. */
    static class Requests {
        @Produces
        HttpServletRequest request() {
            return FilterAtStartTest.proxy(HttpServletRequest.class, called -> {
                throw new IllegalStateException("UT000048: No request is currently active");
            });
        }
    }

    @Test
    void callIsRefusedWhileARouteNeedsAKeyAndNoFilterIsRegistered() {
        System.setProperty("idempotency.http.required", "/orders");
        try (SeContainer unfiltered = start(Groups.class, Audit.class, Requests.class)) {
            Groups calls = unfiltered.select(Groups.class).get();
            assertThatThrownBy(() -> calls.create("a", new Request("k", "one")))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the filter is not registered")
                    .hasMessageContaining("#start-refused");
            assertThat(database.effects()).isEmpty();

            new FilterAtStart().onStartup(null, FilterAtStartTest.context(true));
            assertThat(calls.create("a", new Request("k", "one"))).isEqualTo("made one");
        } finally {
            System.clearProperty("idempotency.http.required");
        }
    }

    @ApplicationScoped
    static class Unserved {
        @Idempotent(operation = "of-attempt", key = "#attempt")
        public void ofAttempt(String id) {
            database.sql("INSERT INTO effect VALUES (?)", id);
        }

        @Idempotent(operation = "of-caller", key = "#id")
        public void ofCaller(String id) {
            database.sql("INSERT INTO effect VALUES (?)", id);
        }
    }

    @Test
    void callOfARequestThatNoServletServesIsRefusedAndNobodysScope() {
        System.setProperty("idempotency.anonymous", "true");
        try (SeContainer unserved = start(Unserved.class, Requests.class)) {
            Unserved calls = unserved.select(Unserved.class).get();
            assertThatThrownBy(() -> calls.ofAttempt("k"))
                    .isInstanceOf(InvalidIdempotentMethodException.class)
                    .hasMessageContaining("the filter has not seen its request")
                    .hasMessageContaining("quarkus-rest");
            assertThatThrownBy(() -> calls.ofCaller("k"))
                    .isInstanceOf(UnknownCallerException.class)
                    .hasMessageContaining("the filter has not seen its request")
                    .hasMessageContaining("quarkus-rest");
            assertThat(database.effects()).isEmpty();
        } finally {
            System.clearProperty("idempotency.anonymous");
        }
    }

    /** As Quarkus has it, on a thread that serves no request. */
    static class NoRequests {
        @Produces
        HttpServletRequest request() {
            return FilterAtStartTest.proxy(HttpServletRequest.class, called -> {
                throw new ContextNotActiveException();
            });
        }
    }

    @Test
    void callerOfAThreadThatServesNoRequestIsNotTakenForNobody() {
        System.setProperty("idempotency.anonymous", "true");
        try (SeContainer elsewhere = start(Unserved.class, NoRequests.class)) {
            Unserved calls = elsewhere.select(Unserved.class).get();
            assertThatThrownBy(() -> calls.ofCaller("k"))
                    .isInstanceOf(UnknownCallerException.class)
                    .hasMessageContaining("this thread serves none");
            assertThatThrownBy(() -> calls.ofAttempt("k"))
                    .isInstanceOf(InvalidIdempotentMethodException.class)
                    .hasMessageContaining("this thread serves none");
            assertThat(database.effects()).isEmpty();
        } finally {
            System.clearProperty("idempotency.anonymous");
        }
    }

    abstract static class Above {
        @Idempotent(operation = "above", key = "#id", scope = "'s'")
        public void call(String id) {}
    }

    @ApplicationScoped
    @Transactional(TxType.REQUIRES_NEW)
    static class Separate extends Above {}

    @Stereotype
    @ApplicationScoped
    @Transactional(TxType.REQUIRES_NEW)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Separately {}

    @Separately
    static class SeparateByStereotype {
        @Idempotent(operation = "separate", key = "#id", scope = "'s'")
        public void call(String id) {}
    }

    @Stereotype
    @Separately
    @Retention(RetentionPolicy.RUNTIME)
    @interface Twice {}

    @Twice
    static class SeparateByTwoStereotypes {
        @Idempotent(operation = "separate", key = "#id", scope = "'s'")
        public void call(String id) {}
    }

    @InterceptorBinding
    @Transactional(TxType.REQUIRES_NEW)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Bound {}

    @ApplicationScoped
    static class SeparateByBinding {
        @Bound
        @Idempotent(operation = "separate", key = "#id", scope = "'s'")
        public void call(String id) {}
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Separate.class,
                SeparateByStereotype.class,
                SeparateByTwoStereotypes.class,
                SeparateByBinding.class
            })
    void separateTransactionOfTheMethodsBeanIsRefused(Class<?> bean) {
        assertThatThrownBy(() -> start(bean).close())
                .hasStackTraceContaining("would not run in the operation's transaction");
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Allowed {}

    /** At the place of those that Quarkus has for {@code @RolesAllowed}. */
    @Allowed
    @Interceptor
    @Priority(Interceptor.Priority.PLATFORM_BEFORE + 150)
    static class Security {
        static boolean allows = true;

        @AroundInvoke
        Object check(InvocationContext invocation) throws Exception {
            if (!allows) {
                throw new SecurityException("forbidden");
            }
            return invocation.proceed();
        }
    }

    @ApplicationScoped
    static class Guarded {
        @Allowed
        @Idempotent(operation = "guarded", key = "#id", scope = "'s'")
        public String call(String id) {
            database.sql("INSERT INTO effect VALUES (?)", id);
            return "secret";
        }
    }

    @Test
    void callerWhoIsForbiddenGetsNoReplayAndUsesUpNoKey() {
        try (SeContainer secured = start(Guarded.class, Security.class)) {
            Guarded calls = secured.select(Guarded.class).get();
            Security.allows = false;
            assertThatThrownBy(() -> calls.call("k")).isInstanceOf(SecurityException.class);
            Security.allows = true;
            assertThat(calls.call("k")).isEqualTo("secret");
            Security.allows = false;
            assertThatThrownBy(() -> calls.call("k")).isInstanceOf(SecurityException.class);
        } finally {
            Security.allows = true;
        }
        assertThat(database.effects()).containsExactly("k");
    }

    @InterceptorBinding
    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {}

    /** Behind the operation. */
    @Marked
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    static class Marking {
        @AroundInvoke
        Object mark(InvocationContext invocation) throws Exception {
            invocation.getParameters()[0] += "!";
            return invocation.proceed();
        }
    }

    @ApplicationScoped
    static class Transfers {
        private int runs;

        @Marked
        @Transactional(rollbackOn = SQLException.class)
        @Idempotent(operation = "transfer", key = "#id", scope = "'s'")
        public String transfer(String id) throws SQLException {
            database.sql("INSERT INTO effect VALUES (?)", id);
            if (runs++ == 0) {
                throw new SQLException("deadlock detected", "40P01");
            }
            return id;
        }
    }

    @Test
    void secondRunHasTheArgumentsOfTheCall() throws Exception {
        try (SeContainer marking = start(Transfers.class, Marking.class)) {
            assertThat(marking.select(Transfers.class).get().transfer("k")).isEqualTo("k!");
        }
        assertThat(database.effects()).containsExactly("k!");
    }

    /** Behind the operation. */
    @Allowed
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    static class OnAnotherThread {
        @AroundInvoke
        Object call(InvocationContext invocation) throws Exception {
            FutureTask<Object> call = new FutureTask<>(invocation::proceed);
            new Thread(call).start();
            return call.get();
        }
    }

    /** Behind the operation. */
    @Allowed
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    static class Suspending {
        @AroundInvoke
        Object call(InvocationContext invocation) throws Exception {
            Transaction suspended = Database.TRANSACTIONS.suspend();
            try {
                return invocation.proceed();
            } finally {
                Database.TRANSACTIONS.resume(suspended);
            }
        }
    }

    /** Behind the operation. */
    @Allowed
    @Interceptor
    @Priority(Interceptor.Priority.APPLICATION)
    static class HidingWhatItCaused extends Suspending {
        @Override
        @AroundInvoke
        Object call(InvocationContext invocation) throws Exception {
            try {
                return super.call(invocation);
            } catch (IllegalStateException hidden) {
                return "done";
            }
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OnAnotherThread.class, Suspending.class, HidingWhatItCaused.class})
    void methodThatAnInterceptorTakesOutOfTheTransactionIsRefused(Class<?> interceptor) {
        try (SeContainer moving = start(Guarded.class, interceptor)) {
            Guarded calls = moving.select(Guarded.class).get();
            assertThatThrownBy(() -> calls.call("k"))
                    .hasStackTraceContaining("called outside the operation's transaction");
        }
        assertThat(database.effects()).isEmpty();
    }

    static class SeparateProducers {
        @Produces
        Idempotency<Connection> idempotency() {
            return Idempotency.on(JdbcIdempotencyStore.on(database.dataSource()));
        }
    }

    @Test
    void storeOutsideOfTheTransactionsOfTheManagerIsRefused() {
        try (SeContainer separate = initializer()
                .addBeanClasses(SeparateProducers.class, Guarded.class)
                .initialize()) {
            Guarded calls = separate.select(Guarded.class).get();
            assertThatThrownBy(() -> calls.call("k"))
                    .isInstanceOf(InvalidIdempotentMethodException.class)
                    .hasMessageContaining("JakartaIdempotencyStore");
        }
        assertThat(database.effects()).isEmpty();
    }

    /** Names {@link Request}, which the loader of this test does not have. */
    static class OfALibrary {
        void call(Request absent) {}
    }

    @Test
    void beanOfALibraryThatNamesAnAbsentClassDoesNotKeepTheApplicationFromStarting() throws Exception {
        ClassLoader without = new ClassLoader(null) {
            @Override
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                try (InputStream in = OfALibrary.class.getResourceAsStream("/" + name.replace('.', '/') + ".class")) {
                    byte[] bytes = in.readAllBytes();
                    return name.equals(Request.class.getName())
                            ? super.findClass(name)
                            : defineClass(name, bytes, 0, bytes.length);
                } catch (IOException thrown) {
                    throw new UncheckedIOException(thrown);
                }
            }
        };
        assertThat(IdempotentMethods.methodsOf(without.loadClass(OfALibrary.class.getName())))
                .isEmpty();
    }

    @ApplicationScoped
    static class Producers {
        @Produces
        Idempotency<Connection> idempotency() {
            return Idempotency.on(database.store());
        }
    }
}
