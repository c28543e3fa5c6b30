package org.apache.seata.rm.datasource;

/** What implements it is of this package. */
interface Named {}
