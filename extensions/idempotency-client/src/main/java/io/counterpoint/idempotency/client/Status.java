package io.counterpoint.idempotency.client;

/** The HTTP statuses with a special meaning. */
final class Status {

    static final int OK = 200;
    static final int REDIRECTION = 300;
    static final int SEE_OTHER = 303;
    static final int CLIENT_ERROR = 400;
    static final int TIMEOUT = 408;
    static final int CONFLICT = 409;
    static final int TOO_EARLY = 425;
    static final int TOO_MANY_REQUESTS = 429;
    static final int SERVER_ERROR = 500;

    private Status() {}
}
