package dev.statehouse.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The queue while it is folded: first come first. */
final class Waiting {

    private final List<Place> places;

    Waiting(List<Place> places) {
        this.places = new ArrayList<>(places);
    }

    List<Place> places() {
        return places;
    }

    @Nullable
    Place first() {
        return places.isEmpty() ? null : places.getFirst();
    }

    void add(Place place) {
        places.add(place);
    }

    /** Whether that lock waits. */
    boolean signOfLife(String lock, long logTime) {
        for (int i = 0; i < places.size(); i++) {
            if (places.get(i).lock().equals(lock)) {
                places.set(i, places.get(i).seen(logTime));
                return true;
            }
        }
        return false;
    }

    void dropDead(long logTime, Consumer<Place> dead) {
        places.stream().filter(place -> !place.isLiveAt(logTime)).forEach(dead);
        places.removeIf(place -> !place.isLiveAt(logTime));
    }

    void dropLock(String lock) {
        places.removeIf(place -> place.lock().equals(lock));
    }

    void dropMadeBy(String eventId) {
        places.removeIf(place -> place.eventId().equals(eventId));
    }
}
