// A team of agents on Cloudflare Workers: one Durable Object per project, started by alarms. The model is a script;
// `examples/models.mjs` calls real ones.
//
//   POST /{project}            { "instruction": ".." }        starts a turn of the lead
//   GET  /{project}/{turn}     returns the result of the turn
import { DurableObject } from "cloudflare:workers";
import { open } from "tuckbox";
import { durableObjectEngine } from "tuckbox/engines/durable-object";
import { recipe, submitResult } from "tuckbox/worker";
import { model } from "../../../../examples/team/model.mjs";

export class Team extends DurableObject {
  #team = durableObjectEngine({
    storage: this.ctx.storage,
    open,
    projectId: "team",
    worker: { model, tools: { fork_join: recipe("fork_join"), submit_result: submitResult() } },
  });

  async fetch(request) {
    const { engine } = this.#team;
    if (request.method === "POST") {
      const llm_config = { provider: "openai_chat", model: "scripted" };
      await engine.profile({ name: "Researcher", system_prompt: "You look things up.", llm_config });
      await engine.profile({
        name: "Lead",
        system_prompt: "You sum up.",
        llm_config,
        delegation_policy: { target_profiles: ["Researcher"] },
      });
      await engine.provision({ agent_id: "lead", profile: "Lead" });
      const { instruction } = await request.json();
      return Response.json(await engine.dispatch({ agent_id: "lead", instruction }));
    }
    const output_box_id = new URL(request.url).pathname.split("/")[2];
    const { cards } = await engine.call("get_box_cards", { box_id: output_box_id });
    const { agents } = await engine.state();
    const delivered = cards.find(({ metadata }) => metadata.type === "task.deliverable");
    return Response.json({
      delivered: delivered?.content.data.fields ?? null,
      busy: agents.filter(({ status }) => status !== "idle").length,
      alarm: await this.ctx.storage.getAlarm(),
    });
  }

  alarm() {
    return this.#team.alarm();
  }
}

export default {
  fetch: (request, env) => env.TEAMS.getByName(new URL(request.url).pathname.split("/")[1]).fetch(request),
};
