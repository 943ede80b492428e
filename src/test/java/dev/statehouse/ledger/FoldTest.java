package dev.statehouse.ledger;

import static dev.statehouse.ledger.TestLog.T0;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Each rule in its smallest log. */
class FoldTest {

    private static final long HOUR = 3_600_000;
    private static final long TEN_MINUTES = 600_000;

    private final TestLog log = new TestLog();

    @Test
    void anEmptyLogSaysNothing() {
        assertThat(Fold.of(List.of())).isEqualTo(Folded.NONE);
    }

    @Test
    void rowsAreFoldedInTheOrderOfPositionsAndOnceEach() {
        log.request("r1", 0, "a", 1_000).write("w1", 1, "a", 0, 1).release(2, "a");
        FoldState state = log.state();
        var shuffled = List.of(log.rows().get(2), log.rows().get(1), log.rows().get(0), log.rows().get(1));
        assertThat(Fold.of(shuffled).state()).isEqualTo(state);
        assertThat(new Position(1, 9)).isLessThan(new Position(2, 0)).isLessThan(new Position(1, 10));
    }

    @Nested
    @DisplayName("Log time")
    class LogTime {

        @Test
        void isTheLargestInsertionTimeSoFar() {
            log.wait(500, "").wait(200, "");
            assertThat(log.state().logTime()).isEqualTo(T0 + 500);
            assertThat(log.mark(600).state().logTime()).isEqualTo(T0 + 600);
        }

        @Test
        void isNotMovedByRowsThatAreForgottenSooner() {
            log.wait(0, "").write("w", 10, "", 0, 1).done(20, "w").snapshot(30, 99, "");
            assertThat(log.state().logTime()).isEqualTo(T0);
        }

        @Test
        void endsALeaseAfterItsLastMillisecond() {
            log.request("r1", 0, "a", 1_000).wait(1_000, "");
            assertThat(log.state().holder()).isNotNull();
            log.wait(1_001, "");
            assertThat(log.state().holder()).isNull();
            assertThat(log.state().endingOf("a")).contains(new Ending(Ending.How.LOST, T0 + 1_001));
        }

        @Test
        void endsAPlaceSixSecondsAfterItsLastSignOfLife() {
            log.request("r1", 0, "a", 60_000).request("r2", 0, "b", 1_000).wait(6_000, "");
            assertThat(log.queue()).containsExactly("b");
            assertThat(log.wait(6_001, "").queue()).isEmpty();
        }

        @Test
        void isWhatAnEndIsDatedBy() {
            log.request("r1", 0, "a", 1_000).wait(2 * HOUR, "").request("r2", 2 * HOUR, "a", 1_000);
            assertThat(log.grants()).containsExactly("a");
        }
    }

    @Nested
    @DisplayName("Rule 0, doubled rows")
    class Rule0 {

        @Test
        void aWriteThatFailedNeverCounts() {
            log.request("r1", 0, "a", 1_000).write("w", 10, "", 0, 1).release(20, "a").again(1);
            assertThat(log.counted()).isEmpty();
        }

        @Test
        void aWriteThatFailedIsKnownForTenMinutes() {
            log.request("r1", 0, "a", 1_000).write("w", 10, "", 0, 1).release(20, "a");
            assertThat(log.wait(10 + TEN_MINUTES, "").again(1).counted()).isEmpty();
            assertThat(log.wait(11 + TEN_MINUTES, "").again(1).counted()).containsExactly("w");
        }

        @Test
        void aWriteThatFailedIsKnownForTenMinutesAlsoWhereLogTimeStandsStill() {
            log.write("w1", 0, "", 0, 7).write("w2", 1, "", 6, 8).write("w2", TEN_MINUTES + 1, "", 6, 8);
            assertThat(log.counted()).containsExactly("w1");
            assertThat(log.write("w2", TEN_MINUTES + 2, "", 6, 8).counted()).containsExactly("w1", "w2");
        }

        @Test
        void aRequestThatWasTakenBackIsNothing() {
            log.request("r1", 0, "a", 1_000).request("r2", 1, "b", 1_000).leave("r2", 2, "b").release(3, "a").again(1);
            assertThat(log.grants()).containsExactly("a");
        }

        @Test
        void aRequestThatComesAfterItsLeaveIsNothing() {
            log.leave("r1", 0, "a").request("r1", 1, "a", 1_000);
            assertThat(log.grants()).isEmpty();
        }

