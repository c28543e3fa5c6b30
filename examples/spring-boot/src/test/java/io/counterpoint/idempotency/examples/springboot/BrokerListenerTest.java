package io.counterpoint.idempotency.examples.springboot;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.Curl;
import io.counterpoint.idempotency.testing.kafka.KafkaServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

/** The listener with a real broker, which is killed between two copies of a message. */
@Tag("matrix")
class BrokerListenerTest {

    private static final String COPY = "{\"messageId\":\"m-1\",\"groupId\":1}";
    private static final String OTHER = "{\"messageId\":\"m-2\",\"groupId\":1}";

    @Test
    void copiesOfAMessageHaveOneEffectAlsoAfterTheBrokerWasKilled() throws Exception {
        List<String> lines = Curl.linesOf(Files.readString(Path.of("README.md")));
        try (KafkaServer broker = KafkaServer.start()) {
            createTopic(broker);
            try (ConfigurableApplicationContext application = Application.start(
                    "--server.port=0",
                    "--spring.profiles.active=h2,kafka",
                    "--spring.datasource.url=jdbc:h2:mem:broker;DB_CLOSE_DELAY=-1",
                    "--spring.kafka.bootstrap-servers=" + broker.bootstrapServers(),
                    "--spring.kafka.consumer.auto-offset-reset=earliest",
                    "--spring.main.banner-mode=off",
                    "--logging.level.root=OFF")) {
                String port = application.getEnvironment().getProperty("local.server.port");
                Messages messages = application.getBean(Messages.class);
                assertThat(Curl.send(lines.get(0), port).statusCode()).isEqualTo(201);

                messages.send(COPY);
                messages.awaitSucceeded();
                broker.kill();
                broker.restart();
                messages.send(COPY);
                messages.awaitReplayed();
                messages.send(OTHER);
                messages.awaitSucceeded();

                assertThat(Curl.send(lines.get(7), port).body()).contains("\"name\":\"Friends\",\"members\":3");
            }
        }
    }

    private static void createTopic(KafkaServer broker) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", broker.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic("joined", 1, (short) 1)))
                    .all()
                    .get(60, TimeUnit.SECONDS);
        }
    }
}
