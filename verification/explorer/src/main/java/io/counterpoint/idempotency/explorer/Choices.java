package io.counterpoint.idempotency.explorer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The choices of one schedule after another, depth first. A schedule ends early if it reaches a state from which
 * everything has been or is about to be explored.
 */
final class Choices {

    private static final int END = -1;

    private final List<int[]> made = new ArrayList<>();
    private final Map<State, Integer> seen = new HashMap<>();
    private final int longest;
    private int position;
    private int replayed;

    /**
     * @param longest a schedule with more choices is cut, in order to search for a short one
     */
    Choices(int longest) {
        this.longest = longest;
    }

    static Choices of(List<Integer> made) {
        Choices choices = new Choices(made.size());
        made.forEach(one -> choices.made.add(new int[] {one, 0}));
        choices.replayed = made.size();
        return choices;
    }

    /** Whether the current events have already happened, and been checked, in an earlier schedule. */
    boolean replaying() {
        return position < replayed;
    }

    /** Chooses one of the options. Returns a negative number to end the schedule. */
    int choose(int options, Supplier<String> state) {
        if (position < replayed) {
            int[] choice = made.get(position++);
            if (choice[1] != 0 && choice[1] != options) {
                throw new IllegalStateException("Not deterministic: " + choice[1] + " options became " + options
                        + " at choice " + position + ".");
            }
            choice[1] = options;
            return choice[0];
        }
        if (position >= longest) {
            return END;
        }
        State now = State.of(state.get());
        Integer depth = seen.get(now);
        if (depth != null && (longest == Integer.MAX_VALUE || depth <= position)) {
            return END;
        }
        seen.put(now, position);
        made.add(new int[] {0, options});
        position++;
        return 0;
    }

    /** Continues with the next schedule. Returns false if there is none. */
    boolean next() {
        while (!made.isEmpty()) {
            int[] last = made.get(made.size() - 1);
            if (++last[0] < last[1]) {
                replayed = made.size();
                position = 0;
                return true;
            }
            made.remove(made.size() - 1);
        }
        return false;
    }

    int states() {
        return seen.size();
    }

    List<Integer> made() {
        return made.subList(0, position).stream().map(choice -> choice[0]).toList();
    }

    /** A 128-bit hash of a state. */
    private record State(long one, long other) {
        static State of(String text) {
            long one = 0xcbf29ce484222325L;
            long other = 0x9e3779b97f4a7c15L;
            for (int i = 0; i < text.length(); i++) {
                one = (one ^ text.charAt(i)) * 0x100000001b3L;
                other = Long.rotateLeft(other + text.charAt(i), 23) * 0xff51afd7ed558ccdL;
            }
            return new State(one, other);
        }
    }
}
