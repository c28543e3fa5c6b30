package io.counterpoint.idempotency.examples.appplatform.search;

import static org.assertj.core.api.Assertions.assertThat;

import io.counterpoint.idempotency.examples.appplatform.search.AppIndex.Entry;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AppIndexTest {

    private final AtomicLong ids = new AtomicLong();
    private final AppIndex index = new AppIndex();

    private UUID put(String name) {
        UUID app = new UUID(0, ids.incrementAndGet());
        index.put(app, new Entry(1, name));
        return app;
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    Session                 | yes
                    session                 | yes
                    SESSION app             | yes
                    App Session             | yes
                    sess                    | yes
                    \u00fcberblick          | yes
                    uberblick               | yes
                    (session AND            | no
                    session"*?:[            | yes
                    essio                   | no
                    session other           | no
                    !?                      | no
                    """)
    void nameIsFoundByItsWordsWhateverTheirCaseAndOrder(String text, String found) {
        UUID app = put("The App: Session-\u00dcberblick");
        put("nothing of it");
        assertThat(index.find(1, text, 10)).isEqualTo(found.equals("yes") ? List.of(app) : List.of());
        assertThat(index.find(2, text, 10)).isEmpty();
    }

    @Test
    void namesWithExactlyTheWordsComeFirst() {
        UUID longer = put("reports");
        UUID among = put("a report of many other words that go on and on");
        UUID exact = put("Report");
        assertThat(index.find(1, "report", 10)).containsExactly(exact, among, longer);
        assertThat(index.find(1, "report", 1)).containsExactly(exact);
    }

    @Test
    void emptyTextFindsEverythingInTheOrderOfNames() {
        List<UUID> apps = Stream.of("a", "B", "c").map(this::put).toList();
        assertThat(index.find(1, "", 10)).isEqualTo(apps);
    }

    @Test
    void entryIsReplacedAndRemoved() {
        UUID app = put("before");
        index.put(app, new Entry(2, "after"));
        assertThat(index.find(1, "before", 10)).isEmpty();
        assertThat(index.find(2, "after", 10)).containsExactly(app);
        assertThat(index.all()).isEqualTo(Map.of(app, new Entry(2, "after")));
        index.remove(app);
        assertThat(index.all()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "a OR b", "name:x", "\"", "((", "a~", "\\", "-", "&&"})
    void noTextIsMalformed(String text) {
        assertThat(index.find(1, text, 10)).isEmpty();
    }
}
