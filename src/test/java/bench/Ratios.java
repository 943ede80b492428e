package bench;

import java.util.Locale;

/** The lines at the end of a benchmark: what was measured beside what is wanted. */
final class Ratios {

    private Ratios() {}

    static void head() {
        System.out.printf(Locale.ROOT, "%n%-64s %9s %9s%n", "ratios", "is", "wanted");
    }

    static void atLeast(String what, double is, double wanted) {
        print(what, is, wanted, is >= wanted ? "" : "  <-- under");
    }

    static void atMost(String what, double is, double wanted) {
        print(what, is, wanted, is <= wanted ? "" : "  <-- over");
    }

    private static void print(String what, double is, double wanted, String mark) {
        System.out.printf(Locale.ROOT, "%-64s %9.4f %9.4f %s%n", what, is, wanted, mark);
    }
}
