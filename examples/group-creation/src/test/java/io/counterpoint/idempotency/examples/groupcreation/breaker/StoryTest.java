package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The output in the README's "Run it", and the pages that quote it. */
class StoryTest {

    private static final Path ROOT = Path.of("../..");

    private static final Run RUN = Run.of("--story");

    @Test
    void sameRequestsHaveSurplusGroupsWithoutTheLibraryAndNoneWithIt() {
        assertThat(RUN.err()).isEmpty();
        assertThat(RUN.text())
                .containsSubsequence(
                        "Unprotected",
                        "lost replies 78\n keys with a successful response 575\n groups in the database 964\n",
                        "surplus groups 389\n",
                        "Protected",
                        "lost replies 78\n keys with a successful response 575\n groups in the database 575\n",
                        "surplus groups 0\n");
        assertThat(RUN.exitCode()).isZero();
    }

    @Test
    void keyOfTheKilledLeaderIsHealed() {
        assertThat(RUN.text())
                .containsSubsequence("Killed leader", "after the kill 1 Pending\n", "after a retry 1 Succeeded\n")
                .endsWith("\nResult: 389 surplus groups unprotected, 0 protected, killed leader's key healed.\n");
    }

    @Test
    void pageOfTheExampleShowsTheRun() throws IOException {
        assertThat(Files.readString(Path.of("README.md"))).contains("```\n" + RUN.out() + "```\n");
    }

    /** Run with {@code -DargLine=-Dpicture.write=true} to redraw the picture. */
    @Test
    void pictureShowsTheRun() throws IOException {
        Path picture = ROOT.resolve("docs/run-it.svg");
        String drawn = StoryPicture.of(command(), RUN.out());
        if (Boolean.getBoolean("picture.write")) {
            Files.writeString(picture, drawn);
        }
        assertThat(Files.readString(picture)).isEqualTo(drawn);
        assertThat(Files.readString(ROOT.resolve("README.md"))).contains("(docs/run-it.svg)");
    }

    private static String command() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));
        return readme.substring(readme.indexOf("## Run it\n```sh\n") + 16)
                .lines()
                .findFirst()
                .orElseThrow();
    }
}
