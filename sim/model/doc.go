// Package model is a scripted language model: a server that speaks the Chat Completions dialect as the OpenAI REST
// description has it (POST /v1/chat/completions, GET /v1/models, both also without /v1), answers by rules that match the
// request, makes faults on demand, and records what it was asked, and when. It serves both as a library (New,
// Server.Handler) and as a process of its own (Run). It is for demonstrations and tests and must not be reachable from
// outside of the machine.
//
// Without a matching rule it answers with the smallest instance of the request's JSON Schema: an empty list of findings,
// for example. Nothing here imports packages of the product, so that it cannot share their mistakes.
package model
