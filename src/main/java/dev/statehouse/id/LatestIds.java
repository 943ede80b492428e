package dev.statehouse.id;

import java.util.LinkedHashMap;
import java.util.Map;

/** What is kept of so many ids, and of no more: the eldest goes. For one thread at a time. */
public final class LatestIds {

    private static final int CAPACITY = 16;
    private static final float LOAD = 0.75f;

    private LatestIds() {}

    /** The eldest is the one that was put in first. */
    public static <V extends Object> Map<StateId, V> byFirstPut(int most) {
        return map(most, false);
    }

    /** The eldest is the one that was put or got longest ago. */
    public static <V extends Object> Map<StateId, V> byLastUse(int most) {
        return map(most, true);
    }

    private static <V extends Object> Map<StateId, V> map(int most, boolean byLastUse) {
        return new LinkedHashMap<>(CAPACITY, LOAD, byLastUse) {

            @Override
            protected boolean removeEldestEntry(Map.Entry<StateId, V> eldest) {
                return size() > most;
            }
        };
    }
}
