package io.counterpoint.idempotency.torture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.counterpoint.idempotency.programs.CannotRun;
import org.junit.jupiter.api.Test;

class OptionsTest {

    @Test
    void withoutOptionsItIsAllModesAndAllMutantsForAMinute() throws CannotRun {
        TortureOptions options = TortureOptions.parse();
        assertThat(options.seconds).isEqualTo(60);
        assertThat(options.modes()).containsExactly(Mode.values());
        assertThat(options.mutants())
                .hasSize(Mutant.values().length - 1)
                .doesNotContain(Mutant.LOST_TRANSACTION_COMMITS);
        assertThat(options.isolation()).isEqualTo(Isolation.READ_COMMITTED);
    }

    @Test
    void modesAndMutantsHaveNamesAsOnACommandLine() throws CannotRun {
        TortureOptions options = TortureOptions.parse("--modes", "claim-first,external", "--mutants", "mark-outside");
        assertThat(options.modes()).containsExactly(Mode.CLAIM_FIRST, Mode.EXTERNAL);
        assertThat(options.mutants()).containsExactly(Mutant.MARK_OUTSIDE);
    }

    @Test
    void onAnotherEngineItIsTheModesAndMutantsThatItCanHave() throws CannotRun {
        TortureOptions options = TortureOptions.parse("--engine", "mariadb");
        assertThat(options.isolation()).isEqualTo(Isolation.REPEATABLE_READ);
        assertThat(options.modes())
                .hasSize(16)
                .contains(Mode.RECORD_LAST, Mode.BATCH)
                .doesNotContain(Mode.FAILOVER_SINGLE);
        assertThat(options.mutants())
                .hasSize(20)
                .contains(Mutant.LOST_TRANSACTION_COMMITS)
                .doesNotContain(Mutant.ASYNCHRONOUS_COMMIT, Mutant.WARNING_IGNORED);
    }

    @Test
    void wrongOptionsAreRefused() {
        assertRefused("expected one of claim-first, ", "--modes", "fast");
        assertRefused("at least 10, found 3", "--seconds", "3");
        assertRefused("do not go together", "--mutants", "mark-outside", "--no-mutants");
        assertRefused("all modes and all mutants", "--full", "--no-mutants");
        assertRefused("are for the engine postgresql", "--engine", "mysql", "--full");
        assertRefused("has not all of these modes", "--engine", "mysql", "--modes", "failover-single");
        assertRefused("a folder that is not there", "--evidence", "nowhere");
        assertRefused("Unknown option", "--nonsense");
    }

    private static void assertRefused(String message, String... arguments) {
        assertThatThrownBy(() -> TortureOptions.parse(arguments))
                .isInstanceOf(CannotRun.class)
                .hasMessageContaining(message);
    }
}
