package io.counterpoint.idempotency.spring;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.cache.cfg.spi.DomainDataRegionBuildingContext;
import org.hibernate.cache.cfg.spi.DomainDataRegionConfig;
import org.hibernate.cache.spi.support.DomainDataStorageAccess;
import org.hibernate.cache.spi.support.RegionFactoryTemplate;
import org.hibernate.cache.spi.support.StorageAccess;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.engine.spi.SharedSessionContractImplementor;

/** The smallest second-level cache. */
class MapRegions extends RegionFactoryTemplate {

    @Override
    protected void prepareForUse(SessionFactoryOptions settings, Map<String, Object> values) {}

    @Override
    protected void releaseFromUse() {}

    @Override
    protected DomainDataStorageAccess createDomainDataStorageAccess(
            DomainDataRegionConfig config, DomainDataRegionBuildingContext context) {
        return new Entries(new ConcurrentHashMap<>());
    }

    @Override
    protected StorageAccess createQueryResultsRegionStorageAccess(String name, SessionFactoryImplementor sessions) {
        return new Entries(new ConcurrentHashMap<>());
    }

    @Override
    protected StorageAccess createTimestampsRegionStorageAccess(String name, SessionFactoryImplementor sessions) {
        return new Entries(new ConcurrentHashMap<>());
    }

    private record Entries(Map<Object, Object> map) implements DomainDataStorageAccess {
        @Override
        public Object getFromCache(Object key, SharedSessionContractImplementor session) {
            return map.get(key);
        }

        @Override
        public void putIntoCache(Object key, Object value, SharedSessionContractImplementor session) {
            map.put(key, value);
        }

        @Override
        public boolean contains(Object key) {
            return map.containsKey(key);
        }

        @Override
        public void evictData() {
            map.clear();
        }

        @Override
        public void evictData(Object key) {
            map.remove(key);
        }

        @Override
        public void release() {
            map.clear();
        }
    }
}
