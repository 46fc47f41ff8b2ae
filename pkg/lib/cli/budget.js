// `tuckbox budget`: what fits of a prompt, and what is dropped. A calibration corrects the estimates for a model.
/** @import { Args } from "./calls.js" */
/** @import { Session } from "./session.js" */
/** @import { Command, Option } from "./usage.js" */
import { given, needed, number, objectText, text } from "./calls.js";
import { line } from "./paint.js";
import { UsageError } from "./usage.js";
import { lintsView, priceText } from "./views.js";

export const CALIBRATION = {
  value: "REPORT.json",
  help: "output of `tuckbox import PATH --list --json`, to calibrate the estimates for `--model`",
};

/**
 * Returns the command. `promptIn` reads a prompt.
 *
 * @param {(session: Session, name: string) => Promise<Args>} promptIn
 * @param {Option} provider
 * @returns {Command}
 */
export function budget(promptIn, provider) {
  return {
    summary: "Fit a prompt into a token budget",
    usage: "PROMPT --provider NAME --limit TOKENS [--model NAME] [--calibration REPORT.json]",
    about: "PROMPT is a file with `messages` (and `tools`), or `box:ID` for the cards of a box.",
    options: {
      provider,
      limit: { value: "TOKENS", help: "the budget, in tokens" },
      model: { value: "NAME", help: "the model" },
      calibration: CALIBRATION,
    },
    examples: [
      "tuckbox budget box:ctx1 --provider anthropic --limit 8000 --store project.json",
      "tuckbox budget prompt.json --provider openai_chat --limit 4000 --model gpt-x --calibration report.json",
    ],
    async run(session, [prompt], { provider: name, limit, model, calibration }) {
      const args = new Map([
        ...(await promptIn(session, needed(prompt, "PROMPT"))),
        ...given([
          ["provider", needed(name, "--provider")],
          ["limit", number(needed(limit, "--limit"), "--limit")],
          ["model", model],
        ]),
      ]);
      if (calibration !== undefined) args.set("counter", await calibrated(session, calibration, model));
      const preview = await session.preview("budget", args);
      const {
        account: { tokens, cost: price, exact },
        dropped,
      } = preview.value;
      const view = () => [
        `${exact ? "" : "~"}${tokens} of ${limit} tokens, ${priceText(price)}`,
        ...dropped.map(
          (/** @type {any} */ { position, tokens: cost, reason }) =>
            `${session.paint.yellow("dropped")} message ${position}: ${cost} tokens, ${line(reason.kind)}`,
        ),
        ...lintsView(preview.lints, session.paint),
      ];
      return { preview, view };
    },
  };
}

/**
 * Returns the counter of a call from the report of an import.
 *
 * @param {Session} session
 * @param {string} file
 * @param {string | undefined} model
 */
async function calibrated(session, file, model) {
  if (model === undefined) throw new UsageError("`--calibration` needs `--model`: models count differently");
  const report = await session.object(file, "the report");
  const calibration = report.get("calibration");
  if (calibration === undefined) throw new UsageError(`the report in \`${file}\` has no \`calibration\``);
  return objectText(
    new Map([
      ["calibration", calibration],
      ["model", text(model)],
    ]),
  );
}
