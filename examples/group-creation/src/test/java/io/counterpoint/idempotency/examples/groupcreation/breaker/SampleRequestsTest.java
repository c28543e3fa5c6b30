package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class SampleRequestsTest {

    @Test
    void theShippedSampleIsWhatTheGeneratorMakes() throws Exception {
        try (InputStream in = RequestFile.class.getResourceAsStream("sample-requests.csv")) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(SampleRequests.text());
        }
    }
}
