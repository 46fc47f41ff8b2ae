// The schema of files of SQLite: `docs/reference/sqlite.md` describes it.

/** The version of the schema, as `user_version` of the file. */
export const SCHEMA_VERSION = 1;

/** The mark of our files, as `application_id`: the characters `tkbx`. */
export const APPLICATION_ID = 0x746b6278;

/** The only table. The Python package has the same. */
export const SCHEMA = `create table tuckbox_rows (
  project_id text not null,
  shelf text not null,
  key text not null,
  text text not null,
  primary key (project_id, shelf, key)
)`;
