// Prints a bill of materials (CycloneDX 1.6) of what the npm package contains.
//
// Tools list the dependencies of a manifest. The package has none: it contains bundled code, which only
// `notices.mjs` knows. Wheels have their own bill, which maturin writes.
import { bundledCrates, bundledData, bundledPackages } from "../support/notices.mjs";
import { stated } from "./manifests.mjs";

const { version, repository } = stated();
const components = [
  ...bundledPackages().map((one) => ({ ...one, purl: `pkg:npm/${one.name.replace("@", "%40")}@${one.version}`, type: "library" })),
  ...bundledCrates().map((one) => ({ ...one, purl: `pkg:cargo/${one.name}@${one.version}`, type: "library" })),
  ...bundledData().map((one) => ({ ...one, purl: `pkg:pypi/${one.name}@${one.version}`, type: "data" })),
].map(({ name, version, license, purl, type }) => ({
  type,
  "bom-ref": purl,
  name,
  version,
  purl,
  licenses: [{ expression: license.replaceAll("/", " OR ") }],
}));
const own = `pkg:npm/tuckbox@${version}`;
const bill = {
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: {
    component: {
      type: "library",
      "bom-ref": own,
      name: "tuckbox",
      version,
      purl: own,
      licenses: [{ expression: "MIT OR Apache-2.0" }],
      externalReferences: [{ type: "vcs", url: repository }],
    },
  },
  components,
  dependencies: [{ ref: own, dependsOn: components.map((one) => one["bom-ref"]) }],
};
console.log(JSON.stringify(bill, null, 2));
