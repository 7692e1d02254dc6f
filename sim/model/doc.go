// Package model is a scripted language model. The server speaks the dialects of the product's providers (Chat
// Completions, with Mistral's differences; Responses, also in Azure OpenAI's form; Anthropic Messages; Bedrock
// Converse; embeddings), as strictly as their descriptions. It answers by rules that match the request, makes
// faults on demand, and records all requests with their times. A dialect (interface dialect) parses a call
// into the common request for rules and faults, and writes completions, errors and lists in its own format.
// The package runs as a library (New, Server.Handler) and as a process (Run). It is for demonstrations and
// tests and must not be reachable from outside the machine.
//
// Without a matching rule it answers with the smallest instance of the request's JSON Schema: an empty list of
// findings, for example. The package imports no packages of the product, so that it cannot share their
// mistakes.
package model
