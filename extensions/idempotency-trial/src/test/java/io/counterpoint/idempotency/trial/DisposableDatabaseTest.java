package io.counterpoint.idempotency.trial;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DisposableDatabaseTest {

    private static void require(String url, String named, String host) {
        DisposableDatabase.require(url, "app", named, host);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:h2:mem:test",
                "jdbc:h2:file:/tmp/test",
                "jdbc:h2:tcp://localhost/test",
                "jdbc:hsqldb:mem:test",
                "jdbc:sqlite:/tmp/test",
                "jdbc:postgresql:test",
                "jdbc:postgresql://127.0.0.1:5432/test?user=ann&password=secret",
                "jdbc:postgresql://localhost:1,localhost:2/test",
                "jdbc:mariadb://localhost/test"
            })
    void databaseOfThisMachineNeedsItsNameOnly(String url) {
        assertThatCode(() -> require(url, url.replaceFirst("\\?.*", ""), "")).doesNotThrowAnyException();
        assertThatCode(() -> require(url, "app", "")).doesNotThrowAnyException();
        assertThatIllegalArgumentException().isThrownBy(() -> require(url, url.replace("test", "live"), ""));
        assertThatIllegalArgumentException().isThrownBy(() -> require(url, "", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:postgresql://db:5432/test",
                "jdbc:postgresql://localhost:5432,db:5432/test",
                "jdbc:h2:tcp://db/test",
                "jdbc:hsqldb:hsql://db/test",
                "jdbc:oracle:thin:@db:1521:test",
                "jdbc:mariadb://address=(host=db)/test"
            })
    void databaseOfAnotherMachineHasToBeConfirmed(String url) {
        String hosts = url.replaceFirst(".*(//|@)", "").replaceFirst("/.*", "");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> require(url, url, ""))
                .withMessage(
                        "Nothing was run: the database is on %s. If its contents are disposable, confirm it with"
                                + " onHost(\"%s\").",
                        hosts, hosts);
        assertThatIllegalArgumentException().isThrownBy(() -> require(url, url, "localhost"));
        assertThatCode(() -> require(url, url, hosts)).doesNotThrowAnyException();
    }

    @Test
    void optionThatNamesADatabaseIsCompared() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> require(
                        "jdbc:sqlserver://localhost;databaseName=live",
                        "jdbc:sqlserver://localhost;databaseName=test",
                        ""));
    }
}
