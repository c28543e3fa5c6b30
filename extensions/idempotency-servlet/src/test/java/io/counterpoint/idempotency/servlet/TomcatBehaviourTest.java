package io.counterpoint.idempotency.servlet;

import org.junit.jupiter.api.Tag;

/** The same once more, in another container. */
@Tag("matrix")
class TomcatBehaviourTest extends BehaviourTest {
    TomcatBehaviourTest() {
        super(Client.JDK, Container.Kind.TOMCAT);
    }
}
