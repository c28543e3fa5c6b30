package consumer;

import io.counterpoint.idempotency.Attempt;
import io.counterpoint.idempotency.Idempotency;
import io.counterpoint.idempotency.Outcome;
import io.counterpoint.idempotency.ResultCodec;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Creates a note twice under one key, and fails unless there is one note, one answer and every module. */
public final class Application {

    private Application() {}

    public static void main(String[] args) {
        Jdbi jdbi = Jdbi.create("jdbc:h2:mem:consumer;DB_CLOSE_DELAY=-1");
        jdbi.useHandle(handle -> handle.execute("CREATE TABLE note (id identity PRIMARY KEY, text varchar(100))"));
        var createNote = Idempotency.on(JdbiIdempotencyStore.on(jdbi).createTableIfMissing())
                .operation("create-note", ResultCodec.text(Object::toString, Long::valueOf))
                .build();
        Attempt attempt = Attempt.inScope("user:42").key("from-the-client").request("hello");
        List<Outcome<Long>> outcomes = new ArrayList<>();
        for (int call = 1; call <= 2; call++) {
            outcomes.add(createNote.execute(attempt, handle -> handle.createUpdate("INSERT INTO note (text) VALUES ('hello')")
                    .executeAndReturnGeneratedKeys()
                    .mapTo(Long.class)
                    .one()));
        }
        long notes = jdbi.withHandle(handle -> handle.createQuery("SELECT count(*) FROM note").mapTo(Long.class).one());
        boolean replayed = outcomes.get(1).isReplay() && outcomes.get(0).orElseThrow().equals(outcomes.get(1).orElseThrow());
        if (notes != 1 || !replayed) {
            throw new AssertionError("Expected one note and a replay, found " + notes + " notes and " + outcomes);
        }
        for (String name : List.of("io.counterpoint.idempotency", "io.counterpoint.idempotency.jdbc")) {
            Optional<Module> module = ModuleLayer.boot().findModule(name);
            if (module.isEmpty() || module.get().getDescriptor().isAutomatic()) {
                throw new AssertionError("Expected " + name + " as a named module, found " + module);
            }
        }
        System.out.println("One note, executed and replayed, in " + Application.class.getModule());
    }
}
