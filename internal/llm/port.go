// Package llm is the port for providers of language models: what a call says,
// what an answer holds, which errors there are, and how a provider's failure
// becomes one of them.
//
// Codecs are leaf packages (chat, responses, anthropic, bedrock); package
// endpoint puts retries, a circuit breaker and a limit of concurrent calls around any client; llmtest is the
// conformance suite that every codec runs. What must not live here: prompts,
// stages, prices, budgets, the store, or anything that knows a review.
package llm

import (
	"context"
	"encoding/json"
	"strings"
)

// Client talks to one endpoint with one credential.
//
// Concurrency: both methods may be called from many goroutines at once; there
// is no limit inside (package endpoint has one).
//
// Retries: none inside. The one exception is a server that refuses an optional
// part of the request (structured output, temperature): the same call is then
// made again without that part, and [Response.Unsupported] says so. So is one of which
// the provider could not make JSON of the model's answer, first as it is. An effort
// is never lowered or dropped.
//
// Limits: answers are bounded in size (a larger one is [ClassInvalidResponse]),
// redirects are not followed. A call ends when ctx ends, also while a body
// hangs; there is no other time limit than those of ctx and of the HTTP client.
//
// Errors: that of [Ended] when ctx has ended; otherwise an [*Error]. An answer
// that broke off at the token limit is not an error, see [StopLength]. Beside an
// error a response holds what the provider has counted all the same, because it
// is paid for: Usage and Model, and nothing else that may be used.
type Client interface {
	// Complete makes one call and returns its answer.
	Complete(ctx context.Context, req Request) (Response, error)
	// ListModels returns what the endpoint offers, in its order, at most 2 MiB
	// of answer and within 8 seconds. An endpoint without a list gives an [*Error].
	ListModels(ctx context.Context) ([]ModelInfo, error)
}

// Request is one call.
type Request struct {
	Model string
	// System is the instruction text; empty sends none. Messages with the role
	// [System] follow it.
	System string
	// Messages are the conversation; at least one.
	Messages []Message
	// Schema asks for structured output; nil asks for text. Codecs whose servers
	// take no schema beside tools put it into words while there are tools.
	Schema *Schema
	// Tools that the model may call. A provider that has none for the model answers
	// with [ClassTools]. A conversation with calls in it needs them in every request.
	Tools []Tool
	// MaxOutputTokens bounds the answer, reasoning included; 0 leaves it to the provider.
	MaxOutputTokens int
	// Temperature is a wish; nil leaves it to the provider. A provider that
	// refuses it is asked again without it.
	Temperature *float64
	// Effort is sent only when set.
	Effort Effort
	// CacheKey names calls that begin alike: same system text, same tools, same
	// first messages. A provider that can keep such a beginning is asked to; ""
	// asks for nothing. At most 64 characters of [A-Za-z0-9_-].
	CacheKey string
	// Without names optional parts that the endpoint is known to refuse for the model,
	// as [Response.Unsupported] does. Where it is not nil, the caller remembers what is
	// refused; else the client does, as long as it lives.
	Without []string
}

// Embedder makes vectors of texts. A client whose provider has embeddings is one
// too. Concurrency, retries, limits and errors are those of [Client].
type Embedder interface {
	// Embed makes one vector per text, in the order of the texts. A vector whose
	// length is not the one asked for is [ClassInvalidResponse]: some servers
	// ignore the wish (Ollama 0.17.4, observed). With an error come no vectors, but
	// the usage of what was answered before it, as far as the provider tells.
	Embed(ctx context.Context, req EmbedRequest) (Embeddings, error)
}

// EmbedRequest is one call for vectors.
type EmbedRequest struct {
	Model string
	// Texts, 1 to 128 of them; none is empty.
	Texts []string
	// Size is the length of each vector: 384, 768, 1024, 1536 or 3072.
	Size int
}

// Embeddings are vectors in the order of the texts.
type Embeddings struct {
	Vectors   [][]float32
	Usage     Usage // input tokens only
	Model     string
	RequestID string
}

// Role says who speaks in a [Message].
type Role string

// Roles of messages.
const (
	System     Role = "system"
	User       Role = "user"
	Assistant  Role = "assistant"
	ToolResult Role = "tool" // the result of the call that Message.ToolCallID names
)

// Message is one turn.
type Message struct {
	Role Role
	Text string
	// Shared is how many bytes of Text other calls with the same CacheKey begin
	// with, too, 0 for none: providers that want to be told are told where that
	// ends. It changes nothing else.
	Shared int
	// ToolCalls repeats what the model asked for, in an Assistant message.
	ToolCalls []ToolCall
	// ToolCallID names the call that a ToolResult message answers.
	ToolCallID string
	// Kept repeats [Response.Kept] in the Assistant message that repeats its answer.
	Kept json.RawMessage
}

// MaxKept is the most bytes of [Response.Kept] (design choice; what models reason
// before a call is some thousand tokens).
const MaxKept = 256 << 10

