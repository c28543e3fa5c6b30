package io.counterpoint.idempotency.examples.appplatform;

import io.counterpoint.idempotency.programs.CannotRun;
import java.io.IOException;

/** A part of the tour. It tests one promise of the service and adds the results to the findings. */
interface Chapter {

    void run() throws CannotRun, IOException, InterruptedException;
}
