package io.counterpoint.idempotency.mariadb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which settings of Galera are refused. */
class ClusterSettingsTest {

    private static final Map<String, String> NODE = Map.of(
            "wsrep_provider",
            "/usr/lib/galera/libgalera_smm.so",
            "wsrep_on",
            "ON",
            "wsrep_dirty_reads",
            "OFF",
            "wsrep_provider_options",
            "gcache.size = 128M; pc.ignore_quorum = false; pc.ignore_sb = false; pc.weight = 1");

    private static List<String> faults(Server server, String name, String value) {
        Map<String, String> settings = new HashMap<>(NODE);
        settings.put(name, value);
        return new ClusterSettings(server).faults(settings);
    }

    @Test
    void nodeIsGoodForItsOwnDialectOnly() {
        assertThat(new ClusterSettings(Server.GALERA).faults(NODE)).isEmpty();
        assertThat(new ClusterSettings(Server.MARIADB).faults(NODE))
                .singleElement()
                .asString()
                .contains("MariaDbDialect.galera()");
    }

    /** With the provider but without its session, another dialect is refused as well: other sessions may differ. */
    @Test
    void nodeWhoseSessionIsNotReplicatedIsRefusedByBoth() {
        assertThat(faults(Server.GALERA, "wsrep_on", "OFF")).hasSize(1);
        assertThat(faults(Server.MARIADB, "wsrep_on", "OFF")).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "wsrep_dirty_reads, ON",
        "wsrep_provider_options, gcache.size = 128M; pc.ignore_sb = true",
        "wsrep_provider_options, pc.ignore_quorum = true; pc.ignore_sb = false"
    })
    void settingThatLetsTwoPartsAnswerIsRefused(String name, String value) {
        assertThat(faults(Server.GALERA, name, value)).hasSize(1);
    }

    @Test
    void serverWithoutAProviderIsGoodForEveryDialect() {
        for (Server server : Server.values()) {
            assertThat(faults(server, "wsrep_provider", "none")).isEmpty();
            assertThat(new ClusterSettings(server).faults(Map.of())).isEmpty();
        }
    }
}
