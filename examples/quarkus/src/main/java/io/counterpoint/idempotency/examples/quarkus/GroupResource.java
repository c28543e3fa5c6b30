package io.counterpoint.idempotency.examples.quarkus;

import io.counterpoint.idempotency.examples.quarkus.GroupService.GroupView;
import jakarta.inject.Inject;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.sql.SQLException;

/** The REST endpoint for groups. The request body is the name of the group. */
@Path("/groups")
public class GroupResource {

    @Inject
    GroupService service;

    /** Creates a group. */
    @POST
    @Consumes(MediaType.TEXT_PLAIN)
    @Produces(MediaType.TEXT_PLAIN)
    public Response create(String name) throws SQLException {
        GroupView made = service.create(name);
        return Response.status(Response.Status.CREATED)
                .entity(made.id() + " " + made.name() + "\n")
                .build();
    }
}
