// Builds a handover: one value as a form and as JSON, with a preview after every keystroke.
import assert from "node:assert/strict";
import { onlyDeep } from "../support/deep.mjs";
import { becomes, lines, ready, resized, settled, showsText } from "./page.mjs";
import { session } from "./session.mjs";

async function edit(page) {
  await ready(page);
  await page.locator(".heading").getByRole("button", { name: "Edit" }).click();
  await page.locator(".build").waitFor();
}

const excerpt = (page, position) => page.locator(`#card-${position} .excerpt`);

/** Discards all edits, and closes the form. */
async function undo(page) {
  const form = page.locator(".build");
  if ((await form.count()) === 0) return;
  await form.getByRole("radio", { name: "Form" }).check();
  const reset = form.getByRole("button", { name: "Reset", exact: true });
  if (await reset.isEnabled()) await reset.click();
  await form.getByRole("button", { name: "Done" }).click();
}

session(
  { undo },
  {
    "the preview follows every keystroke in the form": async (page) => {
      await edit(page);
      const instruction = page.getByLabel("instruction", { exact: true });
      await instruction.fill("");
      await instruction.pressSequentially("Write a haiku 俳句");
      await excerpt(page, 0).getByText("Write a haiku 俳句").waitFor();
      await page.locator(".why .content", { hasText: "俳句" }).waitFor();
      await page.getByRole("button", { name: "Reset" }).click();
      await excerpt(page, 0).getByText("Write the report for the board").waitFor();
    },

    "errors are shown at their field, and the last preview stays": async (page) => {
      await edit(page);
      await settled(page);
      const before = await lines(page);
      const field = page.getByLabel("profile_name", { exact: true }).first();
      await field.fill("Nobody");
      const mark = page.locator(".member", { has: page.locator('[aria-invalid="true"]') }).locator(".mark");
      await showsText(mark, /not_found no profile `Nobody`/);
      await becomes(() => field.getAttribute("aria-invalid"), "true");
      await page.locator(".error-note", { hasText: "the last successful one" }).waitFor();
      await settled(page);
      assert.deepEqual(await lines(page), before);
      await field.fill("Analyst");
      await page.locator(".error-note").waitFor({ state: "detached" });
      await becomes(() => field.getAttribute("aria-invalid"), "false");
    },

    "a field lists boxes to choose from, and list items are added and removed": async (page) => {
      await edit(page);
      const count = async () => Number(await page.locator("#tab-cards .num").textContent());
      const before = await count();
      await page.getByRole("button", { name: "add to evidence" }).click();
      const added = page.getByLabel("evidence[3]", { exact: true });
      await added.focus();
      const listed = () => added.evaluate((input) => Array.from(input.list?.options ?? [], (option) => option.value));
      await becomes(async () => (await listed()).filter((one) => ["box_talk", "box_handoff"].includes(one)).length, 2);
      await added.fill("box_handoff");
      await page.locator(".line", { hasText: "handoff.package" }).waitFor();
      await becomes(count, before + 2);
      await page.getByRole("button", { name: "Remove evidence[3]" }).click();
      await becomes(count, before);
    },

    "an error note never covers the focused field": async (page) => {
      await resized(page, { width: 1280, height: 720 });
      await edit(page);
      const field = page.getByLabel("evidence[1]", { exact: true });
      await field.fill("box_li_outputs");
      await page.locator(".build .error-note").waitFor();
      await page.waitForFunction(() => {
        const [field, body] = [document.activeElement, document.querySelector(".build-body")].map((one) => one.getBoundingClientRect());
        return field.top >= body.top && field.bottom <= body.bottom;
      });
    },

    "form and JSON edit one value": async (page) => {
      await edit(page);
      await page.getByLabel("instruction", { exact: true }).fill("from the form");
      await page.getByRole("radio", { name: "JSON" }).check();
      const editor = page.locator(".editor .cm-content");
      await editor.getByText('"from the form"').waitFor();
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(
        JSON.stringify(
          {
            op: "pack_context_with_instruction",
            source_agent_id: "agent_mira",
            profile_name: "Writer",
            instruction: "from the editor, 9007199254740993",
            inherit_box_ids: ["box_brief"],
          },
          null,
          2,
        ),
      );
      await excerpt(page, 0).getByText("from the editor").waitFor();
      await becomes(async () => (await lines(page)).length, 4);
      await page.getByRole("radio", { name: "Form" }).check();
      await becomes(() => page.getByLabel("instruction", { exact: true }).inputValue(), "from the editor, 9007199254740993");
      await becomes(() => page.getByLabel("op", { exact: true }).inputValue(), "pack_context_with_instruction");
    },

    "invalid JSON is marked, and integers keep their digits": async (page) => {
      await edit(page);
      await page.getByRole("radio", { name: "JSON" }).check();
      const editor = page.locator(".editor .cm-content");
      await editor.waitFor();
      await settled(page);
      const before = await lines(page);
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText('{"op": ');
      await page.locator(".error-note").waitFor();
      await settled(page);
      assert.deepEqual(await lines(page), before);
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(`{"op":"pack_context","tool_suffix":"t","source_agent_id":"agent_mira",
      "arguments":{"profile_name":"Writer","n":9007199254740993},
      "handover":{"context_packing_config":{"pack_arguments":[{"arg_key":"n"}]}}}`);
      await excerpt(page, 0).getByText("9007199254740993").waitFor();
    },

    "the editor completes keys and names, and underlines errors of the core": async (page) => {
      await edit(page);
      await page.getByRole("radio", { name: "JSON" }).check();
      const editor = page.locator(".editor .cm-content");
      // the editor ignores a choice within 75 ms after it listed the options
      const choose = async () => {
        const listed = await page.evaluate(() => Date.now());
        await page.waitForFunction((from) => Date.now() - from > 75, listed);
        await page.keyboard.press("Enter");
      };
      await editor.click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(
        '{"op":"delegate_async","source_agent_id":"agent_mira","recursion_depth":0,"arguments":{"target_strategy":"new","instruction":"x",}}',
      );
      for (let i = 0; i < 2; i += 1) await page.keyboard.press("ArrowLeft");
      await page.keyboard.type('"tar');
      const options = page.locator(".cm-tooltip-autocomplete li");
      await options.first().waitFor();
      await becomes(
        () => options.evaluateAll((all) => all.map((one) => one.querySelector(".cm-completionLabel").textContent)),
        ['"target_ref"'],
      );
      await choose();
      await page.keyboard.type('"Res');
      await page.locator(".cm-tooltip-autocomplete li", { hasText: "Researcher" }).waitFor();
      await choose();
      await excerpt(page, 0).getByText("x", { exact: true }).waitFor();
      const text = await editor.evaluate((node) => node.innerText);
      assert.equal(JSON.parse(text.replaceAll("\u00a0", " ")).arguments.target_ref, "Researcher");
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Backspace");
      await page.keyboard.type('x"');
      await page.locator(".cm-lintRange-error", { hasText: "Researchex" }).waitFor();
    },

    "typing and reading an error do not violate the page's policy": [
      onlyDeep("the policy is checked in every view too"),
      async (page) => {
        await page.evaluate(() => {
          window.broken = [];
          document.addEventListener("securitypolicyviolation", (event) =>
            window.broken.push(`${event.violatedDirective} ${event.blockedURI}`),
          );
        });
        await edit(page);
        await page.getByLabel("instruction", { exact: true }).pressSequentially(" typed\nin the form");
        await page.getByRole("radio", { name: "JSON" }).check();
        await page.locator(".editor .cm-line", { hasText: '"source_agent_id"' }).click();
        await page.keyboard.press("End");
        await page.keyboard.type('\n"no_such_member": 1,');
        const wrong = page.locator(".cm-lintRange").first();
        await wrong.waitFor();
        // every answer replaces the marks and closes the tooltip of the old one
        await settled(page);
        await wrong.hover();
        await page.locator(".cm-tooltip-lint").waitFor();
        assert.deepEqual(await page.evaluate(() => window.broken), []);
      },
    ],

    "a new handover starts from a recipe, is saved, and shows its writes before the commit": async (page) => {
      await ready(page);
      await page.locator("summary", { hasText: "New handover" }).click();
      await page.getByRole("button", { name: "ask_expert" }).click();
      await page.getByLabel("expert_profile", { exact: true }).fill("Analyst");
      await page.getByLabel("question", { exact: true }).fill("How many Fridays?");
      await page.getByLabel("include_history", { exact: true }).selectOption("true");
      await page.locator(".line", { hasText: "How many Fridays?" }).waitFor();
      await page.locator(".line", { hasText: "box_mira_output" }).first().waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      await page.locator(".nav").getByText("ask_expert").first().waitFor();
      const boxes = await page.locator(".nav-boxes .entry").count();
      await page.locator(".heading .primary").click();
      const dialog = page.locator("dialog[open]");
      await showsText(dialog, /create .* with \d+ cards/);
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await becomes(() => page.locator(".nav-boxes .entry").count(), boxes);
      await page.locator(".heading .primary").click();
      await dialog.getByRole("button", { name: "Commit" }).click();
      await page.locator(".committed").waitFor();
      await becomes(() => page.locator(".nav-boxes .entry").count(), boxes + 1);
    },
  },
);
