// Masking of secrets: all kinds of secrets of all providers. All other bytes stay unchanged.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { maskHeaders, maskJson, maskText, maskUrl, PLACEHOLDER } from "../../pkg/mask.js";
import { fileSink, recordFetch } from "../../pkg/record.js";
import { until } from "../support/until.mjs";

// the samples are split, so that secret scanners do not report them
const join2 = (...parts) => parts.join("");
const KEYS = {
  anthropic: join2("sk-", "ant-api03-Ab1_cdefghijklmnopqrstuvwxyz-0123456789AA"),
  openai: join2("sk-", "proj-abcdefghij0123456789xyzABCDEF"),
  gemini: join2("AIza", "SyA1234567890abcdefghijklmnopqrstuv"),
  "google oauth": join2("ya29", ".a0AfB_byC1234567890abcdefghij"),
  "aws key id": join2("AKIA", "IOSFODNN7EXAMPLE"),
  groq: join2("gsk_", "abcdefghij0123456789klmnop"),
  "hugging face": join2("hf_", "abcdefghij0123456789klmnop"),
  xai: join2("xai-", "abcdefghij0123456789klmnop"),
  "openai for one session": join2("ek_", "68af296e8e408191a1120ab6383263c2"),
  "gemini of a service account": join2("AQ", ".Ab8RN6abcdefghijklmnopqrstuvwxyz012345"),
  bedrock: join2("ABSK", "QmVkcm9ja0FQSUtleS0xMjM0NTY3ODkwYWJjZGVmZ2hpamtsbW5vcA=="),
  cerebras: join2("csk-", "abcdefghij0123456789klmnop"),
  nvidia: join2("nvapi-", "abcdefghij0123456789klmnop"),
  databricks: join2("dapi", "0123456789abcdef0123456789abcdef"),
  langsmith: join2("lsv2_", "pt_0123456789abcdef0123456789abcdef_0123456789"),
  tavily: join2("tvly-", "dev-abcdefghij0123456789"),
  pinecone: join2("pcsk_", "abcdefghij0123456789klmnop"),
  vercel: join2("vck_", "abcdefghij0123456789klmnop"),
  github: join2("ghp_", "0123456789abcdefghijABCDEFGHIJ012345"),
  slack: join2("xoxb-", "123456789012-abcdefghijkl"),
  stripe: join2("sk_", "live_abcdefghij0123456789"),
  "web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLi4u",
};
const SECRET = "opaque secret value";

