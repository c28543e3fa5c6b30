package org.apache.shardingsphere.driver;

/** What implements it is of this package. */
interface Named {}
