"""Writes the fixture of SQLite: the project of `project.mjs`."""

import sys

import tuckbox

store = tuckbox.sqlite_store(sys.argv[1])
project = tuckbox.open(store, project_id="demo")
notes = {"n1": "Bees dance.", "n2": "Dances point to food. \U0001f41d"}
project.cards.put(
    cards=[
        {"card_id": key, "type": "note", "author_id": "setup", "content": {"__type__": "TextContent", "text": text}}
        for key, text in notes.items()
    ]
)
project.boxes.create(box_id="notes", card_ids=["n1", "n2"])
project.profiles.register(name="Writer", profile_box_id="notes", tags=["prose"])
project.agents.register(agent_id="ann", profile_name="Writer")
store.close()
