//! Tests of what only reads.

use super::*;

#[test]
fn what_reads_is_told_from_what_does_not() {
    for text in [
        "SELECT * FROM expenses WHERE amount > 100",
        "select 1; select 2;",
        "WITH x AS (SELECT 1 AS a) SELECT a FROM x ORDER BY a LIMIT 3",
        "EXPLAIN SELECT * FROM t",
        "SELECT name FROM a UNION ALL SELECT name FROM b",
        "SHOW TABLES",
        "-- a comment\nSELECT count(*) FROM t",
        "SELECT lower(a), sum(b) OVER (PARTITION BY c), CASE WHEN d THEN 1 ELSE 2 END FROM s.t",
        "SELECT replace(a, 'x', 'DROP TABLE'), CAST(b AS text) FROM \"My Table\" WHERE c LIKE '%;%'",
        "SELECT date_trunc('month', d), count(*) FROM t GROUP BY 1 HAVING count(*) > 2",
        "EXPLAIN ANALYZE SELECT 1",
        "SELECT * FROM generate_series(1, 3) AS n",
        "SELECT TOP 5 [a b] FROM dbo.t",
    ] {
        assert!(only_reads(text), "{text}");
    }
    for text in [
        "",
        "DROP TABLE t",
        "SELECT 1; DELETE FROM t",
        "WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone",
        "WITH new AS (INSERT INTO t VALUES (1) RETURNING *) SELECT * FROM new",
        "SELECT * INTO copy FROM t",
        "SELECT * FROM t FOR UPDATE",
        "EXPLAIN ANALYZE DELETE FROM t",
        "INSERT INTO t SELECT * FROM u",
        "SELECT pg_terminate_backend(1)",
        "SELECT pg_catalog.\"pg_read_file\"('/etc/passwd')",
        "SELECT * FROM dblink('x', 'DROP TABLE t')",
        "SELECT 1 /*! ; DROP TABLE t */",
        "SELECT setval('s', 1)",
        "SELECT lo_import('/etc/passwd')",
        "SELECT load_extension('x')",
        "SELECT load_file('/etc/passwd')",
        "SELECT pg_ls_dir('/')",
        "SELECT public.lower('x')",
        "SELECT my_own_function(1)",
        "SELECT query_to_xml('DELETE FROM t', true, true, '')",
        "SELECT * FROM my_own_function(1)",
        "SELECT * FROM OPENROWSET('x', 'y', 'z')",
        "SELECT * FROM '/etc/passwd'",
        "SELECT * FROM \"/etc/passwd.csv\"",
        "SELECT * FROM t WITH (UPDLOCK)",
        "SELECT * FROM t FOR SHARE",
        "SELECT * FROM t LOCK IN SHARE MODE",
        "SELECT a FROM t INTO OUTFILE '/tmp/x'",
        "SELECT a INTO DUMPFILE '/tmp/x' FROM t",
        "EXPLAIN (ANALYZE) DELETE FROM t",
        "EXPLAIN (ANALYZE, VERBOSE) UPDATE t SET a = 1",
        "EXPLAIN ANALYZE INSERT INTO t VALUES (1)",
        "SELECT 1 DELETE FROM t",
        "SELECT 1 FROM t EXEC(\"x\")",
        "SELECT (SELECT pg_sleep(10))",
        "SELECT 1 WHERE EXISTS (SELECT nextval('s'))",
        "SELECT a FROM t ORDER BY pg_sleep(1)",
        "SELECT count(*) FILTER (WHERE setval('s', 1) > 0) FROM t",
        "VALUES (nextval('s'))",
        "select seq.nextval from dual",
        "SELECT s.seq.NEXTVAL",
        "SELECT \"seq\".\"NEXTVAL\" FROM dual",
        "SELECT a FROM t WHERE b = seq.NextVal",
        "WITH x AS (SELECT setval('s', 1)) SELECT * FROM x",
        r"SELECT 'a\' OR setval(1,2) -- '",
        "SELECT $$a$$",
        "DO $$ BEGIN DELETE FROM t; END $$",
        "REPLACE INTO t VALUES (1)",
        "LOAD DATA INFILE 'x' INTO TABLE t",
        "HANDLER t OPEN",
        "MERGE INTO t USING u ON a = b WHEN MATCHED THEN DELETE",
        "TRUNCATE t",
        "BEGIN; SELECT 1; COMMIT",
        "PRAGMA table_info(t)",
        "COPY t TO PROGRAM 'sh'",
        "PRAGMA writable_schema = 1",
        "ATTACH DATABASE 'x' AS y",
        "CALL proc()",
        "SET ROLE admin",
        "VACUUM",
        "not sql at all",
    ] {
        assert!(!only_reads(text), "{text}");
    }
}

