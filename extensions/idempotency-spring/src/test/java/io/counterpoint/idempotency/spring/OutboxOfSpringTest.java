package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Done;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.consistency.Transactions;
import io.counterpoint.idempotency.consistency.outbox.Outbox;
import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import org.hibernate.Session;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Events of the toolkit's outbox that are appended in transactions of Spring and JPA commit with their change. */
@Tag("thorough")
class OutboxOfSpringTest {

    private static final String TOPIC = "search";

    private final Outbox outbox = Outbox.create();
    private final List<String> published = new ArrayList<>();

    private enum Appending {
        BY_JDBC_TEMPLATE,
        BY_HIBERNATE
    }

    @ParameterizedTest
    @EnumSource
    void eventGoesOutIfAndOnlyIfTheTransactionOfEntitiesCommits(Database.Kind kind) {
        try (Application application = Application.start(kind, Application.Way.JPA)) {
            Jdbi jdbi = prepare(application);
            TransactionTemplate transactions =
                    new TransactionTemplate(application.bean(PlatformTransactionManager.class));
            Effects effects = application.bean(Effects.class);
            for (Appending appending : Appending.values()) {
                assertThatThrownBy(() -> transactions.executeWithoutResult(status -> {
                            effects.write("rolled back");
                            append(application, appending, "rolled back");
                            throw new IllegalStateException("roll back");
                        }))
                        .hasMessage("roll back");
                transactions.executeWithoutResult(status -> {
                    effects.write(appending.name());
                    append(application, appending, appending.name());
                });
            }
            publish(jdbi);
            assertThat(published).containsExactly("BY_JDBC_TEMPLATE", "BY_HIBERNATE");
            assertThat(application.database.jdbc().queryForList("SELECT id FROM effect", String.class))
                    .containsExactlyInAnyOrderElementsOf(published);
        }
    }

    @ParameterizedTest
    @EnumSource
    void eventOfAnOperationGoesOutOnce(Database.Kind kind) {
        try (Application application = Application.start(kind, Application.Way.JPA)) {
            Jdbi jdbi = prepare(application);
            Operation<Connection, Done> operation = Idempotency.on(application.store())
                    .operation("create", ResultCodec.done())
                    .build();
            Effects effects = application.bean(Effects.class);
            for (int tries = 0; tries < 2; tries++) {
                Done unused = operation
                        .execute(Attempt.inScope("test").key("k").request("r"), connection -> {
                            effects.write("created");
                            outbox.append(connection, List.of(OutboxEvent.of(TOPIC, "created")));
                            return Done.DONE;
                        })
                        .orElseThrow();
            }
            publish(jdbi);
            assertThat(published).containsExactly("created");
        }
    }

    @ParameterizedTest
    @EnumSource
    void connectionThatCommitsEachStatementIsRefused(Database.Kind kind) {
        try (Application application = Application.start(kind, Application.Way.JPA)) {
            Jdbi jdbi = prepare(application);
            assertThatThrownBy(() -> append(application, Appending.BY_JDBC_TEMPLATE, "alone"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("this handle has none");
            publish(jdbi);
            assertThat(published).isEmpty();
        }
    }

    private Jdbi prepare(Application application) {
        Jdbi jdbi = Jdbi.create(application.database.pool());
        jdbi.useHandle(outbox::createTableIfMissing);
        return jdbi;
    }

    private void append(Application application, Appending appending, String payload) {
        List<OutboxEvent> events = List.of(OutboxEvent.of(TOPIC, payload));
        switch (appending) {
            case BY_JDBC_TEMPLATE ->
                application.database.jdbc().execute((ConnectionCallback<Void>) connection -> {
                    outbox.append(connection, events);
                    return null;
                });
            case BY_HIBERNATE ->
                application.entities().unwrap(Session.class).doWork(connection -> outbox.append(connection, events));
        }
    }

    private void publish(Jdbi jdbi) {
        Transactions own = Transactions.on(JdbiIdempotencyStore.on(jdbi));
        try (OutboxPublisher publisher = OutboxPublisher.builder(
                        own, outbox, TOPIC, event -> published.add(event.payload()))
                .build()) {
            assertThat(publisher.publishAll().failed()).isZero();
        }
    }
}