        @Test
        void aRequestWhosePlaceDiedIsNothing() {
            log.request("r1", 0, "a", 7_000).request("r2", 1, "b", 1_000).wait(8_000, "").again(1);
            assertThat(log.grants()).containsExactly("a");
        }

        @Test
        void aRequestIsNothingForTenMinutes() {
            log.leave("r1", 0, "a").request("r1", TEN_MINUTES, "a", 1_000);
            assertThat(log.grants()).isEmpty();
            log.request("r1", TEN_MINUTES + 1, "a", 1_000);
            assertThat(log.grants()).containsExactly("a");
        }

        @Test
        void aRequestThatWasTakenBackIsNoSignOfLifeEither() {
            log.request("r1", 0, "a", 60_000)
                    .request("r2", 0, "b", 1_000)
                    .leave("r3", 1, "b")
                    .request("r3", 5_000, "b", 1_000)
                    .wait(6_001, "");
            assertThat(log.queue()).isEmpty();
        }
    }

    @Nested
    @DisplayName("Rule 1, request")
    class Rule1 {

        @Test
        void isGrantedWhenNobodyHoldsOrWaits() {
            log.request("r1", 0, "a", 60_000);
            assertThat(log.state().holder())
                    .isEqualTo(new Holder("a", "owner of a", T0, T0, T0 + 60_000, 60_000, false));
        }

        @Test
        void queuesBehindALeaseAndBehindThoseThatWait() {
            log.request("r1", 0, "a", 1_000).request("r2", 1, "b", 9_000).request("r3", 2, "c", 1_000);
            assertThat(log.queue()).containsExactly("b", "c");
            log.request("r4", 1_500, "d", 1_000);
            assertThat(log.holderAt(1_500)).isEmpty();
            assertThat(log.queue()).containsExactly("b", "c", "d");
            assertThat(log.state().placeOf("b")).contains(new Place("b", "owner of b", 9_000, "r2", T0 + 1));
        }

        @Test
        void isASignOfLifeOfOneThatWaits() {
            log.request("r1", 0, "a", 60_000)
                    .request("r2", 0, "b", 1_000)
                    .request("r3", 5_000, "b", 2_000)
                    .wait(6_001, "");
            assertThat(log.state().queue()).containsExactly(new Place("b", "owner of b", 1_000, "r2", T0 + 5_000));
        }

        @Test
        void ofTheHolderIsNothing() {
            FoldState before = log.request("r1", 0, "a", 1_000).state();
            assertThat(log.request("r2", 0, "a", 60_000).state()).isEqualTo(before);
        }

        @Test
        void ofALockThatEndedInTheLastHourIsNothing() {
            log.request("r1", 0, "a", 1_000).release(10, "a").request("r2", 10 + HOUR, "a", 1_000);
            assertThat(log.grants()).containsExactly("a");
            assertThat(log.request("r3", 11 + HOUR, "a", 1_000).grants()).containsExactly("a", "a");
        }
    }

    @Nested
    @DisplayName("Rule 2, wait and leave")
    class Rule2 {

        @Test
        void aWaitKeepsAPlace() {
            log.request("r1", 0, "a", 60_000).request("r2", 0, "b", 1_000).wait(5_000, "b").wait(11_000, "");
            assertThat(log.queue()).containsExactly("b");
        }

        @Test
        void aWaitMakesNoPlace() {
            assertThat(log.request("r1", 0, "a", 60_000).wait(1, "b").queue()).isEmpty();
        }

        @Test
        void aLeaveEndsThePlaceOfItsRequest() {
            log.request("r1", 0, "a", 60_000)
                    .request("r2", 1, "b", 1_000)
                    .request("r3", 2, "c", 1_000)
                    .leave("r2", 3, "b");
            assertThat(log.queue()).containsExactly("c");
            assertThat(log.state().endingOf("b")).isEmpty();
        }

        @Test
        void aLeaveEndsNoPlaceThatItsRequestOnlyKeptAlive() {
            log.request("r1", 0, "a", 60_000)
                    .request("r2", 1, "b", 1_000)
                    .request("r3", 2, "b", 1_000)
                    .leave("r3", 3, "b");
            assertThat(log.queue()).containsExactly("b");
        }

        @Test
        void aLeaveEndsNoLease() {
            assertThat(log.request("r1", 0, "a", 60_000).leave("r1", 1, "a").holderAt(1)).isEqualTo("a");
        }
    }

