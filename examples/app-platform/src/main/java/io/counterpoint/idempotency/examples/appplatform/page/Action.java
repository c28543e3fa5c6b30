package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.Map;

/**
 * What a button does.
 *
 * @param name in its address
 * @param paragraph of the documentation, as a path in the repository
 * @param test that shows the promise, as a path in the repository
 * @param work does it
 */
record Action(String name, String paragraph, String test, Work work) {

    private static final String TESTS =
            "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/";

    /** What a button does, with a path below {@code docs} and one below the tests of this program. */
    static Action of(String name, String paragraph, String test, Work work) {
        return new Action(name, "docs/" + paragraph, TESTS + test + ".java", work);
    }

    /** Does it. */
    interface Work {

        /** Returns what was found, with a sentence on what the library did. */
        Done run(Input input) throws Refusal, IOException, InterruptedException;
    }

    /**
     * What came of it.
     *
     * @param said what the library did, in a sentence
     * @param found what there is now
     */
    record Done(String said, Map<String, ?> found) {}
}
