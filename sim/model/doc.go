// Package model is a scripted language model: a server that speaks the dialects of the product's providers (Chat
// Completions, with Mistral's differences; Responses, also as Azure OpenAI has it; Anthropic Messages; Bedrock Converse;
// embeddings), as strictly as their descriptions are, answers by rules that match the request, makes faults on demand, and
// records what it was asked, and when. A dialect (interface dialect) parses a call into the one request that rules and
// faults look at, and writes completions, errors and lists in its own shape. It serves both as a library (New,
// Server.Handler) and as a process of its own (Run). It is for demonstrations and tests and must not be reachable from
// outside of the machine.
//
// Without a matching rule it answers with the smallest instance of the request's JSON Schema: an empty list of findings,
// for example. Nothing here imports packages of the product, so that it cannot share their mistakes.
package model