test("a key is masked by its format in any string of a body", () => {
  for (const [kind, key] of Object.entries(KEYS)) {
    const body = (shown) => `{"messages":[{"role":"user","content":"Use ${shown}, please."}]}`;
    assert.equal(maskJson(body(key)), body(PLACEHOLDER), kind);
    assert.equal(maskText(`KEY=${key}\n`).includes(key), false, kind);
    assert.ok(!maskJson(JSON.stringify({ a: `{"b":"say \\"${key}\\""}` })).includes(key), `${kind} in JSON in a string`);
  }
  const { privateKey } = generateKeyPairSync("rsa", {
    modulusLength: 1024,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  assert.equal(maskJson(JSON.stringify({ content: `a\n${privateKey}b` })), JSON.stringify({ content: `a\n${PLACEHOLDER}\nb` }));
  assert.equal(maskText(privateKey.slice(0, 200)), PLACEHOLDER, "a truncated private key");
  assert.equal(maskText("Authorization: Bearer abcdefghijklmnop123456"), `Authorization: Bearer ${PLACEHOLDER}`);
  assert.equal(maskText("password = hunter22x, and"), `password = ${PLACEHOLDER}, and`);
  assert.equal(maskJson(String.raw`{"a":"\u0073k-proj-abcdefghij0123456789xyzABCDEF"}`), `{"a":"${PLACEHOLDER}"}`, "an escaped key");
});

test("members of bodies are masked by name and path for every provider", () => {
  const bodies = {
    "Anthropic MCP servers": {
      mcp_servers: [{ type: "url", url: `https://mcp.example/sse?token=${"s".repeat(8)}`, name: "m", authorization_token: SECRET }],
    },
    "OpenAI MCP tools": { tools: [{ type: "mcp", server_label: "m", authorization: SECRET, headers: { "X-Custom": SECRET } }] },
    "Gemini auth configuration": {
      tools: [{ googleMaps: { authConfig: { apiKeyConfig: { apiKeyString: SECRET }, oauthConfig: { accessToken: SECRET } } } }],
    },
    "Gemini Vertex": { tools: [{ retrieval: { externalApi: { apiAuth: { apiKeyConfig: { apiKeySecretVersion: SECRET } } } } }] },
    "Azure data sources": {
      data_sources: [{ parameters: { key: SECRET, authentication: { type: "api_key", key: SECRET, connection_string: SECRET } } }],
    },
    "OpenAI secrets of a container": {
      tools: [
        {
          type: "shell",
          environment: { network_policy: { type: "allowlist", domain_secrets: [{ domain: "a.example", name: "A", value: SECRET }] } },
        },
      ],
    },
    "OpenAI sessions": { id: "sess_1", client_secret: { value: SECRET, expires_at: 1 } },
    "Mistral connectors": { tools: [{ type: "connector", connector_id: "c", authorization: { type: "api-key", value: SECRET } }] },
    "Gemini MCP servers": {
      tools: [{ mcpServers: [{ name: "m", streamableHttpTransport: { url: "https://mcp.example", headers: { "X-Custom": SECRET } } }] }],
    },
    "Gemini networks": {
      environment: {
        network: { allowlist: [{ domain: "a.example", transform: [{ "X-Custom": SECRET }] }, { transform: { Any: SECRET } }] },
      },
    },
    "Bedrock fields": { additionalModelRequestFields: { mcp_servers: [{ authorization_token: SECRET }] } },
    gateways: {
      api_key: SECRET,
      aws_secret_access_key: SECRET,
      aws_session_token: SECRET,
      vertex_credentials: SECRET,
      extra_headers: { any: SECRET },
    },
    "tool calls": {
      messages: [{ tool_calls: [{ function: { name: "login", arguments: JSON.stringify({ user: "ann", password: SECRET }) } }] }],
    },
    other: { client_secret: SECRET, refreshToken: SECRET, cookie: SECRET, "x-api-key": SECRET, Authorization: [SECRET] },
  };
  for (const [kind, body] of Object.entries(bodies)) {
    const text = JSON.stringify(body, null, 2);
    const expected = text.replaceAll(SECRET, PLACEHOLDER).replace("ssssssss", PLACEHOLDER);
    assert.equal(maskJson(text), expected, kind);
  }
});

test("headers are masked by name", () => {
  const secret = [
    "Authorization",
    "Proxy-Authorization",
    "Cookie",
    "Set-Cookie",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "X-Amz-Security-Token",
    "Ocp-Apim-Subscription-Key",
    "x-auth-token",
  ];
  const plain = ["anthropic-version", "content-type", "x-ratelimit-remaining-tokens", "anthropic-ratelimit-tokens-limit", "X-Amz-Date"];
  const headers = new Headers([...secret, ...plain].map((name) => [name, SECRET]));
  const masked = new Map(maskHeaders(headers));
  for (const name of secret) assert.equal(masked.get(name.toLowerCase()), PLACEHOLDER, name);
  for (const name of plain) assert.equal(masked.get(name.toLowerCase()), SECRET, name);
  const signed = `AWS4-HMAC-SHA256 Credential=${KEYS["aws key id"]}/20260101/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=${"0af3".repeat(16)}`;
  assert.deepEqual(maskHeaders({ authorization: signed, note: signed.replaceAll(", ", " ") }), [
    ["authorization", PLACEHOLDER],
    ["note", `AWS4-HMAC-SHA256 ${PLACEHOLDER}`],
  ]);
});

test("users, passwords and secret parameters of URLs are masked, and all other bytes stay", () => {
  for (const [url, expected] of [
    ["https://generativelanguage.googleapis.com/v1beta/models/m:generateContent?key=abc&alt=sse", "…?key=*&alt=sse"],
    ["https://x.openai.azure.com/openai?api-version=2026-01-01&api-key=abc", "…?api-version=2026-01-01&api-key=*"],
    [
      "https://bedrock/model/m/invoke?X-Amz-Credential=a%2Fb&X-Amz-Date=20260101&X-Amz-Security-Token=t&X-Amz-Signature=f0",
      "…?X-Amz-Credential=*&X-Amz-Date=20260101&X-Amz-Security-Token=*&X-Amz-Signature=*",
    ],
    ["https://x/?q=a+b%20c&access%5Ftoken=abc#id_token=abc&state=1", "…?q=a+b%20c&access%5Ftoken=*#id_token=*&state=1"],
  ]) {
    const [before] = url.split("?");
    assert.equal(maskUrl(url), expected.replace("…", before).replaceAll("*", PLACEHOLDER));
    assert.equal(maskJson(JSON.stringify({ text: `see (${url}) now` })), JSON.stringify({ text: `see (${maskUrl(url)}) now` }));
  }
  assert.equal(maskUrl("https://user:pass@host/a@b"), `https://${PLACEHOLDER}@host/a@b`);
  assert.equal(maskText("postgres://u:p4ss@db/x?sslmode=require"), `postgres://${PLACEHOLDER}@db/x?sslmode=require`);
});

test("values that are not secrets keep their exact bytes", () => {
  const body = String.raw`{ "model":"m", "max_tokens": 12345678901234567890, "temperature":1.0, "10":1, "2":2, "é":"\u00e9\/",
    "messages":[{"content":[{"type":"thinking","thinking":"hm","signature":"EqQBCkYIBxgCKkA0123456789abcdefghij"},
    {"type":"tool_use","id":"toolu_01","name":"press","input":{"key":"ctrl+c","token":"a","page_token":"abc"}},
    {"type":"text","text":"sk-learn-is-a-library-for-machine-learning; the password: see below; const secret = read(\"x1\")"}]}],
    "tools":[{"name":"t","input_schema":{"properties":{"api_key":{"type":"string"},"password":{"type":"string"}},"required":["api_key"]}},
    {"name":"u","input_schema":{"properties":{"secret":{"properties":{"value":{"type":"string"}}},"value":{"type":"string"}}}}],
    "stop":["<|eos|>"], "eos_token":"</s>" }`;
  assert.equal(maskJson(body), body);
  const image = Buffer.alloc(3_000_000, join2("+AIza", "SyA1234567890abcdefghijklmnopqrstuv")).toString("latin1").replaceAll("-", "+");
  assert.equal(maskJson(JSON.stringify({ data: image })), JSON.stringify({ data: image }));
  assert.equal(maskJson("not { JSON"), "not { JSON");
  assert.equal(maskJson(maskJson(JSON.stringify({ api_key: SECRET }))), JSON.stringify({ api_key: PLACEHOLDER }));
});

test("a recorded line has the bytes of the body without its secrets", async () => {
  const folder = mkdtempSync(join(tmpdir(), "tuckbox-mask-"));
  try {
    const path = join(folder, "live.jsonl");
    const sink = fileSink(path);
    const written = [];
    const fetch = recordFetch(async (record) => written.push(await sink(record)), {
      fetch: async () => new Response(`{"id":12345678901234567890,"echo":"${KEYS.openai}"}`),
      now: () => new Date(0),
    });
    const body = (token) => `{"model":"m","seed":12345678901234567890,\n"b":1.0,"2":0,"mcp_servers":[{"authorization_token":"${token}"}]}`;
    await fetch(`https://user:pass@host/v1?key=${SECRET}`, {
      method: "POST",
      headers: { authorization: `Bearer ${SECRET}` },
      body: body(SECRET),
    });
    await until("the request is recorded", () => written.length);
    const expected = `{"at":"1970-01-01T00:00:00.000Z","url":"https://${PLACEHOLDER}@host/v1?key=${PLACEHOLDER}","status":200,"request":${body(PLACEHOLDER).replace("\n", " ")},"response":{"id":12345678901234567890,"echo":"${PLACEHOLDER}"}}\n`;
    assert.equal(readFileSync(path, "utf8"), expected);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
