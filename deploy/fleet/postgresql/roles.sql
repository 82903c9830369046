-- The roles and the database of a catalog. Once, by the database's administrator:
--
--   psql -v owner_password=... -v writer_password=... -v reader_password=... -f roles.sql
--
-- Then `kitbag catalog init postgresql://kitbag_owner@HOST/fleet`, then grants.sql.
\set ON_ERROR_STOP on

-- The owner makes the tables and brings them up to date; nothing runs under it all the time.
CREATE ROLE kitbag_owner LOGIN PASSWORD :'owner_password' CONNECTION LIMIT 4;
-- `kitbag catalog watch`, `add` and `set`.
CREATE ROLE kitbag_writer LOGIN PASSWORD :'writer_password' CONNECTION LIMIT 16;
-- The servers, and `kitbag find --catalog`.
CREATE ROLE kitbag_reader LOGIN PASSWORD :'reader_password' CONNECTION LIMIT 64;
-- The tables of the pyramids and of the pictures have a part for each month, which the writer adds
-- when the first bag of that month comes. PostgreSQL lets only owners add parts, so these tables
-- have an owner of their own, to which the writer belongs. All other tables the writer cannot change
-- or drop.
CREATE ROLE kitbag_parts NOLOGIN;
GRANT kitbag_parts TO kitbag_owner, kitbag_writer;

ALTER ROLE kitbag_reader SET default_transaction_read_only = on;
ALTER ROLE kitbag_reader SET statement_timeout = '60s';
ALTER ROLE kitbag_writer SET idle_in_transaction_session_timeout = '10min';

CREATE DATABASE fleet OWNER kitbag_owner;
REVOKE ALL ON DATABASE fleet FROM PUBLIC;
GRANT CONNECT ON DATABASE fleet TO kitbag_writer, kitbag_reader;

\connect fleet
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO kitbag_writer, kitbag_reader, kitbag_parts;
GRANT CREATE ON SCHEMA public TO kitbag_owner, kitbag_parts;
-- Also for the tables that later versions of kitbag add.
ALTER DEFAULT PRIVILEGES FOR ROLE kitbag_owner IN SCHEMA public
  GRANT SELECT ON TABLES TO kitbag_reader;
ALTER DEFAULT PRIVILEGES FOR ROLE kitbag_owner IN SCHEMA public
  GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO kitbag_writer;
ALTER DEFAULT PRIVILEGES FOR ROLE kitbag_owner IN SCHEMA public
  GRANT USAGE ON SEQUENCES TO kitbag_writer;
