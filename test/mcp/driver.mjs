// One client of somebody else's, driven over standard input and output: each line asks
// something as JSON, and is answered by a line of JSON.
//
//   node driver.mjs <folder of the programs> <typescript | ai-sdk>
//
// The first line says where the server is: {url, token} or {command, args, cwd}.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [folder, which] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + "/package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const patience = 120_000; // ms, of one call

const authorized = (at) => ({ Authorization: `Bearer ${at.token}` });

// The SDK of the protocol's authors (npm: @modelcontextprotocol/sdk).
async function typescript(at) {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
  const client = new Client({ name: "test", version: "1" });
  await client.connect(
    at.url ? new StreamableHTTPClientTransport(new URL(at.url), { requestInit: { headers: authorized(at) } }) : new StdioClientTransport({ command: at.command, args: at.args, cwd: at.cwd, stderr: "inherit" }),
  );
  return {
    tools: () => client.listTools().then((r) => r.tools),
    call: (ask) => client.callTool({ name: ask.name, arguments: ask.args }, undefined, { timeout: patience }),
    read: (ask) => client.readResource({ uri: ask.name }),
    prompts: () => client.listPrompts().then((r) => r.prompts),
    prompt: (ask) => client.getPrompt({ name: ask.name, arguments: ask.args }),
    end: () => client.close(),
  };
}

// The client of the AI SDK, which is written anew (npm: @ai-sdk/mcp).
async function aiSDK(at) {
  const { createMCPClient } = await load("@ai-sdk/mcp");
  const { Experimental_StdioMCPTransport: Stdio } = await load("@ai-sdk/mcp/mcp-stdio");
  const client = await createMCPClient({
    transport: at.url ? { type: "http", url: at.url, headers: authorized(at) } : new Stdio({ command: at.command, args: at.args, cwd: at.cwd, stderr: "inherit" }),
  });
  return {
    tools: () => client.listTools().then((r) => r.tools),
    call: (ask) => client.callTool({ name: ask.name, arguments: ask.args, options: { timeout: patience } }),
    read: (ask) => client.readResource({ uri: ask.name }),
    prompts: () => client.experimental_listPrompts().then((r) => r.prompts),
    prompt: (ask) => client.getPrompt({ name: ask.name, arguments: ask.args }),
    end: () => client.close(),
  };
}

const answer = (value) => process.stdout.write(JSON.stringify(value) + "\n");

let client;
for await (const line of createInterface({ input: process.stdin })) {
  const ask = JSON.parse(line);
  try {
    if (!client) {
      client = await { typescript, "ai-sdk": aiSDK }[which](ask);
      answer({ result: {} });
      continue;
    }
    answer({ result: (await client[ask.do](ask)) ?? {} });
    if (ask.do === "end") break;
  } catch (e) {
    answer({ error: String(e?.message ?? e) });
  }
}