#[test]
fn deep_and_long_sql_is_refused_and_not_fatal() {
    assert!(!only_reads(&format!("SELECT {}1{}", "(".repeat(10_000), ")".repeat(10_000))));
    assert!(!only_reads(&"SELECT 1;".repeat(100_000)));
}

#[test]
fn a_dot_that_calls_a_function_does_not_read() {
    for text in [
        "SELECT (CAST('s' AS regclass)).nextval",
        "SELECT (CAST(4242 AS oid)).lo_unlink",
        "SELECT (CAST('postgresql.conf' AS text)).pg_read_file",
        "SELECT ('s'::regclass).nextval",
        "SELECT (t.pid).pg_cancel_backend FROM t",
        "SELECT (t.pid).my_own FROM t",
        "SELECT (pid).my_own FROM t",
        "SELECT (SELECT 5).my_own",
        "SELECT (ARRAY[5])[1].my_own",
        "SELECT ARRAY[5].my_own",
        "SELECT a[1].my_own FROM t",
        "SELECT t.a[1].my_own FROM t",
        "SELECT (a[1]).my_own FROM t",
        "SELECT (lower('x')).my_own",
        "SELECT lower('x').my_own",
        "SELECT (ROW(1, 2)).my_own",
        "SELECT ((1)).my_own",
        "SELECT $1.my_own",
        "SELECT ($1).my_own",
        "SELECT (CASE WHEN a THEN 1 ELSE 2 END).my_own FROM t",
        "SELECT a FROM t WHERE (b).my_own > 1",
        "SELECT a FROM t ORDER BY (b).my_own",
        "SELECT a FROM t GROUP BY (b).my_own",
        "SELECT a FROM t LIMIT (5).my_own",
        "SELECT count(*) FILTER (WHERE (b).my_own) FROM t",
        "SELECT sum(a) OVER (ORDER BY (b).my_own) FROM t",
        "SELECT sum(a) OVER w FROM t WINDOW w AS (PARTITION BY (b).my_own)",
        "SELECT (lower((b).my_own)) FROM t",
        "SELECT ((b).my_own).* FROM t",
        "VALUES ((5).my_own)",
        "SELECT * FROM t JOIN u ON (t.a).my_own",
        "SELECT * FROM generate_series(1, (5).my_own)",
        "SELECT t.pg_cancel_backend FROM t",
        "SELECT t.\"pg_cancel_backend\" FROM t",
        "SELECT s.nextval FROM s",
        "SELECT s.lo_unlink FROM generate_series(1, 9) AS s",
        "SELECT s.my_own FROM generate_series(1, 9) AS s",
        "SELECT S.my_own FROM generate_series(1, 9) s",
        "SELECT generate_series.my_own FROM generate_series(1, 9)",
        "SELECT s.my_own FROM generate_series(1, 9) AS s(n)",
        "SELECT s.my_own FROM unnest(ARRAY[1, 2]) AS s",
        "SELECT unnest.my_own FROM unnest(ARRAY[1, 2])",
        "SELECT s.my_own FROM t, LATERAL unnest(t.a) AS s",
        "SELECT s.my_own FROM coalesce('postgresql.conf', 'x') AS s",
        "SELECT s.my_own FROM cast('postgresql.conf' AS text) AS s",
        "SELECT s.my_own FROM current_user AS s",
        "SELECT current_user.my_own FROM current_user",
        "SELECT s.my_own[1] FROM generate_series(1, 9) AS s",
        "SELECT (SELECT s.a FROM lower('x') AS s) FROM generate_series(1, 2) AS s(a)",
        "WITH x AS (SELECT s.my_own FROM lower('x') AS s) SELECT * FROM x",
    ] {
        assert!(!only_reads(text), "{text}");
    }
    for text in [
        "SELECT t.a, s.t.a, \"T\".\"B\" FROM s.t AS t",
        "SELECT a[1], t.a[2], t.a[1:2], s.t.a[1] FROM s.t",
        "SELECT n.n, n.ordinality FROM generate_series(1, 3) WITH ORDINALITY AS n",
        "SELECT g.day FROM generate_series(1, 3) AS g(day)",
        "SELECT g.n, t.a FROM generate_series(1, 3) AS g(n) JOIN t ON t.a = g.n",
        "SELECT e.key, e.value, e.fullkey FROM t, json_each(t.doc) AS e",
        "SELECT json_each.value FROM t, json_each(t.doc)",
        "SELECT p.value FROM string_split('a,b', ',') AS p",
        "SELECT t.* FROM t",
    ] {
        assert!(only_reads(text), "{text}");
    }
}

