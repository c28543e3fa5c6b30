package io.counterpoint.idempotency.examples.springboot;

import io.counterpoint.idempotency.examples.springboot.GroupService.GroupView;
import io.counterpoint.idempotency.examples.springboot.GroupService.Joined;
import java.security.Principal;
import java.util.List;
import java.util.NoSuchElementException;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The REST endpoints for groups. */
@RestController
class GroupController {

    /** The request body. It is validated before the key is claimed, so the corrected request can use the same key. */
    record NewGroup(String name) {
        NewGroup {
            Texts.require("name", name);
        }
    }

    private final GroupService service;
    private final Groups groups;
    private final ApplicationEventPublisher messages;

    GroupController(GroupService service, Groups groups, ApplicationEventPublisher messages) {
        this.service = service;
        this.groups = groups;
        this.messages = messages;
    }

    @PostMapping("/groups")
    @ResponseStatus(HttpStatus.CREATED)
    GroupView create(@RequestBody NewGroup group, Principal caller) {
        return service.create(group.name(), caller.getName());
    }

    @GetMapping("/groups")
    List<GroupView> all() {
        return groups.findAll().stream().map(GroupView::of).toList();
    }

    /** Takes the place of a broker. */
    @PostMapping("/messages")
    @ResponseStatus(HttpStatus.ACCEPTED)
    void deliver(@RequestBody Joined message) {
        messages.publishEvent(message);
    }

    @ExceptionHandler
    ProblemDetail missing(NoSuchElementException thrown) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, String.valueOf(thrown.getMessage()));
    }
}
