package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.examples.appplatform.Read.Level;
import io.counterpoint.idempotency.examples.appplatform.http.Replies;
import io.counterpoint.idempotency.examples.appplatform.usecase.ChargePayment;
import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import io.counterpoint.idempotency.examples.appplatform.usecase.TriggerExecution;
import io.counterpoint.idempotency.servlet.IdempotentRequest;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What a workspace uses: executions and charges. */
final class WorkspaceRoutes {

    static final Read USAGE = new Read("/usage", Level.EVENTUAL, "usage statistics");

    private final Platform platform;

    WorkspaceRoutes(Platform platform) {
        this.platform = platform;
    }

    void addTo(Routes routes) {
        routes.post(TriggerExecution.POLICY, this::triggerExecution, Parameter.WORKSPACE, Parameter.APP)
                .post(ChargePayment.POLICY, this::charge, Parameter.WORKSPACE, Parameter.TRANSACTION, Parameter.AMOUNT)
                .get(USAGE, this::usage, Parameter.WORKSPACE);
    }

    private void triggerExecution(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        long workspace = inputs.get(Parameter.WORKSPACE);
        UUID app = inputs.get(Parameter.APP);
        Optional<IdempotentRequest> idempotent = IdempotentRequest.find(request);
        UUID execution = idempotent.isPresent()
                ? idempotent
                        .get()
                        .resultOf(platform.triggerExecution.execute(
                                idempotent.get().attempt(), workspace, app))
                : platform.triggerExecution.executeUnprotected(workspace, app);
        Replies.answer(response, 202, Map.of("execution", execution));
    }

    private void charge(Inputs inputs, HttpServletRequest request, HttpServletResponse response)
            throws IOException, Refusal {
        IdempotentRequest idempotent = IdempotentRequest.of(request);
        long left = idempotent.resultOf(platform.chargePayment.execute(
                idempotent.attempt(),
                inputs.get(Parameter.WORKSPACE),
                inputs.get(Parameter.TRANSACTION),
                inputs.get(Parameter.AMOUNT)));
        Replies.answer(response, 201, Map.of("left", left));
    }

    private void usage(Inputs inputs, HttpServletRequest request, HttpServletResponse response) throws IOException {
        long executions = platform.database
                .jdbi()
                .withHandle(handle -> UsageStatistics.of(handle, inputs.get(Parameter.WORKSPACE)));
        Replies.answer(response, 200, Map.of("executions", executions));
    }
}