    @Nested
    @DisplayName("Rule 3, renew")
    class Rule3 {

        @Test
        void movesTheExpiryOfTheHolder() {
            log.request("r1", 0, "a", 1_000).renew(500, "a", 2_000);
            assertThat(log.state().holder()).isEqualTo(new Holder("a", "owner of a", T0, T0, T0 + 2_500, 2_000, false));
        }

        @Test
        void neverShortensALease() {
            log.request("r1", 0, "a", 60_000).renew(500, "a", 2_000);
            assertThat(log.state().holder())
                    .isEqualTo(new Holder("a", "owner of a", T0, T0, T0 + 60_000, 60_000, false));
        }

        @Test
        void byAnyoneElseIsNothing() {
            log.request("r1", 0, "a", 1_000).renew(500, "b", 2_000);
            assertThat(log.holderAt(1_000)).isEqualTo("a");
            assertThat(log.holderAt(1_001)).isEmpty();
        }

        @Test
        void comesTooLateAfterTheExpiry() {
            assertThat(log.request("r1", 0, "a", 1_000).renew(1_001, "a", 2_000).holderAt(1_001)).isEmpty();
        }
    }

    @Nested
    @DisplayName("Rule 4, release and break")
    class Rule4 {

        @Test
        void aReleaseGrantsToTheFirstThatWaits() {
            log.request("r1", 0, "a", 60_000)
                    .request("r2", 1, "b", 3_000)
                    .request("r3", 2, "c", 3_000)
                    .release(10, "a");
            assertThat(log.grants()).containsExactly("a", "b");
            assertThat(log.queue()).containsExactly("c");
            assertThat(log.state().endingOf("a")).contains(new Ending(Ending.How.RELEASED, T0 + 10));
        }

        @Test
        void aBreakEndsTheLeaseOfThatTokenAlone() {
            log.request("r1", 0, "a", 60_000).request("r2", 1, "b", 3_000).breakLease(10, T0 + 1);
            assertThat(log.holderAt(10)).isEqualTo("a");
            log.breakLease(10, T0);
            assertThat(log.holderAt(10)).isEqualTo("b");
            assertThat(log.state().endingOf("a")).contains(new Ending(Ending.How.LOST, T0 + 10));
        }

        @Test
        void aReleaseEndsAPlace() {
            log.request("r1", 0, "a", 60_000).request("r2", 1, "b", 3_000).release(2, "b");
            assertThat(log.queue()).isEmpty();
            assertThat(log.request("r3", 3, "b", 3_000).queue()).isEmpty();
        }

        @Test
        void aReleaseEndsALockThatWasNeverSeen() {
            assertThat(log.release(0, "a").request("r1", 1, "a", 1_000).grants()).isEmpty();
            assertThat(log.state().endingOf("a")).contains(new Ending(Ending.How.RELEASED, T0));
        }

        @Test
        void aReleaseChangesNothingForALockThatEnded() {
            log.request("r1", 0, "a", 1_000).request("r2", 1, "b", 9_000).breakLease(2, T0).release(3, "a");
            assertThat(log.holderAt(3)).isEqualTo("b");
            assertThat(log.state().endingOf("a")).contains(new Ending(Ending.How.LOST, T0 + 2));
        }
    }

    @Nested
    @DisplayName("Rule 5, claim")
    class Rule5 {

        @Test
        void takesALeaseThatIsOver() {
            log.request("r1", 0, "a", 1_000).request("r2", 1, "b", 9_000).claim(1_000, "b");
            assertThat(log.holderAt(1_000)).isEqualTo("a");
            assertThat(log.claim(1_001, "b").holderAt(1_001)).isEqualTo("b");
        }

        @Test
        void isForTheFirstAlone() {
            log.request("r1", 0, "a", 1_000)
                    .request("r2", 1, "b", 9_000)
                    .request("r3", 2, "c", 9_000)
                    .claim(1_001, "c");
            assertThat(log.grants()).containsExactly("a");
            assertThat(log.queue()).containsExactly("b", "c");
        }
    }

    @Nested
    @DisplayName("Rule 6, a grant by another's row")
    class Rule6 {

