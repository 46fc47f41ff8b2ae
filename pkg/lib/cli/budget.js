// `tuckbox budget`: what of a prompt fits, and what is dropped; estimates may count as a model once did.
import { given, needed, number, objectText, text } from "./calls.js";
import { line } from "./paint.js";
import { lintsView } from "./views.js";
import { UsageError } from "./usage.js";

export const CALIBRATION = { value: "REPORT.json", help: "what `tuckbox import PATH --list --json` printed: estimates then count as the model of `--model` did" };

/** `promptIn` reads a prompt as it is named, `provider` is the option of that name. */
export function budget(promptIn, provider) {
  return {
    summary: "Fit a prompt into a number of tokens",
    usage: "PROMPT --provider NAME --limit TOKENS [--model NAME] [--calibration REPORT.json]",
    about: "PROMPT is a file with `messages` (and `tools`), or `box:ID` for the cards of a box.",
    options: {
      provider,
      limit: { value: "TOKENS", help: "how many tokens there is room for" },
      model: { value: "NAME", help: "the model" },
      calibration: CALIBRATION,
    },
    examples: [
      "tuckbox budget box:ctx1 --provider anthropic --limit 8000 --store project.json",
      "tuckbox budget prompt.json --provider openai_chat --limit 4000 --model gpt-x --calibration report.json",
    ],
    async run(session, [prompt], { provider: name, limit, model, calibration }) {
      const args = new Map([...(await promptIn(session, needed(prompt, "PROMPT"))), ...given([["provider", needed(name, "--provider")], ["limit", number(needed(limit, "--limit"), "--limit")], ["model", model]])]);
      if (calibration !== undefined) args.set("counter", await calibrated(session, calibration, model));
      const preview = await session.preview("budget", args);
      const { account: { tokens, exact }, dropped } = preview.value;
      const view = () => [
        `${exact ? "" : "~"}${tokens} of ${limit} tokens`,
        ...dropped.map(({ position, tokens: cost, reason }) => `${session.paint.yellow("dropped")} message ${position}: ${cost} tokens, ${line(reason.kind)}`),
        ...lintsView(preview.lints, session.paint),
      ];
      return { preview, view };
    },
  };
}

/** The counter of a call from the report of an import. */
async function calibrated(session, file, model) {
  if (model === undefined) throw new UsageError("`--calibration` needs `--model`: every model counts in its own way");
  const report = await session.object(file, "the report");
  if (!report.has("calibration")) throw new UsageError(`the report in \`${file}\` has no \`calibration\``);
  return objectText(new Map([["calibration", report.get("calibration")], ["model", text(model)]]));
}
