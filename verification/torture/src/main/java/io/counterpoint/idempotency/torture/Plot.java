package io.counterpoint.idempotency.torture;

import io.counterpoint.idempotency.programs.Svg;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Answers and faults over time, as an SVG that can be read in the light and in the dark. */
final class Plot {

    private static final int WIDTH = 960;
    private static final int LEFT = 70;
    private static final int RIGHT = 215;
    private static final int TOP = 58;
    private static final int ANSWERS_HEIGHT = 230;
    private static final int GAP = 58;
    private static final int FAULT_ROW = 21;
    private static final int STRETCHES = 180;

    private static final String STYLE = """
            text{font-size:12px}.soft{fill:#59636e}.page{fill:#ffffff}.line{stroke:#8c959f;stroke-width:1}
            .grid{stroke:#8c959f;stroke-opacity:.25}.fault{fill:#b3261e}
            @media (prefers-color-scheme:dark){.soft{fill:#9198a1}.page{fill:#0d1117}.fault{fill:#ff7b72}}
            """;

    /** People who see colours differently can distinguish these as well. */
    private static final Map<Answer, String> COLOURS = new EnumMap<>(Map.of(
            Answer.EXECUTED, "#2f7fd1",
            Answer.REPLAYED, "#8fc1ee",
            Answer.HEALED, "#1b9e77",
            Answer.IN_PROGRESS, "#b9b9b9",
            Answer.REJECTED, "#e6ab02",
            Answer.KEY_REUSED, "#a6761d",
            Answer.FAILED, "#d95f02",
            Answer.RELEASED, "#a58bd3",
            Answer.UNKNOWN, "#e7298a",
            Answer.NOT_STARTED, "#6b6b6b"));

    private final Run run;
    private final int length;
    private final int stretch;
    private final Svg svg = new Svg("Answers and faults over time", STYLE);

    private Plot(Run run) {
        this.run = run;
        this.length = run.timeline().seconds().isEmpty()
                ? 1
                : run.timeline().seconds().lastKey() + 1;
        this.stretch = Math.max(1, (length + STRETCHES - 1) / STRETCHES);
    }

    static String of(Run run) {
        return new Plot(run).draw();
    }

    private String draw() {
        List<FaultType> faults = new ArrayList<>(run.faults().keySet());
        int faultsTop = TOP + ANSWERS_HEIGHT + GAP;
        int height = faultsTop + faults.size() * FAULT_ROW + 52;
        svg.rectangle("page", 0, 0, WIDTH, height);
        svg.text(
                "",
                LEFT,
                22,
                "start",
                "Answers and faults over time, seed " + run.seed() + ", "
                        + (stretch == 1 ? "each second" : "in stretches of " + stretch + " s"));
        answers();
        faults(faults, faultsTop);
        timeAxis(faultsTop + faults.size() * FAULT_ROW);
        return svg.drawing(WIDTH, height);
    }

    private void answers() {
        List<Map<Answer, Double>> rates = rates();
        double most = rates.stream()
                .mapToDouble(rate ->
                        rate.values().stream().mapToDouble(Double::doubleValue).sum())
                .max()
                .orElse(1);
        double step = niceStep(most);
        double top = Math.max(step, Math.ceil(most / step) * step);
        int bottom = TOP + ANSWERS_HEIGHT;
        phases(bottom);
        for (double at = 0; at <= top + step / 2; at += step) {
            double y = bottom - at / top * ANSWERS_HEIGHT;
            svg.line("grid", LEFT, y, WIDTH - RIGHT, y);
            svg.text("soft", LEFT - 6, y + 4, "end", String.format(Locale.ROOT, "%,.0f", at));
        }
        svg.add(
                "<text class=\"soft\" transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">answers per second</text>",
                TOP + ANSWERS_HEIGHT / 2);
        double[] floor = new double[rates.size()];
        int row = 0;
        for (Answer answer : Answer.values()) {
            String colour = COLOURS.get(answer);
            if (colour == null || !run.answers().containsKey(answer)) {
                continue;
            }
            StringBuilder bars = new StringBuilder();
            for (int i = 0; i < rates.size(); i++) {
                double rate = rates.get(i).getOrDefault(answer, 0.0);
                if (rate > 0) {
                    double from = bottom - floor[i] / top * ANSWERS_HEIGHT;
                    double size = rate / top * ANSWERS_HEIGHT;
                    bars.append(String.format(
                            Locale.ROOT, "M%.1f %.1fh%.1fv%.1fh-%.1fz", x(i * stretch), from, width(), -size, width()));
                    floor[i] += rate;
                }
            }
            svg.add("<path fill=\"%s\" d=\"%s\"/>", colour, bars);
            int y = TOP + 8 + 19 * row++;
            svg.add("<rect x=\"%d\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>", WIDTH - RIGHT + 16, y, colour);
            svg.text(
                    "",
                    WIDTH - RIGHT + 34,
                    y + 10,
                    "start",
                    String.format(Locale.ROOT, "%s, %,d", answer, run.answers().get(answer)));
        }
        svg.line("line", LEFT, bottom, WIDTH - RIGHT, bottom);
    }

