package io.counterpoint.idempotency.server;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Activates Jakarta REST, which Quarkus does by itself. */
@ApplicationPath("/")
public class ServerApplication extends Application {}
