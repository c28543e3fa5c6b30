package io.counterpoint.idempotency.testing.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("thorough")
class KafkaServerTest {

    @Test
    void topicOutlivesAKilledBroker() throws Exception {
        try (KafkaServer server = KafkaServer.start();
                Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
            server.kill();
            server.restart();
            assertThat(admin.listTopics().names().get(60, TimeUnit.SECONDS)).containsExactly("orders");
        }
    }
}
