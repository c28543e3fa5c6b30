package io.counterpoint.idempotency.examples.groupcreation.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.testing.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How the program handles invalid arguments, files and databases. */
class GroupCreationTest {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    --frobnicate                                  | Unknown option: '--frobnicate'.
                    file.csv                                      | Unmatched argument at index 0: 'file.csv'.
                    --clients                                     | Missing required parameter for option '--clients'
                    --clients=many                                | Invalid value for option '--clients': 'many'
                    --clients=0                                   | --clients must be between 1 and 1000, found 0.
                    --protocol=two-phase                          | expected one of [claim-first, single-transaction,
                    --requests=no/such/file.csv                   | There is no file no/such/file.csv.
                    --story --unprotected                         | --story takes no other option.
                    --unprotected --crash                         | --unprotected does without the library
                    --unprotected --protocol=external             | --unprotected does without the library
                    --jdbc-url=jdbc:mysql://localhost/x           | A URL must begin with jdbc:postgresql: or jdbc:mariadb:,
                    --jdbc-url=jdbc:mariadb://h/x --protocol=external | external on MariaDB needs --groups-jdbc-url
                    --user=me                                     | --user and --password go with --jdbc-url only.
                    --groups-jdbc-url=jdbc:postgresql://localhost | goes with --jdbc-url and --protocol external only.
                    --jdbc-url=jdbc:postgresql://127.0.0.1:1/x    | Cannot connect to jdbc:postgresql://127.0.0.1:1/x:
                    """)
    void mistakeOfTheUserIsOneLineAndExitCode2(String arguments, String message) {
        Run run = Run.of(arguments.split(" "));

        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .startsWith("group-creation: ")
                .contains(message)
                .endsWith(" See --help.");
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void helpListsEveryOption() {
        Run run = Run.of("--help");

        assertThat(run.out())
                .contains("--requests", "--clients", "--protocol", "--unprotected", "--crash", "--jdbc-url");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void malformedLinesAreCountedAndNamedAndTheRestIsDone() throws Exception {
        Path file = Files.writeString(folder.resolve("requests.csv"), """
                user,key,name,members
                ann,k1,Chess,bob
                ann,"k2,Chess,bob
                ann,,Chess,bob
                ann,k3,Chess,"bob;cid"
                ann,,Running,
                """);

        Run run = Run.of("--requests", file.toString());

        assertThat(run.text())
                .contains(
                        " malformed 3\n no key 2 lines 4, 6\n quotation marks do not match 1 line 3\n",
                        "Verified: 2 successful keys, 2 groups, 0 surplus, 0 missing.");
        assertThat(run.exitCode()).isZero();
    }

    @Test
    void fileThatIsNoRequestFileIsRefused() throws Exception {
        Path file = Files.write(folder.resolve("requests.csv"), new byte[] {1, 0, (byte) 0xff, '\n', 7});

        Run run = Run.of("--requests", file.toString());

        assertThat(run.err().lines()).singleElement().asString().contains("No request in " + file);
        assertThat(run.exitCode()).isEqualTo(2);
    }

    @Test
    void tableOfAnotherShapeIsRefused() throws Exception {
        String url = PostgresServer.shared().createDatabase();
        try (Connection connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            statement.execute("create table idempotency_record (scope text primary key, expires_at timestamptz)");
        }

        Run run = Run.of("--jdbc-url", url);

        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("Table idempotency_record cannot store idempotency records");
        assertThat(run.exitCode()).isEqualTo(2);
    }
}
