package dev.statehouse.ledger;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;

import org.jspecify.annotations.Nullable;

/**
 * What is known of names for some time, in the order in which they came. It never changes; what a {@link Draft} makes of it
 * shares all but the ends with it, so that a row more costs little also after ten thousand.
 */
final class Recent<V extends Object> extends AbstractMap<String, V> {

    private final List<Chunk<V>> chunks;
    private final int size;

    /** @param oldest the least time in it, in epoch milliseconds */
    private record Chunk<V extends Object>(Map<String, V> entries, long oldest) {

        static final int SIZE = 64;

        static <V extends Object> Chunk<V> of(Map<String, V> entries, ToLongFunction<V> since) {
            return new Chunk<>(Collections.unmodifiableMap(entries),
                    entries.values().stream().mapToLong(since).min().orElse(Long.MAX_VALUE));
        }
    }

    private Recent(List<Chunk<V>> chunks) {
        this.chunks = List.copyOf(chunks);
        this.size = chunks.stream().mapToInt(chunk -> chunk.entries().size()).sum();
    }

    /** @param since when a value is of, in epoch milliseconds */
    static <V extends Object> Recent<V> of(Map<String, V> map, ToLongFunction<V> since) {
        if (map instanceof Recent<V> recent) {
            return recent;
        }
        List<Chunk<V>> chunks = new ArrayList<>();
        Map<String, V> next = new LinkedHashMap<>();
        for (Map.Entry<String, V> entry : map.entrySet()) {
            next.put(entry.getKey(), entry.getValue());
            if (next.size() == Chunk.SIZE) {
                chunks.add(Chunk.of(next, since));
                next = new LinkedHashMap<>();
            }
        }
        if (!next.isEmpty()) {
            chunks.add(Chunk.of(next, since));
        }
        return new Recent<>(chunks);
    }

    /** Where a change to it begins. */
    static <V extends Object> Draft<V> draft(Map<String, V> start, ToLongFunction<V> since) {
        return new Draft<>(of(start, since), since);
    }

    @Override
    public @Nullable V get(@Nullable Object name) {
        return find(chunks, name);
    }

    private static <V extends Object> @Nullable V find(List<Chunk<V>> chunks, @Nullable Object name) {
        for (Chunk<V> chunk : chunks) {
            V value = chunk.entries().get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    @Override
    public boolean containsKey(@Nullable Object name) {
        return get(name) != null;
    }

    @Override
    public Set<Map.Entry<String, V>> entrySet() {
        return new AbstractSet<>() {

            @Override
            public Iterator<Map.Entry<String, V>> iterator() {
                return chunks.stream().flatMap(chunk -> chunk.entries().entrySet().stream()).iterator();
            }

            @Override
            public int size() {
                return size;
            }
        };
    }

    /** One that is being changed. */
    static final class Draft<V extends Object> {

        private final ToLongFunction<V> since;
        private final List<Chunk<V>> chunks;
        private Map<String, V> newest = new LinkedHashMap<>();

        private Draft(Recent<V> start, ToLongFunction<V> since) {
            this.since = since;
            this.chunks = new ArrayList<>(start.chunks);
            if (!chunks.isEmpty() && chunks.getLast().entries().size() < Chunk.SIZE) {
                newest.putAll(chunks.removeLast().entries());
            }
        }

        @Nullable
        V get(String name) {
            V value = find(chunks, name);
            return value == null ? newest.get(name) : value;
        }

        /** One that is known keeps its place. */
        void put(String name, V value) {
            for (int i = 0; i < chunks.size(); i++) {
                if (chunks.get(i).entries().containsKey(name)) {
                    Map<String, V> changed = new LinkedHashMap<>(chunks.get(i).entries());
                    changed.put(name, value);
                    chunks.set(i, Chunk.of(changed, since));
                    return;
                }
            }
            newest.put(name, value);
            if (newest.size() >= Chunk.SIZE) {
                chunks.add(Chunk.of(newest, since));
                newest = new LinkedHashMap<>();
            }
        }

        /** Drops what is older, in epoch milliseconds. */
        void forget(long before) {
            if (chunks.stream().anyMatch(chunk -> chunk.oldest() < before)) {
                chunks.replaceAll(chunk -> chunk.oldest() < before ? without(chunk, before) : chunk);
                chunks.removeIf(chunk -> chunk.entries().isEmpty());
            }
            newest.values().removeIf(value -> since.applyAsLong(value) < before);
        }

        private Chunk<V> without(Chunk<V> chunk, long before) {
            Map<String, V> left = new LinkedHashMap<>(chunk.entries());
            left.values().removeIf(value -> since.applyAsLong(value) < before);
            return Chunk.of(left, since);
        }

        Recent<V> done() {
            List<Chunk<V>> all = new ArrayList<>(chunks);
            if (!newest.isEmpty()) {
                all.add(Chunk.of(new LinkedHashMap<>(newest), since));
            }
            return new Recent<>(all);
        }
    }
}
