package io.counterpoint.idempotency.examples.appplatform.page;

import io.counterpoint.idempotency.examples.appplatform.usecase.Refusal;
import java.io.IOException;
import java.util.Map;

/**
 * What a button does.
 *
 * @param name its name, which is part of its URL
 * @param paragraph a section of the documentation, as a path in the repository
 * @param test a test of the promise, as a path in the repository
 * @param work performs the action
 */
record Action(String name, String paragraph, String test, Work work) {

    private static final String TESTS =
            "examples/app-platform/src/test/java/io/counterpoint/idempotency/examples/appplatform/";

    /** Creates an action from a path below {@code docs} and one below this program's tests. */
    static Action of(String name, String paragraph, String test, Work work) {
        return new Action(name, "docs/" + paragraph, TESTS + test + ".java", work);
    }

    /** Performs the action. */
    interface Work {

        /** Returns what was found, and a sentence about what the library did. */
        Done run(Input input) throws Refusal, IOException, InterruptedException;
    }

    /**
     * The result of an action.
     *
     * @param said a sentence about what the library did
     * @param found the state afterwards
     */
    record Done(String said, Map<String, ?> found) {}
}
