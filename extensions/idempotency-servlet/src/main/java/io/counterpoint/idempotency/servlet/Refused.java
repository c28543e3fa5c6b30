package io.counterpoint.idempotency.servlet;

import io.counterpoint.idempotency.http.ProblemType;

/** Thrown to respond to a request with a problem before anything is claimed. */
final class Refused extends Exception {
    private static final long serialVersionUID = 1L;

    private final ProblemType problem;
    private final String detail;
    private final boolean bodyRead;

    /**
     * Creates an exception.
     *
     * @param detail what to do; never contains what was sent
     */
    Refused(ProblemType problem, String detail) {
        this(problem, detail, false);
    }

    private Refused(ProblemType problem, String detail, boolean bodyRead) {
        super(problem.slug(), null, false, false);
        this.problem = problem;
        this.detail = detail;
        this.bodyRead = bodyRead;
    }

    /** The same for a request whose body has already been read. */
    Refused afterTheBody() {
        return new Refused(problem, detail, true);
    }

    /** Whether part of the body was read, so that no handler can read it any more. */
    boolean isAfterTheBody() {
        return bodyRead;
    }

    static Refused malformed(String detail) {
        return new Refused(ProblemType.REQUEST_MALFORMED, detail + " Nothing was done.");
    }

    static Refused tooLarge(long most) {
        return new Refused(
                ProblemType.BODY_TOO_LARGE,
                "The body exceeds " + most + " bytes, the limit for this path. Nothing was done.");
    }

    ProblemType problem() {
        return problem;
    }

    String detail() {
        return detail;
    }
}