        @Test
        void lastsSixSecondsUntilTheHoldersOwnRenew() {
            log.request("r1", 0, "a", 1_000).request("r2", 1, "b", 60_000).release(10, "a");
            assertThat(log.state().holder())
                    .isEqualTo(new Holder("b", "owner of b", T0 + 10, T0 + 10, T0 + 6_010, 60_000, true));
            log.renew(20, "b", 60_000);
            assertThat(log.state().holder())
                    .isEqualTo(new Holder("b", "owner of b", T0 + 10, T0 + 10, T0 + 60_020, 60_000, false));
        }

        @Test
        void lastsItsTtlIfThatIsLess() {
            log.request("r1", 0, "a", 1_000).request("r2", 1, "b", 3_000).claim(1_001, "b");
            assertThat(log.holderAt(4_001)).isEqualTo("b");
            assertThat(log.holderAt(4_002)).isEmpty();
        }
    }

    @Nested
    @DisplayName("Rule 7, write")
    class Rule7 {

        @Test
        void countsUnderTheLiveLeaseAlone() {
            log.request("r1", 0, "a", 1_000)
                    .write("w1", 10, "", 0, 1)
                    .write("w2", 20, "b", 0, 2)
                    .write("w3", 30, "a", 0, 3);
            assertThat(log.counted()).containsExactly("w3");
            assertThat(log.state().last())
                    .isEqualTo(new CountedWrite("w3", 3, new Position(4, 0), T0 + 30, T0 + 30, "a", false));
        }

        @Test
        void countsWithoutALockWhenNoLeaseIsLive() {
            log.write("w1", 0, "", 0, 1).write("w2", 1, "a", 1, 2);
            assertThat(log.counted()).containsExactly("w1");
        }

        @Test
        void isJudgedAtItsOwnTimeAndEndsNothing() {
            log.request("r1", 0, "a", 1_000)
                    .write("w1", 1_000, "a", 0, 1)
                    .write("w2", 1_001, "a", 1, 2)
                    .write("w3", 1_001, "", 1, 3)
                    .write("w4", 900, "a", 3, 4);
            assertThat(log.counted()).containsExactly("w1", "w3", "w4");
            assertThat(log.state().holder()).isNotNull();
        }

        @Test
        void isJudgedAtLogTimeIfThatIsLater() {
            log.request("r1", 0, "a", 1_000).wait(1_001, "").write("w1", 900, "a", 0, 1).write("w2", 900, "", 0, 7);
            assertThat(log.counted()).containsExactly("w2");
            log.wait(1_002 + TEN_MINUTES, "").write("w3", 901, "", 6, 8);
            assertThat(log.counted()).containsExactly("w2", "w3");
        }

        @Test
        void mustHaveSeenTheLastOne() {
            log.write("w1", 0, "", 0, 7).write("w2", 1, "", 6, 8).write("w3", 2, "", 7, 9).write("w4", 3, "", 20, 21);
            assertThat(log.counted()).containsExactly("w1", "w3", "w4");
            assertThat(log.state().base()).isEqualTo(21);
        }

        @Test
        void needNotHaveSeenOneOfMoreThanTenMinutesAgo() {
            log.write("w1", 0, "", 0, 7).write("w2", TEN_MINUTES, "", 6, 8).write("w3", TEN_MINUTES + 1, "", 6, 9);
            assertThat(log.counted()).containsExactly("w1", "w3");
        }

        @Test
        void mustHaveBeenReadAtMostAMinuteBefore() {
            log.write("w1", 60_001, "", 0, 1, 0).write("w2", 60_001, "", 0, 2, 1);
            assertThat(log.counted()).containsExactly("w2");
        }

        @Test
        void isKnownToHaveCountedForTenMinutes() {
            log.write("w1", 0, "", 0, 1).write("w2", 1, "", 1, 2).write("w3", 2, "", 1, 3).wait(TEN_MINUTES, "");
            assertThat(log.state().counts("w1")).isTrue();
            assertThat(log.state().counts("w3")).isFalse();
            log.wait(TEN_MINUTES + 1, "");
            assertThat(log.state().counts("w1")).isFalse();
            assertThat(log.wait(HOUR, "").state().counts("w2")).describedAs("the last one").isTrue();
        }

        @Test
        void isForgottenInTimeAlsoWhereLogTimeStandsStill() {
            for (int minute = 0; minute < 60; minute++) {
                log.write("good" + minute, minute * 60_000L, "", minute, minute + 1);
                log.write("bad" + minute, minute * 60_000L, "a", minute, minute + 1);
            }
            assertThat(log.state().counted()).hasSizeBetween(11, 16);
            assertThat(log.state().failed()).hasSizeBetween(11, 16);
        }
    }

