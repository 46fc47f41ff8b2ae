// Checks the schema of the operations with an independent validator.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import Ajv from "ajv/dist/2020.js";
import operations from "../../pkg/generated/operations.js";
import schema from "../../pkg/generated/schema.js";
import { DEFAULTS } from "../../pkg/lib/engine/settings.js";

// inlining references would take most of the time
const ajv = new Ajv({ inlineRefs: false, strict: true, strictRequired: false, allowUnionTypes: true });
ajv.addVocabulary(["operations", "x-lenient"]);
ajv.addSchema({ $id: "tuckbox", $schema: schema.$schema, $defs: schema.$defs });

/** Compiles a part of the schema. Its references point to the definitions of the whole schema. */
const validator = (part) => ajv.compile(JSON.parse(JSON.stringify(part).replaceAll('"#/$defs/', '"tuckbox#/$defs/')));

test("the schema describes every operation and equals the file in the package", () => {
  assert.deepEqual(Object.keys(schema.operations).sort(), [...operations].sort());
  const file = JSON.parse(readFileSync(new URL("../../pkg/schema/operations.json", import.meta.url), "utf8"));
  // to describe the differences of such large values would take minutes
  assert.ok(isDeepStrictEqual(schema, file), "the built package has another schema than `pkg/schema/operations.json`");
});

test("engines and workers use the defaults of the core", () => {
  const { properties } = schema.$defs.RunSettings;
  for (const [name, value] of Object.entries(DEFAULTS)) assert.equal(value, properties[name].default, name);
});

test("every schema compiles, accepts its example and refuses an unknown argument", () => {
  for (const [name, operation] of Object.entries(schema.operations)) {
    validator(operation.result);
    const accepts = validator(operation.arguments);
    assert.ok(accepts(operation.example), `${name}: ${ajv.errorsText(accepts.errors)}`);
    if (JSON.stringify(operation.arguments) === '{"type":"object"}') continue;
    assert.ok(!accepts({ ...operation.example, not_an_argument: 1 }), name);
  }
});
