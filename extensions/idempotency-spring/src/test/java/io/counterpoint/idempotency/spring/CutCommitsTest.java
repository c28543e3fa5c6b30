package io.counterpoint.idempotency.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Operation;
import io.counterpoint.idempotency.Operation.Protocol;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.testing.CuttingProxy;
import java.sql.Connection;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A proxy cuts the connection before the COMMIT of Spring's manager, or before its answer. The record decides. */
@Tag("thorough")
@Timeout(60)
class CutCommitsTest {

    private static final Attempt ATTEMPT = Attempt.inScope("user:1").key("k").request("r");

    static Stream<Arguments> recordDecides() {
        return Arrays.stream(Application.Way.values())
                .flatMap(way -> Arrays.stream(Protocol.values())
                        .flatMap(protocol ->
                                Stream.of(true, false).map(arrives -> Arguments.of(way, protocol, arrives))));
    }

    @ParameterizedTest(name = "{0}, {1}, the COMMIT arrives: {2}")
    @MethodSource
    void recordDecides(Application.Way way, Protocol protocol, boolean arrives) throws Exception {
        AtomicInteger runs = new AtomicInteger();
        try (Database database = Database.open(Database.Kind.POSTGRESQL);
                CuttingProxy proxy = CuttingProxy.inFrontOf(database.url());
                Application application = Application.over(Database.at(proxy.jdbcUrl()), way)) {
            Operation<Connection, String> operation = Idempotency.on(application.store())
                    .operation("write", ResultCodec.string())
                    .protocol(protocol)
                    .build();

            Outcome<String> outcome = operation.execute(ATTEMPT, unused -> {
                application.bean(Effects.class).write("effect");
                if (runs.incrementAndGet() == 1 && arrives) {
                    proxy.swallowNextCommitAnswer();
                } else if (runs.get() == 1) {
                    proxy.dropNextCommit();
                }
                return "result";
            });

            assertThat(proxy.hasCut()).isTrue();
            assertThat(outcome.orElseThrow()).isEqualTo("result");
            assertThat(runs).hasValue(arrives ? 1 : 2);
            assertThat(database.effects()).containsExactly("effect");
            assertThat(operation.execute(ATTEMPT, unused -> "again")).isInstanceOf(Outcome.Replayed.class);
        }
    }
}
