package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProviderTest {

    @Test
    void decisionThatAKillHasCutOffIsNone(@TempDir Path folder) throws IOException {
        Path ledger = folder.resolve("ledger.tsv");
        assertThat(Provider.decisions(ledger)).isEmpty();
        Files.writeString(ledger, "\nh1\tk1\ta.1\t7\t.\nh2\tk2\t\t8\t.\nh3\tk3\ta.3\t\nh4\tk4\ta.4");
        assertThat(Provider.decisions(ledger))
                .containsExactly(new Provider.Decision("h1", "k1", "a.1", 7), new Provider.Decision("h2", "k2", "", 8));
    }
}
