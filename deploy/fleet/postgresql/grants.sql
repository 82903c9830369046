-- What depends on the tables. After each `kitbag catalog init`, which also brings the tables up to
-- date; again is no harm:
--
--   psql postgresql://kitbag_owner@HOST/fleet -f grants.sql
\set ON_ERROR_STOP on

ALTER TABLE pyramids OWNER TO kitbag_parts;
ALTER TABLE pictures OWNER TO kitbag_parts;
-- Only the owner says which version the tables have.
REVOKE INSERT, UPDATE, DELETE ON kitbag_catalog FROM kitbag_writer;
