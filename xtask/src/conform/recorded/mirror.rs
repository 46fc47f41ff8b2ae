//! The rows after every step, to detect what a step changed.

use super::*;

pub(super) type Place = (&'static str, String);

/// All rows in the order of insertion.
#[derive(Default)]
pub(super) struct Mirror {
    rows: BTreeMap<Place, Object>,
    order: Vec<Place>,
}

impl Mirror {
    fn place(table: &'static str, project: &str, row: &Object) -> Place {
        let key: Vec<String> = key_columns(table)
            .iter()
            .map(|column| row.get(column).map_or(String::new(), Json::to_string))
            .collect();
        (table, format!("{project} {}", key.join(" ")))
    }

    pub(super) fn put(&mut self, table: &'static str, project: &str, row: Object) -> Place {
        let place = Self::place(table, project, &row);
        if self.rows.insert(place.clone(), row).is_none() {
            self.order.push(place.clone());
        }
        place
    }

    pub(super) fn step(
        &mut self,
        step: &Json,
        call: &Json,
        clock: &str,
        by_agent: bool,
        raised: bool,
    ) -> Json {
        let before = self.rows.clone();
        let mut touched: Vec<Place> = Vec::new();
        let mut messages = Vec::new();
        let fails = text(call, "publish_fails");
        if text(call, "op") == "tool_result_for" {
            let args = member(step, "args");
            let project = text(&args, "project_id").to_owned();
            let (rows, card) = tool_answer(&args, clock);
            for (table, row) in rows {
                let Some((_, table)) = TABLES.iter().find(|(_, ours)| *ours == table) else {
                    continue;
                };
                let row = shaped_row(table, &project, row);
                // a request is stored once
                if !self.rows.contains_key(&Self::place(table, &project, &row)) {
                    touched.push(self.put(table, &project, row));
                }
            }
            let mut card = self.card(&card, &project, clock);
            if let Some(known) = self.rows.get(&Self::place("cards", &project, &card)) {
                let created = known.get("created_at").cloned().unwrap_or_default();
                card.insert("created_at".into(), created);
            }
            touched.push(self.put("cards", &project, card));
        }
        for card in member(step, "cards").as_array().unwrap_or_default() {
            let card = self.card(card, "p1", clock);
            touched.push(self.put("cards", "p1", card));
        }
        for writes in member(step, "writes").as_array().unwrap_or_default() {
            self.apply(writes, &mut touched, &mut messages);
        }
        messages.retain(|message| !matches_pattern(fails, text(message, "subject")));
        let mut shaped = Object::default();
        // if the reference system raised an error, a rejection is accepted
        let refused = raised && step.get("ok").is_some_and(|ok| text(ok, "status") == "rejected");
        match step.get("ok").filter(|_| !refused) {
            Some(ok) => shaped.insert("ok".into(), ok.clone()),
            None if refused => shaped.insert("error".into(), "refused".into()),
            None => shaped.insert("error".into(), refusal(step).into()),
        };
        let mut changes = self.changes(&before, &touched);
        sort_deleted(&mut changes);
        if by_agent {
            sort_by_agent(&mut messages);
            for change in changes.values_mut() {
                let Json::Object(change) = change else { continue };
                for rows in change.values_mut() {
                    let Json::Array(rows) = rows else { continue };
                    sort_by_agent(rows);
                }
            }
        }
        shaped.insert("changes".into(), Json::Object(changes));
        shaped.insert("messages".into(), Json::Array(messages));
        drop_stand_in(&mut shaped, |step_id, author| {
            let of_step = |row: &&Object| row.get("step_id").is_some_and(|id| id == step_id);
            let step = self.rows.iter().filter(|((table, _), _)| *table == "steps");
            let step = step.map(|(_, row)| row).find(of_step);
            step.is_none_or(|step| step.get("agent_id") == Some(author))
        });
        normalize(Json::Object(shaped))
    }

    fn card(&self, card: &Json, project: &str, clock: &str) -> Object {
        let mut row = card.as_object().cloned().unwrap_or_default();
        row.retain(|key, value| {
            !value.is_null() && !["expires_at", "deleted_at", "ttl_seconds"].contains(&key.as_str())
        });
        if row.get("tool_calls").and_then(Json::as_array).is_some_and(<[Json]>::is_empty) {
            row.remove("tool_calls");
        }
        row.insert("created_at".into(), clock.into());
        shaped_row("cards", project, row)
    }

    fn apply(&mut self, writes: &Json, touched: &mut Vec<Place>, messages: &mut Vec<Json>) {
        let project = text(writes, "project_id").to_owned();
        let at = text(writes, "at").to_owned();
        for card in member(writes, "cards").as_array().unwrap_or_default() {
            let row = self.card(card, &project, &at);
            touched.push(self.put("cards", &project, row));
        }
        for change in member(writes, "boxes").as_array().unwrap_or_default() {
            let made = member(change, "box");
            let source = if made.is_null() { change } else { &made };
            let id = text(source, "box_id").to_owned();
            let key = Object::from_iter([("box_id".to_owned(), Json::from(id.as_str()))]);
            let place = Self::place("boxes", &project, &key);
            let mut row = self.rows.get(&place).cloned().unwrap_or_else(|| {
                Object::from_iter([
                    ("box_id".to_owned(), Json::from(id.as_str())),
                    ("tenant_id".into(), project.as_str().into()),
                    ("card_ids".into(), Json::Array(Vec::new())),
                ])
            });
            let mut ids = row.get("card_ids").and_then(Json::as_array).unwrap_or_default().to_vec();
            ids.extend(
                source.get("card_ids").and_then(Json::as_array).unwrap_or_default().iter().cloned(),
            );
            row.insert("card_ids".into(), Json::Array(ids));
            touched.push(self.put("boxes", &project, row));
        }
        for change in member(writes, "rows").as_array().unwrap_or_default() {
            let name = text(change, "table");
            if name == "outbox" {
                messages.extend(change.get("row").filter(|row| !row.is_null()).map(message));
                continue;
            }
            let Some((_, table)) = TABLES.iter().find(|(_, ours)| *ours == name) else { continue };
            match change.get("row") {
                Some(Json::Object(row)) => {
                    let row = shaped_row(table, &project, row.clone());
                    touched.push(self.put(table, &project, row));
                }
                _ => {
                    let columns = table::named(name).map_or(&[][..], |table| table.key);
                    let keys = change.get("key").and_then(Json::as_array).unwrap_or_default();
                    let find = |(place, row): (&Place, &Object)| {
                        let same = columns.iter().zip(keys).all(|(column, key)| {
                            let known = row.get(column).map(Json::text_form);
                            known.as_deref() == key.as_str()
                        });
                        (place.0 == *table
                            && row.get("project_id").and_then(Json::as_str)
                                == Some(project.as_str())
                            && same)
                            .then(|| place.clone())
                    };
                    let place = self.rows.iter().find_map(find);
                    if let Some(place) = place {
                        self.rows.remove(&place);
                        self.order.retain(|known| *known != place);
                        touched.push(place);
                    }
                }
            }
        }
    }

    fn changes(&self, before: &BTreeMap<Place, Object>, touched: &[Place]) -> Object {
        let mut found: BTreeMap<&str, [Vec<Json>; 3]> = BTreeMap::new();
        let mut seen: Vec<&Place> = Vec::new();
        for place in touched {
            if seen.contains(&place) {
                continue;
            }
            seen.push(place);
            let changes = found.entry(place.0).or_default();
            match (before.get(place), self.rows.get(place)) {
                (None, Some(row)) => changes[0].push(Json::Object(row.clone())),
                (Some(row), None) => changes[2].push(key_of(place.0, row)),
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
        let updated = self.order.iter().filter(|place| seen.contains(place));
        for place in updated {
            let (Some(old), Some(new)) = (before.get(place), self.rows.get(place)) else {
                continue;
            };
            let mut set = Object::default();
            for column in old.keys().chain(new.keys()) {
                let (old, new) = (old.get(column), new.get(column));
                let same = match (old, new) {
                    (Some(old), Some(new)) => {
                        normalize(old.clone()).same_value(&normalize(new.clone()))
                    }
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                };
                if !same {
                    set.insert(column.clone(), new.cloned().unwrap_or_default());
                }
            }
            if !set.is_empty() {
                let update =
                    Json::from([("key", key_of(place.0, new)), ("set", Json::Object(set))]);
                found.entry(place.0).or_default()[1].push(update);
            }
        }
        let mut changes = Object::default();
        for (table, lists) in found {
            let recorded = TABLES.iter().find(|(_, ours)| *ours == table);
            let Some((recorded, _)) = recorded else { continue };
            let mut change = Object::default();
            for (name, rows) in ["insert", "update", "delete"].iter().zip(lists) {
                if !rows.is_empty() {
                    change.insert((*name).to_owned(), Json::Array(rows));
                }
            }
            if !change.is_empty() {
                changes.insert((*recorded).to_owned(), Json::Object(change));
            }
        }
        changes
    }
}