    @Nested
    @DisplayName("Rule 8, done")
    class Rule8 {

        @Test
        void settlesTheLastWriteThatCounts() {
            log.write("w1", 0, "", 0, 1).write("w2", 1, "", 1, 2).done(2, "w1");
            assertThat(log.last().done()).isFalse();
            assertThat(log.done(3, "w2").last().done()).isTrue();
        }
    }

    @Nested
    @DisplayName("Rule 9, snapshot")
    class Rule9 {

        @Test
        void standsForTheRowsUpToIt() {
            log.request("r1", 0, "a", 60_000).request("r2", 1, "b", 60_000).write("w1", 2, "a", 0, 1);
            Folded whole = log.folded();
            log.snapshot(3, whole.upto(), whole.snapshot()).forget(1).forget(0).forget(0);
            assertThat(log.state()).isEqualTo(whole.state());
            assertThat(log.release(5, "a").holderAt(5)).isEqualTo("b");
        }

        @Test
        void leavesOutNoRowBetweenItAndWhatItStandsFor() {
            Folded early = log.request("r1", 0, "a", 60_000).folded();
            log.request("r2", 1, "b", 60_000).snapshot(2, early.upto(), early.snapshot());
            assertThat(log.queue()).containsExactly("b");
        }

        @Test
        void ofTheHighestUptoIsTheStart() {
            Folded first = log.request("r1", 0, "a", 60_000).folded();
            Folded second = log.request("r2", 1, "b", 60_000).folded();
            log.snapshot(2, second.upto(), second.snapshot()).snapshot(3, first.upto(), first.snapshot()).forget(1);
            assertThat(log.state()).isEqualTo(second.state());
        }

        @Test
        void thatStandsForItselfOrLaterRowsIsNoStart() {
            String other = new TestLog().request("r9", 0, "z", 60_000).folded().snapshot();
            log.request("r1", 0, "a", 60_000).snapshot(1, 2, other).snapshot(2, 99, other);
            assertThat(log.holderAt(3)).isEqualTo("a");
        }

        @Test
        void thatCannotBeReadStopsTheFold() {
            for (@Nullable
            String bad : new @Nullable String[]{null, "", "{}", "[]", "nonsense", "{\"log_time\":\"x\"}"}) {
                var broken = new TestLog().wait(0, "").snapshot(1, 1, bad);
                assertThatIllegalArgumentException().as("%s", bad).isThrownBy(broken::state);
            }
        }

        @Test
        void isDueTwelveHoursAfterTheFirstRow() {
            assertThat(log.wait(0, "").wait(12 * HOUR, "").folded().snapshotDue()).isFalse();
            assertThat(log.wait(12 * HOUR + 1, "").folded().snapshotDue()).isTrue();
        }

        @Test
        void isDueTwelveHoursAfterTheNewest() {
            Folded folded = log.wait(0, "").wait(12 * HOUR, "").folded();
            log.snapshot(12 * HOUR, folded.upto(), folded.snapshot()).wait(24 * HOUR, "");
            assertThat(log.folded().snapshotDue()).isFalse();
            assertThat(Fold.on(folded, log.rows()).snapshotDue()).as("going on").isFalse();
            assertThat(log.wait(24 * HOUR + 1, "").folded().snapshotDue()).isTrue();
        }

        @Test
        void isDueAfterFiveHundredRows() {
            for (int i = 0; i < 500; i++) {
                log.write("w" + i, i, "", i, i + 1);
            }
            assertThat(log.folded().snapshotDue()).isFalse();
            Folded folded = log.write("w500", 500, "", 500, 501).folded();
            assertThat(folded.snapshotDue()).isTrue();
            log.snapshot(501, folded.upto(), folded.snapshot());
            assertThat(log.folded().snapshotDue()).isFalse();
        }
    }

    @Test
    @DisplayName("Tokens grow, also when log time stands still")
    void tokensGrow() {
        log.request("r1", 0, "a", 60_000)
                .request("r2", 0, "b", 60_000)
                .request("r3", 0, "c", 60_000)
                .release(0, "a")
                .breakLease(0, T0 + 1);
        assertThat(log.state().holderAt(T0)).map(Holder::fencingToken).contains(T0 + 2);
        assertThat(log.state().lastToken()).isEqualTo(T0 + 2);
    }
}
