package dev.statehouse.clickhouse;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a connection's prepared statements for the next time, since the driver parses the text of each one anew, which takes
 * longer than the rest of what it does; pools leave this to drivers. As with the connection: for one thread at a time.
 */
final class ParsedOnce implements InvocationHandler {

    private static final int MOST_STATEMENTS = 32;
    /** Longer texts are of many ids, and hardly come twice. */
    private static final int LONGEST_TEXT = 4_096;
    /** A statement holds its values until it has others. */
    private static final int MOST_VALUES = 64 * 1_024;

    private final Connection connection;
    private final Map<String, PreparedStatement> idle = new LinkedHashMap<>();

    private ParsedOnce(Connection connection) {
        this.connection = connection;
    }

    static Connection of(Connection connection) {
        return (Connection) Proxy.newProxyInstance(ParsedOnce.class.getClassLoader(), new Class<?>[]{Connection.class},
                new ParsedOnce(connection));
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        return arguments != null && arguments.length == 1 && method.getName().equals("prepareStatement")
                ? prepare((String) arguments[0])
                : call(method, connection, arguments);
    }

    private PreparedStatement prepare(String text) throws SQLException {
        PreparedStatement kept = idle.remove(text);
        PreparedStatement statement = kept == null || kept.isClosed() ? connection.prepareStatement(text) : kept;
        return text.length() > LONGEST_TEXT
                ? statement
                : (PreparedStatement) Proxy.newProxyInstance(ParsedOnce.class.getClassLoader(),
                        new Class<?>[]{PreparedStatement.class}, new Lent(text, statement));
    }

    private void keep(String text, PreparedStatement statement) throws SQLException {
        statement.clearBatch();
        statement.clearParameters();
        PreparedStatement other = idle.put(text, statement);
        if (other != null) {
            other.close();
        }
        Iterator<PreparedStatement> oldest = idle.values().iterator();
        while (idle.size() > MOST_STATEMENTS) {
            oldest.next().close();
            oldest.remove();
        }
    }

    private static @Nullable Object call(Method method, Object target, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** A statement until it is closed; it is kept if it did what it was asked, with little. */
    private final class Lent implements InvocationHandler {

        private final String text;
        private final PreparedStatement statement;
        private int values;
        private boolean failed;
        private boolean closed;

        private Lent(String text, PreparedStatement statement) {
            this.text = text;
            this.statement = statement;
        }

        @Override
        public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
            switch (method.getName()) {
                case "close" -> {
                    close();
                    return null;
                }
                case "isClosed" -> {
                    return closed || statement.isClosed();
                }
                case "toString" -> {
                    return text;
                }
                case "hashCode" -> {
                    return System.identityHashCode(proxy);
                }
                case "equals" -> {
                    return arguments != null && proxy == arguments[0];
                }
                default -> {
                    return use(method, arguments);
                }
            }
        }

        private @Nullable Object use(Method method, Object @Nullable [] arguments) throws Throwable {
            if (closed) {
                throw new SQLException("The statement is closed.");
            }
            if (arguments != null && arguments.length == 2 && arguments[1] instanceof String value) {
                values += value.length();
            }
            try {
                return call(method, statement, arguments);
            } catch (Throwable e) {
                failed = true;
                throw e;
            }
        }

        private void close() throws SQLException {
            if (closed) {
                return;
            }
            closed = true;
            if (failed || values > MOST_VALUES || statement.isClosed()) {
                statement.close();
            } else {
                keep(text, statement);
            }
        }
    }
}
