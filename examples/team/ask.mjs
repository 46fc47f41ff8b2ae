// Sends a question to the team's lead and prints the result. The workers run the turns.
import pg from "pg";
import { open } from "tuckbox";
import { engine } from "tuckbox/engine";
import { pgStore } from "tuckbox/stores/pg";

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
const team = engine({ open, store: pgStore(pool), projectId: "demo" });

const llm_config = { provider: "openai_chat", model: "any" };
await team.profile({ name: "Researcher", system_prompt: "You look things up.", llm_config });
await team.profile({ name: "Lead", system_prompt: "You delegate work and summarize the results.", llm_config, delegation_policy: { target_profiles: ["Researcher"] } });
await team.provision({ agent_id: "lead", profile: "Lead" });

const turn = await team.dispatch({ agent_id: "lead", instruction: process.argv[2] });
const { content } = await team.result(turn);
console.log(content.data.fields.map(({ name, value }) => `${name}: ${value}`).join(", "));
await team.close();
await pool.end();
