package io.counterpoint.idempotency.servlet;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServlet;

/** A servlet container on a free port of this machine. */
interface Container {

    /** The containers that tests run on. */
    enum Kind {
        JETTY {
            @Override
            Container make() {
                return new JettyContainer();
            }
        },
        TOMCAT {
            @Override
            Container make() {
                return new TomcatContainer();
            }
        };

        abstract Container make();
    }

    void filter(Filter filter);

    /** Adds a servlet, with a multipart configuration without limits if one is wanted. */
    void servlet(String path, HttpServlet servlet, boolean multipart);

    void errorPage(int status, String path);

    void start() throws Exception;

    int port();

    void stop() throws Exception;
}
