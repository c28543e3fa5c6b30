package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.consistency.outbox.OutboxEvent;
import io.counterpoint.idempotency.consistency.outbox.OutboxPublisher;
import io.counterpoint.idempotency.examples.appplatform.page.Action.Done;
import io.counterpoint.idempotency.examples.groupcreation.Groups;
import io.counterpoint.idempotency.examples.groupcreation.SessionHub;
import io.counterpoint.idempotency.jdbc.JdbiIdempotencyStore;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.jdbi.v3.core.Jdbi;

/**
 * The members of new groups, each in a window of its own. Who is online gets the event from the hub; who was not reads the
 * table when coming back, and misses nothing.
 */
final class Chats implements AutoCloseable {

    private static final int SHOWN = 12;

    /** All of them are in every group of the page. */
    private static final List<String> MEMBERS = List.of("ada", "ben", "cleo");

    /** What a member's window shows. */
    private record Shown(boolean online, int groups, List<String> lines) {}

    private final Jdbi jdbi;
    private final EventStream stream;
    private final Asking asking;
    private final Groups groups = new Groups();
    private final SessionHub hub = new SessionHub();
    private final OutboxPublisher publisher;
    private final Map<String, Window> windows = new LinkedHashMap<>();

    Chats(Jdbi jdbi, EventStream stream, Asking asking) {
        this.jdbi = jdbi;
        this.stream = stream;
        this.asking = asking;
        MEMBERS.forEach(member -> windows.put(member, new Window(member)));
        windows.values().forEach(Window::open);
        publisher = hub.publisher(JdbiIdempotencyStore.on(jdbi), groups)
                .poll(Duration.ofMillis(100))
                .build()
                .start();
    }

    Done newGroup(Input input) throws IOException, InterruptedException {
        String key = "chat-" + UUID.randomUUID().toString().substring(0, 8);
        List<Asking.Answered> answers = asking.ask(key, true, 3, true, new TimeLine(), () -> {});
        return new Done(
                "Three presses with one key made one group, whose event is in the outbox by the same commit. The hub"
                        + " sends it to the members who are online.",
                Map.of("name", KeyedGroups.request(key).name(), "answers", answers));
    }

    Done online(Input input) throws Refused {
        Window window = Objects.requireNonNull(windows.get(input.choice("member", MEMBERS)));
        if (input.flag("online")) {
            window.open();
            return new Done(
                    window.member
                            + " is back, and read the groups from the table: events tell a member to look, and the"
                            + " table is the truth.",
                    view());
        }
        window.shut();
        return new Done(
                "The hub sends " + window.member + " nothing now, and keeps nothing. The groups stay in their table.",
                view());
    }

    /** A window. A group is shown once, however often its event comes. */
    private final class Window implements Consumer<OutboxEvent> {

        private final String member;
        private final List<String> lines = new ArrayList<>();
        private final Set<UUID> known = new LinkedHashSet<>();
        private boolean online;

        Window(String member) {
            this.member = member;
        }

        void open() {
            synchronized (this) {
                online = true;
            }
            hub.connect(member, this);
            Set<UUID> all = jdbi.withHandle(handle -> groups.of(handle, member));
            all.forEach(group -> add("found in the table: ", group));
            show();
        }

        void shut() {
            hub.disconnect(member, this);
            synchronized (this) {
                online = false;
            }
            show();
        }

        @Override
        public void accept(OutboxEvent event) {
            add("the hub says: ", UUID.fromString(event.payload()));
            show();
        }

        private void add(String by, UUID group) {
            String name = jdbi.withHandle(handle -> handle.select("SELECT name FROM chat_group WHERE id = ?", group)
                    .mapTo(String.class)
                    .one());
            synchronized (this) {
                if (online && known.add(group)) {
                    lines.add(by + name);
                }
            }
        }

        synchronized Shown shown() {
            return new Shown(
                    online, known.size(), List.copyOf(lines.subList(Math.max(0, lines.size() - SHOWN), lines.size())));
        }
    }

    private Map<String, Shown> view() {
        Map<String, Shown> view = new LinkedHashMap<>();
        windows.forEach((member, window) -> view.put(member, window.shown()));
        return view;
    }

    private void show() {
        stream.show("chats", view());
    }

    @Override
    public void close() {
        publisher.close();
    }
}
