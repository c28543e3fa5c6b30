package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;

/** A part of the tour: it tries one promise of the service, and adds to the findings what came of it. */
interface Chapter {

    void run() throws CannotRun, IOException, InterruptedException;
}
