package io.quarkus.resteasy.reactive.server.runtime;

/** Stands for the class of that name in {@code quarkus-rest}. */
public final class ResteasyReactiveRecorder {

    private ResteasyReactiveRecorder() {}
}