// Split cuts the text where its shared part ends. There is none, and all is rest,
// where the part or what follows it is blank.
func (m Message) Split() (shared, rest string) {
	n := min(max(m.Shared, 0), len(m.Text))
	if strings.TrimSpace(m.Text[:n]) == "" || strings.TrimSpace(m.Text[n:]) == "" {
		return "", m.Text
	}
	return m.Text[:n], m.Text[n:]
}

// Schema is a JSON Schema for the answer. It should keep to the subset that
// strict structured outputs take: every property required, no additional
// properties, no bounds.
type Schema struct {
	// Name has 1 to 64 characters of [A-Za-z0-9_-].
	Name string
	JSON json.RawMessage
}

// Tool is a function that the model may call.
type Tool struct {
	Name        string // 1 to 64 characters of [A-Za-z0-9_-]
	Description string
	Parameters  json.RawMessage // JSON Schema of the arguments, an object
}

// ToolCall is a call that the model asks for. Nothing in it is trusted:
// Arguments may not be valid JSON and may not fit the tool's schema.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// Effort is how much a model is asked to reason. The zero value is the
// provider's default and is not sent.
type Effort string

// The efforts that providers know (OpenAI REST description, ReasoningEffort).
const (
	EffortDefault Effort = ""
	EffortNone    Effort = "none"
	EffortMinimal Effort = "minimal"
	EffortLow     Effort = "low"
	EffortMedium  Effort = "medium"
	EffortHigh    Effort = "high"
	EffortXHigh   Effort = "xhigh"
	EffortMax     Effort = "max"
)

// Valid reports whether the effort is one of the constants.
func (e Effort) Valid() bool {
	switch e {
	case EffortDefault, EffortNone, EffortMinimal, EffortLow, EffortMedium, EffortHigh, EffortXHigh, EffortMax:
		return true
	}
	return false
}

// StopReason says why an answer ended.
type StopReason string

// Reasons to stop.
const (
	StopEnd      StopReason = "end"      // the model was done
	StopLength   StopReason = "length"   // the token limit cut it off
	StopTools    StopReason = "tools"    // it waits for results of tool calls
	StopFiltered StopReason = "filtered" // the provider's filter took something out
	StopRefused  StopReason = "refused"  // the model declined to answer
	// StopBroken: the provider broke the answer off and gives no reason for it.
	StopBroken StopReason = "broken"
	StopOther  StopReason = "other" // none was given, or an unknown one
)

// Response is an answer. Everything in it comes from outside.
type Response struct {
	Text       string
	ToolCalls  []ToolCall
	StopReason StopReason
	Usage      Usage
	// Model is the one that answered, as the provider names it; it may be more
	// exact than the one asked for. Empty when the provider does not say.
	Model string
	// RequestID is the provider's name for the call, for support.
	RequestID string
	// Kept is what the provider wants back when a conversation goes on after calls
	// of tools: reasoning with its signatures. Only the codec that made it reads it;
	// nil where there is nothing, or more than [MaxKept] bytes.
	Kept json.RawMessage
	// Unsupported names the parts of the request that the server refused and that the
	// answer was made without: "json_schema" (any JSON object was asked for),
	// "response_format", "temperature", "max_tokens" (the limit had its other name).
	Unsupported []string
}

// Truncated reports whether the answer was cut off at the token limit.
func (r Response) Truncated() bool { return r.StopReason == StopLength }

// Usage counts tokens. Providers count differently; here InputTokens includes
// the cached ones and OutputTokens the reasoning ones. Zero also means "not told".
type Usage struct {
	// Estimated says that some of it is not the provider's count, see [Response.Estimate].
	Estimated bool

	InputTokens       int64
	CachedInputTokens int64 // part of InputTokens that was read from a cache
	CacheWriteTokens  int64 // part of InputTokens that was written to a cache
	OutputTokens      int64
	ReasoningTokens   int64 // part of OutputTokens
}

// Total returns input and output tokens together.
func (u Usage) Total() int64 { return u.InputTokens + u.OutputTokens }

// Add returns the sum of two usages.
func (u Usage) Add(o Usage) Usage {
	return Usage{Estimated: u.Estimated || o.Estimated, InputTokens: u.InputTokens + o.InputTokens, CachedInputTokens: u.CachedInputTokens + o.CachedInputTokens,
		CacheWriteTokens: u.CacheWriteTokens + o.CacheWriteTokens, OutputTokens: u.OutputTokens + o.OutputTokens, ReasoningTokens: u.ReasoningTokens + o.ReasoningTokens}
}

// ModelInfo is a model that an endpoint offers.
type ModelInfo struct {
	ID          string
	DisplayName string // the id where the provider gives no name
	Efforts     Efforts
}

// Efforts is what a provider says of the efforts of a model: true for what it
// takes, false for what it refuses. Of what is absent it does not say.
type Efforts map[Effort]bool
