package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.RecordedOperation;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import io.counterpoint.idempotency.servlet.Client.Answer;
import io.counterpoint.idempotency.servlet.Client.Request;
import io.counterpoint.idempotency.spi.DomainTable;
import io.counterpoint.idempotency.spi.Fault;
import io.counterpoint.idempotency.testkit.faults.FaultyStore;
import io.counterpoint.idempotency.testkit.faults.StoreCall;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.h2.jdbcx.JdbcDataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A handler whose record is the row that it makes, behind the filter. */
class RecordedRowTest {

    private final JdbcDataSource database = new JdbcDataSource();
    private final Jdbi jdbi = Jdbi.create(database);

    /** The database lives as long as this connection. */
    private final Handle open;

    private final RecordedOperation<Handle, String> createChat;
    private final TestServer server;
    private volatile Runnable work = () -> {};

    /** Arms the store of each call. */
    private volatile Consumer<FaultyStore<Handle>> faults = store -> {};

    RecordedRowTest() {
        database.setURL("jdbc:h2:mem:" + UUID.randomUUID());
        open = jdbi.open();
        open.execute(
                "CREATE TABLE chat (name varchar(50) PRIMARY KEY, key_id varchar(64) UNIQUE, request varchar(64))");
        DomainTable<Handle> rows = JdbiIdempotencyStore.on(database)
                .recordedIn("chat", "key_id", "request")
                .through(store -> {
                    FaultyStore<Handle> faulty = FaultyStore.around(store);
                    faults.accept(faulty);
                    return faulty;
                });
        createChat = Idempotency.on(JdbiIdempotencyStore.on(database))
                .recorded(
                        "create-chat",
                        rows,
                        (handle, key) -> handle.createQuery("SELECT name FROM chat WHERE key_id = ?")
                                .bind(0, key.hash())
                                .mapTo(String.class)
                                .findOne())
                .settleWithin(Duration.ofMillis(200))
                .build();
        server = new TestServer()
                .filter(IdempotencyFilter.scopedBy(ScopeResolver.anonymous()).build())
                .handle("/chats", this::create)
                .start();
    }

    @AfterEach
    void stop() {
        server.close();
        open.close();
    }

    private void create(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String name = request.getReader().readLine();
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        String made = idempotent.resultOf(createChat.execute(idempotent.attempt(), Map.of("name", name), handle -> {
            work.run();
            return name;
        }));
        response.setStatus(HttpServletResponse.SC_CREATED);
        response.getWriter().write(made);
    }

    private Answer post(String key, String name) throws Exception {
        return Client.JDK.send(
                Request.to(server.uri("/chats")).key("\"" + key + "\"").body(name));
    }

    private List<String> chats() {
        return open.createQuery("SELECT name FROM chat ORDER BY name")
                .mapTo(String.class)
                .list();
    }

    @Test
    void retryGetsTheFirstAnswerAndAnotherRequestIsRefused() throws Exception {
        Answer first = post("k", "chess");
        Answer retry = post("k", "chess");

        assertThat(first.status()).isEqualTo(201);
        assertThat(retry.status()).isEqualTo(201);
        assertThat(retry.body()).isEqualTo(first.body()).isEqualTo("chess");
        assertThat(post("k", "go").status()).isEqualTo(422);
        assertThat(chats()).containsExactly("chess");
    }

    @Test
    void workThatFailedMayRunAgainUnderItsKey() throws Exception {
        work = () -> {
            throw new IllegalStateException("no");
        };
        assertThat(post("k", "chess").status()).isEqualTo(500);
        assertThat(chats()).isEmpty();
        work = () -> {};

        assertThat(post("k", "chess").status()).isEqualTo(201);
        assertThat(chats()).containsExactly("chess");
    }

    @Test
    void rowThatIsRefusedIsToldAndItsKeyIsFree() throws Exception {
        post("k", "chess");

        Answer refused = post("l", "chess");

        assertThat(refused.status()).isEqualTo(500);
        assertThat(refused.body()).contains("Nothing was done", "\"retryable\":false");
        assertThat(post("l", "go").status()).isEqualTo(201);
        assertThat(chats()).containsExactly("chess", "go");
    }

    @Test
    void commitWithoutAnAnswerIsAnsweredByTheRow() throws Exception {
        faults = store -> store.at(StoreCall.COMMIT).losesAnswer();
        assertThat(post("k", "chess").body()).isEqualTo("chess");

        faults = store -> store.at(StoreCall.COMMIT).fails(Fault.CONNECTION_LOST);
        assertThat(post("l", "go").body()).isEqualTo("go");

        assertThat(chats()).containsExactly("chess", "go");
    }

    @Test
    void doubtThatStaysIsToldAndTheNextRequestDecides() throws Exception {
        faults = store -> {
            store.at(StoreCall.COMMIT).losesAnswer();
            store.second(StoreCall.OPEN).fails(Fault.CONNECTION_LOST).always();
        };
        assertThat(post("k", "chess").body()).contains("The outcome of the request is not known");
        faults = store -> {};

        Answer retry = post("k", "chess");

        assertThat(retry.body()).isEqualTo("chess");
        assertThat(retry.header(IdempotencyFilter.REPLAYED)).isEqualTo("true");
        assertThat(chats()).containsExactly("chess");
    }
}
