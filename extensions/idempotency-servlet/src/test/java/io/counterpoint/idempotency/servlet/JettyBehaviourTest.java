package io.counterpoint.idempotency.servlet;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The behaviour with every client. */
@Tag("thorough")
@ParameterizedClass
@MethodSource("io.counterpoint.idempotency.servlet.Client#present")
class JettyBehaviourTest extends BehaviourTest {
    JettyBehaviourTest(Client client) {
        super(client, Container.Kind.JETTY);
    }
}