    /** Where a mode begins; their names are in the page, in the same order. */
    private void phases(int bottom) {
        int number = 1;
        for (Run.Phase phase : run.phases()) {
            double x = x(phase.second());
            svg.add(
                    "<line class=\"line\" stroke-dasharray=\"3 3\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"><title>%s</title></line>",
                    x, x, TOP - 14, bottom, phase.name());
            svg.text("soft", x + 4, TOP - 5, "start", "mode " + number++);
        }
    }

    private void faults(List<FaultType> faults, int top) {
        svg.text("", LEFT, top - 12, "start", "Faults: the darker, the more in a stretch");
        for (int row = 0; row < faults.size(); row++) {
            FaultType fault = faults.get(row);
            int y = top + row * FAULT_ROW;
            long[] counts = counts(fault);
            long most = 1;
            for (long count : counts) {
                most = Math.max(most, count);
            }
            for (int i = 0; i < counts.length; i++) {
                if (counts[i] > 0) {
                    svg.add(
                            "<rect class=\"fault\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill-opacity=\"%.2f\"/>",
                            x(i * stretch), y, width(), FAULT_ROW - 5, 0.25 + 0.75 * counts[i] / most);
                }
            }
            svg.text(
                    "",
                    WIDTH - RIGHT + 16,
                    y + 12,
                    "start",
                    String.format(Locale.ROOT, "%s, %,d", fault, run.faults().get(fault)));
        }
    }

    private void timeAxis(int top) {
        svg.line("line", LEFT, top + 4, WIDTH - RIGHT, top + 4);
        double step = Math.max(1, niceStep(length));
        for (double at = 0; at <= length; at += step) {
            svg.text("soft", x((int) at), top + 20, "middle", String.format(Locale.ROOT, "%,.0f", at));
        }
        svg.text("soft", LEFT + (WIDTH - LEFT - RIGHT) / 2.0, top + 38, "middle", "seconds from the start");
    }

    private List<Map<Answer, Double>> rates() {
        List<Map<Answer, Double>> rates = new ArrayList<>();
        for (int i = 0; i * stretch < length; i++) {
            rates.add(new EnumMap<>(Answer.class));
        }
        run.timeline()
                .seconds()
                .forEach((second, what) -> what.answers.forEach((answer, count) ->
                        rates.get(second / stretch).merge(answer, (double) count / stretch, Double::sum)));
        return rates;
    }

    private long[] counts(FaultType fault) {
        long[] counts = new long[(length + stretch - 1) / stretch];
        run.timeline()
                .seconds()
                .forEach((second, what) -> counts[second / stretch] += what.faults.getOrDefault(fault, 0L));
        return counts;
    }

    private double x(int second) {
        return LEFT + (double) second / length * (WIDTH - LEFT - RIGHT);
    }

    private double width() {
        return (double) stretch / length * (WIDTH - LEFT - RIGHT);
    }

    /** One, two or five times a power of ten, so that there are four to ten of them. */
    private static double niceStep(double most) {
        double power = Math.pow(10, Math.floor(Math.log10(Math.max(1, most))));
        for (double step : new double[] {power / 10, power / 5, power / 2, power}) {
            if (most / step <= 10) {
                return step;
            }
        }
        return power;
    }
}