#[test]
fn tables_that_do_something_and_files_are_no_tables_to_read() {
    for text in [
        "SELECT * FROM pragma_optimize",
        "SELECT * FROM pragma_optimize WHERE arg = 65538",
        "SELECT * FROM PRAGMA_Optimize AS p",
        "SELECT * FROM \"pragma_optimize\"",
        "SELECT * FROM [pragma_optimize]",
        "SELECT * FROM `pragma_optimize`",
        "SELECT * FROM main.pragma_optimize",
        "SELECT * FROM pragma_wal_checkpoint",
        "SELECT * FROM pragma_journal_mode('delete')",
        "SELECT * FROM t JOIN pragma_optimize",
        "SELECT * FROM t, pragma_optimize",
        "SELECT 1 IN pragma_optimize",
        "SELECT 1 NOT IN main.pragma_optimize",
        "SELECT a FROM t WHERE a IN (pragma_optimize)",
        "SELECT (SELECT 1 FROM pragma_optimize)",
        "SELECT data FROM fsdir WHERE path = '/etc'",
        "TABLE \"/etc/passwd\"",
    ] {
        assert!(!only_reads(text), "{text}");
    }
    assert!(only_reads("SELECT pragma FROM pragmas"));
}

#[test]
fn what_a_reader_leaves_out_and_what_an_operator_calls_is_not_sure_to_read() {
    for text in [
        "SHOW INDEX FROM t WHERE sleep(5)",
        "SHOW TRIGGERS WHERE my_own(1)",
        "SHOW TABLE STATUS WHERE my_own (1)",
        "SHOW TABLES WHERE my_own(1)",
        "SHOW COLUMNS FROM t WHERE my_own(1)",
        "SHOW CHARACTER SET WHERE sleep(1)",
        "SELECT 1 OPERATOR(public.+) 2",
        "SELECT list_transform(a, x -> my_own(x)) FROM t",
        "SELECT U&\"lo!005funlink\" UESCAPE '!'(4242)",
        "SELECT U&\"lower\"('x')",
        "SELECT @a := 1",
        "SELECT {fn my_own(1)}",
    ] {
        assert!(!only_reads(text), "{text}");
    }
    for text in ["SHOW server_version", "SHOW TABLES LIKE 'a%'", "SHOW COLUMNS FROM t"] {
        assert!(only_reads(text), "{text}");
    }
}
