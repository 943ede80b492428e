package dev.statehouse;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.conditions.ArchConditions.dependOnClassesThat;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noFields;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.statehouse.auth.Needs;
import org.jspecify.annotations.NullMarked;

/** The rooms of the house and which of them may use which, and what each of them keeps to. */
@AnalyzeClasses(packages = "dev.statehouse", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    private static final String BASE = "dev.statehouse";

    /** A room may use those behind it and nothing else of ours. */
    private static final Map<String, List<String>> ROOMS = Map.ofEntries(
            Map.entry("id", List.of()),
            Map.entry("problem", List.of("id")),
            Map.entry("json", List.of("id", "problem")),
            Map.entry("trace", List.of()),
            Map.entry("batch", List.of("id", "problem", "trace")),
            Map.entry("ledger", List.of("id", "problem", "trace")),
            Map.entry("auth", List.of("id", "problem")),
            Map.entry("lock", List.of("id", "problem", "json", "ledger", "auth")),
            Map.entry("state", List.of("id", "problem", "json", "batch", "ledger", "lock", "auth")),
            Map.entry("embedded", List.of()),
            Map.entry("clickhouse", List.of("id", "problem", "json", "batch", "ledger", "lock", "state", "trace",
                    "embedded")),
            Map.entry("web", List.of("id", "problem", "auth", "trace")),
            Map.entry("ops", List.of("id", "problem", "ledger", "lock", "state", "trace")));

    private static final String[] PURE = {BASE + ".ledger..", BASE + ".lock..", BASE + ".state.."};

    @ArchTest
    static void aRoomUsesOnlyThoseBehindIt(JavaClasses all) {
        ROOMS.forEach((room, behind) -> {
            String[] allowed = Stream.concat(Stream.of(room), behind.stream())
                    .map(name -> BASE + "." + name + "..")
                    .toArray(String[]::new);
            noClasses().that()
                    .resideInAPackage(BASE + "." + room + "..")
                    .should(dependOnClassesThat(resideInAPackage(BASE + "..").and(not(resideInAnyPackage(allowed)))))
                    .as("'" + room + "' uses only " + behind)
                    .check(all);
        });
    }

    @ArchTest
    static void everyRoomStandsInTheTable(JavaClasses all) {
        Set<String> rooms = all.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> !name.equals(BASE))
                .map(name -> name.substring(BASE.length() + 1))
                .collect(Collectors.toCollection(TreeSet::new));
        if (!rooms.equals(new TreeSet<>(ROOMS.keySet()))) {
            throw new AssertionError(
                    "there are the rooms " + rooms + ", the table has " + new TreeSet<>(ROOMS.keySet()));
        }
    }

    @ArchTest
    static final ArchRule NO_CYCLES = slices().matching(BASE + ".(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule IDS_USE_THE_JDK_ALONE = classes().that()
            .resideInAPackage(BASE + ".id..")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("java..", "org.jspecify..", BASE + ".id..");

    @ArchTest
    static final ArchRule PROBLEMS_AND_THE_LEDGER_KNOW_NO_FRAMEWORK = noClasses().that()
            .resideInAnyPackage(BASE + ".problem..", BASE + ".ledger..", BASE + ".json..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("org.springframework..", "jakarta..");

    @ArchTest
    static final ArchRule TIME_AND_RANDOMNESS_ARE_GIVEN = noClasses().that()
            .resideInAnyPackage(PURE)
            .should()
            .accessTargetWhere(new DescribedPredicate<JavaAccess<?>>("it asks the machine for time or chance") {

                @Override
                public boolean test(JavaAccess<?> call) {
                    String owner = call.getTargetOwner().getName();
                    String name = call.getTarget().getName();
                    return owner.startsWith("java.time.") && name.equals("now")
                            || owner.equals("java.lang.Thread") && name.equals("sleep")
                            || owner.equals("java.util.UUID") && name.equals("randomUUID")
                            || owner.equals("java.lang.System")
                                    && (name.equals("nanoTime") || name.equals("currentTimeMillis"))
                            || owner.equals("java.lang.Math") && name.equals("random");
                }
            })
            .orShould()
            .dependOnClassesThat()
            .haveNameMatching(
                    "java\\.time\\.(Clock|InstantSource)|java\\.util\\.(.*\\.)?\\w*Random|java\\.security\\.SecureRandom");

    @ArchTest
    static final ArchRule JDBC_IS_IN_CLICKHOUSE_ALONE = noClasses().that()
            .resideOutsideOfPackage(BASE + ".clickhouse..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("java.sql..", "javax.sql..", "org.springframework.jdbc..", "com.zaxxer..",
                    "com.clickhouse..");

    @ArchTest
    static final ArchRule SERVLETS_ARE_IN_WEB_ALONE = noClasses().that()
            .resideOutsideOfPackage(BASE + ".web..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("jakarta.servlet..", "org.apache.catalina..", "org.apache.coyote..",
                    "org.apache.tomcat..");

    @ArchTest
    static final ArchRule EVERY_CALL_SAYS_WHO_MAY = methods().that()
            .areMetaAnnotatedWith("org.springframework.web.bind.annotation.RequestMapping")
            .and()
            .areDeclaredInClassesThat()
            .resideOutsideOfPackage(BASE + ".web..")
            .should()
            .beAnnotatedWith(Needs.class);

    @ArchTest
    static final ArchRule NOTHING_IS_INJECTED_INTO_FIELDS = noFields().should()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Autowired")
            .orShould()
            .beAnnotatedWith("org.springframework.beans.factory.annotation.Value")
            .orShould()
            .beAnnotatedWith("jakarta.annotation.Resource")
            .orShould()
            .beAnnotatedWith("jakarta.inject.Inject");

    @ArchTest
    static final ArchRule EVERY_PACKAGE_IS_NULL_MARKED = classes().should(
            new ArchCondition<JavaClass>("be in a package that is @NullMarked") {

                @Override
                public void check(JavaClass one, ConditionEvents events) {
                    boolean marked = one.getPackage().isAnnotatedWith(NullMarked.class);
                    events.add(new SimpleConditionEvent(one, marked,
                            one.getName() + " is in a package that is " + (marked ? "" : "not ") + "@NullMarked"));
                }
            });

    @ArchTest
    static final ArchRule NULLNESS_IS_SAID_IN_JSPECIFY_ALONE = noClasses().should()
            .dependOnClassesThat(resideInAPackage("..").and(not(resideInAPackage("org.jspecify.annotations")))
                    .and(new DescribedPredicate<JavaClass>("say something about null") {

                        @Override
                        public boolean test(JavaClass one) {
                            return one.isAnnotation() && one.getSimpleName()
                                    .matches(
                                            "(?i)(check)?(nullable|non-?null|notnull|nonnullapi|nullmarked|checkfornull|maybenull)");
                        }
                    }));
}
