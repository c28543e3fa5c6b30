package io.counterpoint.idempotency.spring.shapes;

import org.springframework.web.bind.annotation.RestController;

/** Routes of requests that name no entity. */
@RestController
class RoutesByName extends Routes<String> {}
