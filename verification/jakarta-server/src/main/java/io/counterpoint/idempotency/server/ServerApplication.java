package io.counterpoint.idempotency.server;

import jakarta.ws.rs.ApplicationPath;
import jakarta.ws.rs.core.Application;

/** Where the resources are, which Quarkus knows by itself. */
@ApplicationPath("/")
public class ServerApplication extends Application {}
