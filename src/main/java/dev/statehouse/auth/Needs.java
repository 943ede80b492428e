package dev.statehouse.auth;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Which role a call needs: for the state id in its path, where it has one, else for any id. A call of ours without this
 * is refused to everybody, unless no authentication is configured.
 */
@Documented
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface Needs {

    Role value();

    /** What the call does, in the words of the audit log. */
    String to();
}
