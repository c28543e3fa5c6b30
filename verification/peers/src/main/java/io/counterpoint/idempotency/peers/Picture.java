package io.counterpoint.idempotency.peers;

import io.counterpoint.idempotency.peers.Client.Verdict;
import io.counterpoint.idempotency.programs.Svg;
import java.util.Locale;
import java.util.Map;

/** A bar for each library: what became of its keys, over all faults. Narrow enough for a phone. */
final class Picture {

    private static final int WIDTH = 470;
    private static final int LABELS = 214;
    private static final int BAR = 28;

    private static final String STYLE = """
            text { font-size: 15px; }
            .right { fill: #2f74c0; }
            .doubled { fill: #c62828; }
            .lost { fill: #6a1b1b; }
            .contradicted { fill: #e08a1e; }
            .never { fill: #f0c53e; }
            .other_accepted { fill: #9aa4af; }
            @media (prefers-color-scheme: dark) {
              .right { fill: #4f97e8; }
              .lost { fill: #9d4b4b; }
              .other_accepted { fill: #6b7681; }
            }
            """;

    private Picture() {}

    static String of(Map<Peer, Map<Verdict, Integer>> totals) {
        Svg svg = new Svg("What became of the keys of each library, over all faults", STYLE);
        double y = 8;
        for (Map.Entry<Peer, Map<Verdict, Integer>> bar : totals.entrySet()) {
            svg.text("", LABELS - 8, y + 15, "end", bar.getKey().title());
            int keys =
                    bar.getValue().values().stream().mapToInt(Integer::intValue).sum();
            double x = LABELS;
            for (Map.Entry<Verdict, Integer> part : bar.getValue().entrySet()) {
                double width = (double) part.getValue() / keys * (WIDTH - LABELS - 8);
                svg.rectangle(kind(part.getKey()), x, y, width, BAR - 8);
                x += width;
            }
            y += BAR;
        }
        boolean left = true;
        for (Verdict verdict : Verdict.values()) {
            double x = left ? 8 : LABELS;
            y += left ? 24 : 0;
            svg.rectangle(kind(verdict), x, y - 12, 14, 14);
            svg.text("", x + 20, y, "start", verdict.word());
            left = !left;
        }
        return svg.drawing(WIDTH, y + 12);
    }

    private static String kind(Verdict verdict) {
        return verdict.name().toLowerCase(Locale.ROOT);
    }
}
