//! Files in the store: they are read by path, listed by directory and never changed.

use tuckbox::store::{
    Answers, Directory, Kind, Lookup, MemoryStore, Reads, Snapshot, Store, StoredFile, Writes,
};
use tuckbox::{Code, Json, Timestamp};

fn writes(operation: &str, files: &[(&str, &str)]) -> Writes {
    let mut writes = Writes::new("p1".into(), operation, Timestamp::from_millis(0));
    writes.files = files.iter().map(|(path, text)| StoredFile::new(*path, *text)).collect();
    writes
}

fn reads(files: &[&str], directories: &[&str]) -> Reads {
    let mut reads = Reads::new("p1".into());
    for path in files {
        reads.add(Kind::Files, path);
    }
    for path in directories {
        reads.add(Kind::Directories, path);
    }
    reads
}

#[test]
fn a_written_file_is_present_and_listed_by_its_directory() {
    let mut store = MemoryStore::new();
    store
        .commit(&writes("op1", &[("out/a.json", "1"), ("out/b/c.json", "2"), ("outer", "3")]))
        .unwrap();
    let reads = reads(&["out/a.json", "out/x.json"], &["out", "empty"]);
    let mut snapshot = Snapshot::new("p1".into());
    assert_eq!(snapshot.file("out/a.json"), Lookup::NotRead);
    snapshot.absorb(&reads, store.read(&reads).unwrap()).unwrap();
    assert_eq!(snapshot.file("out/a.json"), Lookup::Present(&StoredFile::new("out/a.json", "1")));
    assert_eq!(snapshot.file("out/x.json"), Lookup::Absent);
    let Lookup::Present(out) = snapshot.directory("out") else {
        panic!("the directory `out` is missing")
    };
    assert_eq!(out.paths, ["out/a.json", "out/b/c.json"]);
    assert_eq!(snapshot.directory("empty"), Lookup::Absent);
}

#[test]
fn writing_the_same_text_succeeds_and_another_text_is_a_conflict() {
    let mut store = MemoryStore::new();
    store.commit(&writes("op1", &[("a", "1")])).unwrap();
    store.commit(&writes("op2", &[("a", "1"), ("b", "2")])).unwrap();
    let error = store.commit(&writes("op3", &[("c", "3"), ("a", "other")])).unwrap_err();
    assert_eq!((error.code(), error.path().to_string()), (Code::Conflict, "files[1]".to_owned()));
    let paths: Vec<&str> = store.tables("p1").unwrap().files().map(|file| &*file.path).collect();
    assert_eq!(paths, ["a", "b"]);
}

#[test]
fn a_preview_shows_new_files_in_directories_that_were_read() {
    let mut snapshot = Snapshot::new("p1".into());
    let reads = reads(&["out/a"], &["out"]);
    let answers = Answers::new().missing(Kind::Files, "out/a").missing(Kind::Directories, "out");
    snapshot.absorb(&reads, answers).unwrap();
    snapshot.apply(&writes("op1", &[("out/a", "1"), ("other/b", "2")]));
    let Lookup::Present(out) = snapshot.directory("out") else {
        panic!("the directory `out` is missing")
    };
    assert_eq!(out.paths, ["out/a"]);
    assert!(matches!(snapshot.file("out/a"), Lookup::Present(_)));
    snapshot.evict_changeable();
    assert_eq!(snapshot.directory("out"), Lookup::NotRead);
    assert!(matches!(snapshot.file("out/a"), Lookup::Present(_)));
}

#[test]
fn a_host_answers_with_rows_and_missing_paths() {
    let reads = reads(&["a", "b"], &["d"]);
    let answers = Json::parse(
        r#"{"files": [{"path": "a", "text": "1"}], "missing_files": ["b"],
            "directories": [{"directory": "d", "paths": ["d/x"]}]}"#,
    );
    let answers = Answers::from_json(&answers.unwrap(), &reads).unwrap();
    let meant = Answers::new()
        .file(StoredFile::new("a", "1"))
        .missing(Kind::Files, "b")
        .directory(Directory { directory: "d".into(), paths: vec!["d/x".into()] });
    assert_eq!(answers, meant);
}
