package io.counterpoint.idempotency.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GaleraClusterTest {

    @TempDir
    Path folder;

    @Test
    void aMachineWithoutTheServerIsNamedWithThePackages() {
        assertThat(GaleraCluster.missing(List.of(folder), folder).orElseThrow())
                .contains("mariadbd", "apt-get install mariadb-server mariadb-backup socat");
    }

    @Test
    void aServerWithoutGaleraIsNamedWithThePackages() throws IOException {
        Path server = Files.createFile(folder.resolve("mariadbd"));
        assertThat(server.toFile().setExecutable(true)).isTrue();
        assertThat(GaleraCluster.missing(List.of(folder), folder.resolve("libgalera_smm.so"))
                        .orElseThrow())
                .contains("libgalera_smm.so", "apt-get install mariadb-server mariadb-backup socat");
        assertThat(GaleraCluster.missing(List.of(folder), server)).isEmpty();
    }
}
