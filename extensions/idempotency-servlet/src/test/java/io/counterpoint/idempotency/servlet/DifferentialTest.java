package io.counterpoint.idempotency.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.servlet.Differential.Permitted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A filter-managed handler answers with the filter what it answers without, and its replay is the same. */
class DifferentialTest {

    private static final int COUNT = Integer.getInteger("exchanges", 50);
    private static final long SEED = Long.getLong("seed", 1);

    @ParameterizedTest
    @CsvSource({"JETTY, false", "TOMCAT, false", "TOMCAT, true"})
    void someGeneratedAnswersAreWhatTheyAreWithoutTheFilter(String container, boolean http2) throws Exception {
        assertThat(Differential.run(container, SEED, COUNT, http2)).isEmpty();
    }

    @Test
    void thePageHasThePermittedDifferences() throws Exception {
        String rows = Arrays.stream(Permitted.values()).map(Permitted::row).collect(Collectors.joining("\n"));

        assertThat(List.of(Permitted.values())).hasSizeLessThanOrEqualTo(8);
        assertThat(Files.readString(Path.of("../../docs/http.md")))
                .contains("| container | difference | reason |\n|---|---|---|\n" + rows + "\n\n");
    }
}
