package dev.statehouse.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.statehouse.faults.Call.Kind;
import dev.statehouse.faults.Call.Result;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The checks themselves: what they let pass, and what they find. */
class HistoryTest {

    private static final long MILLI = 1_000_000;

    private final History history = new History();

    private void state(Kind kind, int start, int end, Result result, String given, @Nullable String ifIs,
            String state, int version) {
        history.add(new Call(kind, "id", "c", start * MILLI, end * MILLI, result, given, ifIs, state, version, 0));
    }

    private void put(int start, int end, String keys, int version) {
        state(Kind.PUT, start, end, Result.OK, keys, null, keys, version);
    }

    private void read(int start, int end, String keys, int version) {
        state(Kind.READ, start, end, Result.OK, "", null, keys, version);
    }

    private void lock(Kind kind, String client, int start, int end, Result result, int token, int rest) {
        history.add(new Call(kind, "id", client, start * MILLI, end * MILLI, result, "lock of " + client, null, "",
                token, rest));
    }

    private void acquired(String client, int start, int end, int token, int rest) {
        lock(Kind.ACQUIRE, client, start, end, Result.OK, token, rest);
    }

    private void passes() {
        assertThatCode(history::check).doesNotThrowAnyException();
    }

    private void isFound(String words) {
        ThrowingCallable check = history::check;
        assertThatThrownBy(check).isInstanceOf(AssertionError.class).hasMessageContaining(words);
    }

    @Test
    void aCallIsALine() {
        Call call = new Call(Kind.PUT, "id", "c", 1, 2, Result.MISMATCH, "k1", "", "", 3, 4);
        assertThat(Call.parse(call.line())).isEqualTo(call);
        Call other = new Call(Kind.PUT, "id", "c", 1, 2, Result.UNKNOWN, "k1", null, "k1,k2", 3, 4);
        assertThat(Call.parse(other.line())).isEqualTo(other);
    }

    @Test
    void callsAtTheSameTimeMayComeInAnyOrder() {
        put(0, 100, "a", 2);
        put(0, 100, "b", 1);
        read(50, 60, "b", 1);
        read(110, 120, "a", 2);
        passes();
    }

    @Test
    void aStaleReadIsFound() {
        put(0, 10, "a", 1);
        put(20, 30, "b", 2);
        read(40, 50, "a", 1);
        isFound("No order explains");
    }

    @Test
    void aLostWriteIsFound() {
        state(Kind.PATCH, 0, 10, Result.OK, "a", null, "a", 1);
        state(Kind.PATCH, 20, 30, Result.OK, "b", null, "b", 2);
        isFound("No order explains");
    }

    @Test
    void anUnknownWriteMayHaveHappenedOnceAndLate() {
        state(Kind.PUT, 0, 10, Result.UNKNOWN, "a", null, "", 0);
        put(20, 30, "b", 1);
        read(40, 50, "b", 1);
        read(60, 70, "a", 2);
        passes();
        put(80, 90, "b", 3);
        passes();
        read(100, 110, "a", 4);
        isFound("No order explains");
    }

    @Test
    void whatWasSeenStays() {
        state(Kind.PUT, 0, 10, Result.UNKNOWN, "a", null, "", 0);
        read(20, 30, "a", 1);
        read(40, 50, "", 0);
        isFound("No order explains");
    }

    @Test
    void conditionsAreKept() {
        put(0, 10, "a", 1);
        state(Kind.PUT, 20, 30, Result.OK, "b", "a", "b", 2);
        state(Kind.PUT, 40, 50, Result.MISMATCH, "c", "a", "", 0);
        passes();
        state(Kind.PUT, 60, 70, Result.OK, "d", "a", "d", 3);
        isFound("No order explains");
    }

    @Test
    void aMismatchNeedsAnother() {
        put(0, 10, "a", 1);
        state(Kind.PUT, 20, 30, Result.MISMATCH, "b", "a", "", 0);
        isFound("No order explains");
    }

    @Test
    void versionsGrow() {
        put(0, 10, "a", 2);
        put(20, 30, "b", 1);
        isFound("Versions do not grow");
    }

    @Test
    void aVersionIsOneState() {
        put(0, 10, "a", 1);
        put(5, 15, "b", 1);
        isFound("Versions do not grow");
    }

    @Test
    void leasesOneAfterTheOther() {
        acquired("a", 0, 10, 1, 100);
        lock(Kind.RELEASE, "a", 50, 60, Result.OK, 0, 0);
        acquired("b", 20, 55, 2, 100);
        acquired("c", 60, 130, 3, 100);
        passes();
    }

    @Test
    void twoHoldersAreFound() {
        acquired("a", 0, 10, 1, 100);
        acquired("b", 20, 30, 2, 100);
        isFound("Two holders");
    }

    @Test
    void aRenewedLeaseIsLonger() {
        acquired("a", 0, 10, 1, 100);
        lock(Kind.RENEW, "a", 50, 60, Result.OK, 1, 100);
        acquired("b", 110, 120, 2, 100);
        isFound("Two holders");
    }

    @Test
    void aLostRenewalCountsForNothing() {
        acquired("a", 0, 10, 1, 100);
        lock(Kind.RENEW, "a", 50, 60, Result.UNKNOWN, 0, 0);
        acquired("b", 110, 120, 2, 100);
        passes();
    }

    @Test
    void tokensGrow() {
        acquired("a", 0, 10, 2, 10);
        acquired("b", 20, 30, 1, 10);
        isFound("tokens do not grow");
    }

    @Test
    void aTokenIsOfOneLease() {
        acquired("a", 0, 10, 1, 10);
        acquired("b", 20, 30, 1, 10);
        isFound("not of one lease");
    }

    @Test
    void aWritePastALeaseIsFound() {
        acquired("a", 0, 10, 1, 100);
        history.add(new Call(Kind.PUT, "id", "b", 20 * MILLI, 30 * MILLI, Result.OK, "k", null, "k", 1, 0));
        isFound("past a lease");
    }
}
