package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.examples.quarkus.GroupService.GroupView;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;

/** The web: the body is the name of the group. */
@WebServlet("/groups")
public class GroupServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    transient GroupService service;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        String name = request.getReader().readLine();
        try {
            GroupView made = service.create(name);
            response.setStatus(HttpServletResponse.SC_CREATED);
            response.getWriter().print(made.id() + " " + made.name() + "\n");
        } catch (SQLException refused) {
            throw new ServletException(refused);
        }
    }
}
