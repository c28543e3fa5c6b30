package io.counterpoint.idempotency.client;

import java.net.http.HttpRequest;
import javax.sql.DataSource;

/** What the snippets of docs/http-clients.md take for granted. */
public abstract class PageContext {

    protected IdempotentHttpClient client;
    protected HttpRequest request;
    protected CallKey key;
    protected ClientKeys keys;
    protected DataSource dataSource;
    protected String payment;

    protected abstract void save(String body);

    protected abstract void goOnLater(CallKey key);

    protected abstract HttpRequest requestOf(String callId);
}
