package io.counterpoint.idempotency.mariadb;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Evaluates Galera's settings: whether a session belongs to a cluster, and whether that cluster keeps acknowledged
 * commits.
 */
record ClusterSettings(Server server) {

    static final String NONE = "none";

    List<String> faults(Map<String, String> settings) {
        List<String> faults = new ArrayList<>();
        if (!hasProvider(settings.getOrDefault("wsrep_provider", NONE))) {
            return faults;
        }
        if (!server.isOneOfMany()) {
            faults.add("the server is a Galera node, where locks apply to one node only: use MariaDbDialect.galera()");
            return faults;
        }
        if (!isOn(settings, "wsrep_on")) {
            faults.add("the session's wsrep_on is OFF, so its commits reach no other node: set it to ON");
        }
        if (isOn(settings, "wsrep_dirty_reads")) {
            faults.add("the session's wsrep_dirty_reads is ON, so a node cut off from the others would return stale"
                    + " data: set it to OFF");
        }
        String options = settings.getOrDefault("wsrep_provider_options", "").replace(" ", "");
        for (String option : List.of("pc.ignore_sb", "pc.ignore_quorum")) {
            if (options.contains(option + "=true")) {
                faults.add("the provider's option " + option + " is true, so both halves of a partitioned cluster"
                        + " would lead for one key: set it to false");
            }
        }
        return faults;
    }

    /**
     * Whether the server is a node. One without a provider is a standalone server, regardless of its other settings.
     */
    static boolean hasProvider(String provider) {
        return !provider.isEmpty() && !provider.equals(NONE);
    }

    private static boolean isOn(Map<String, String> settings, String name) {
        String value = settings.getOrDefault(name, "OFF");
        return value.equals("ON") || value.equals("1");
    }
}
