// Validates the subset of JSON Schema that the description of the routes uses.

/** Returns the errors in a value, as sentences. */
export function errorsIn(schema, value, root, path = "$") {
  if (schema.$ref !== undefined) return errorsIn(root[schema.$ref.split("/").at(-1)], value, root, path);
  const found = [];
  if (schema.type !== undefined && ![schema.type].flat().includes(typeOf(value, schema.type)))
    return [`${path}: ${JSON.stringify(value)?.slice(0, 80)} is not ${schema.type}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) found.push(`${path}: \`${value}\` is not one of ${schema.enum}`);
  if (schema.minimum !== undefined && value < schema.minimum) found.push(`${path}: ${value} is below ${schema.minimum}`);
  if (Array.isArray(value) && schema.items !== undefined)
    found.push(...value.flatMap((item, index) => errorsIn(schema.items, item, root, `${path}[${index}]`)));
  if (typeof value === "object" && value !== null && schema.properties !== undefined) {
    for (const name of schema.required ?? []) if (!Object.hasOwn(value, name)) found.push(`${path}: \`${name}\` is missing`);
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(schema.properties, name)) found.push(...errorsIn(schema.properties[name], member, root, `${path}.${name}`));
      else if (schema.additionalProperties === false) found.push(`${path}: \`${name}\` is not described`);
    }
  }
  return found;
}

function typeOf(value, wanted) {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (Number.isInteger(value) && [wanted].flat().includes("integer")) return "integer";
  return typeof value;
}
