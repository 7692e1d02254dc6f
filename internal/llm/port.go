// Package llm is the port for providers of language models. It defines the request, the answer and the errors
// of a call, and classifies the failures of providers.
//
// Codecs are leaf packages (chat, responses, anthropic, bedrock). Package endpoint puts retries, a circuit
// breaker and a limit of concurrent calls around any client; llmtest is the conformance suite that every codec
// runs. Prompts, stages, prices, budgets, the store and anything about reviews do not belong here.
package llm

import (
	"context"
	"encoding/json"
	"strings"
)

// Client talks to one endpoint with one credential.
//
// Concurrency: both methods may be called from many goroutines at once; there is no limit inside (package
// endpoint has one).
//
// Retries: none inside, with two exceptions. If a server refuses an optional part of the request (structured
// output, temperature), the client repeats the call without that part and names it in [Response.Unsupported].
// If the provider could not turn the model's answer into JSON, the client repeats the call, first unchanged.
// An effort is never lowered or dropped.
//
// Limits: answers are bounded in size (a larger one is [ClassInvalidResponse]), and redirects are not
// followed. A call ends when ctx ends, also while a body hangs; the HTTP client may set the only other time
// limit.
//
// Errors: the error of [Ended] if ctx has ended, otherwise an [*Error]. An answer that broke off at the token
// limit is not an error, see [StopLength]. Beside an error the response holds only Usage and Model, as far as
// the provider counted, because those tokens are paid for.
type Client interface {
	// Complete makes one call and returns its answer.
	Complete(ctx context.Context, req Request) (Response, error)
	// ListModels returns the models that the endpoint offers, in its order. It reads at most 2 MiB within 8
	// seconds. If the endpoint has no list, the error is an [*Error].
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
	// Schema asks for structured output; nil asks for text. If the server takes no schema beside tools, the
	// codec describes the schema in the instructions while there are tools.
	Schema *Schema
	// Tools are the functions that the model may call. A provider that has no tools for the model answers with
	// [ClassTools]. A conversation that contains calls needs Tools in every request.
	Tools []Tool
	// MaxOutputTokens bounds the answer, reasoning included; 0 leaves it to the provider.
	MaxOutputTokens int
	// Temperature is optional; nil leaves it to the provider. If the provider refuses it, the call is repeated
	// without it.
	Temperature *float64
	// Effort is sent only when set.
	Effort Effort
	// CacheKey identifies calls with the same beginning: same system text, same tools, same first messages.
	// Providers that support it cache that beginning; "" asks for no cache. At most 64 characters of
	// [A-Za-z0-9_-].
	CacheKey string
	// Without names the optional parts that the endpoint is known to refuse for the model, in the words of
	// [Response.Unsupported]. If it is not nil, the caller remembers refusals; otherwise the client does for
	// its lifetime.
	Without []string
}

// Embedder makes vectors from texts. A client implements it if its provider has embeddings. Concurrency,
// retries, limits and errors are those of [Client].
type Embedder interface {
	// Embed returns one vector per text, in the order of the texts. A vector of another length than requested
	// is [ClassInvalidResponse], because some servers ignore the size (Ollama 0.17.4, observed). An error
	// comes without vectors, but with the usage that the provider reported before it failed.
	Embed(ctx context.Context, req EmbedRequest) (Embeddings, error)
}

// EmbedRequest is one call for vectors.
type EmbedRequest struct {
	Model string
	// Texts holds 1 to 128 texts, each of them not empty.
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

// Role names the speaker of a [Message].
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
	// Shared is the length in bytes of the beginning of Text that other calls with the same CacheKey also
	// have, 0 for none. Providers that need a mark at the end of a cached beginning get one there. It changes
	// nothing else.
	Shared int
	// ToolCalls holds the calls that the model asked for, in an Assistant message.
	ToolCalls []ToolCall
	// ToolCallID names the call that a ToolResult message answers.
	ToolCallID string
	// Kept holds [Response.Kept] of the answer that this Assistant message repeats.
	Kept json.RawMessage
}

// MaxKept bounds [Response.Kept] in bytes (design choice; the reasoning before a call is some thousand
// tokens).
const MaxKept = 256 << 10

// Split cuts the text at the end of its shared part. If the shared part or the rest is blank, shared is "" and
// rest the whole text.
func (m Message) Split() (shared, rest string) {
	n := min(max(m.Shared, 0), len(m.Text))
	if strings.TrimSpace(m.Text[:n]) == "" || strings.TrimSpace(m.Text[n:]) == "" {
		return "", m.Text
	}
	return m.Text[:n], m.Text[n:]
}

// Schema is a JSON Schema for the answer. It should use only what strict structured outputs accept: every
// property required, no additional properties, no bounds.
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

// ToolCall is a call that the model asks for. It is untrusted: Arguments can be invalid JSON or violate the
// tool's schema.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string
}

// Effort is the amount of reasoning that a call asks for. The zero value is the provider's default and is not
// sent.
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

// StopReason is the reason why an answer ended.
type StopReason string

// Reasons to stop.
const (
	StopEnd      StopReason = "end"      // the model was done
	StopLength   StopReason = "length"   // the token limit cut it off
	StopTools    StopReason = "tools"    // it waits for results of tool calls
	StopFiltered StopReason = "filtered" // the provider's filter removed a part
	StopRefused  StopReason = "refused"  // the model declined to answer
	// StopBroken: the provider broke the answer off without a reason.
	StopBroken StopReason = "broken"
	StopOther  StopReason = "other" // no reason, or an unknown one
)

// Response is an answer. All its fields come from outside and are untrusted.
type Response struct {
	Text       string
	ToolCalls  []ToolCall
	StopReason StopReason
	Usage      Usage
	// Model is the model that answered, as the provider names it, possibly more exact than the requested name.
	// It is empty if the provider does not name it.
	Model string
	// RequestID is the provider's id of the call, for its support.
	RequestID string
	// Kept holds what the provider needs back when a conversation continues after tool calls: reasoning with
	// its signatures. Only the codec that made it reads it. It is nil if there is nothing to keep, or more
	// than [MaxKept] bytes.
	Kept json.RawMessage
	// Unsupported names the parts of the request that the server refused and that the final attempt left out:
	// "json_schema" (the call asked for any JSON object instead), "response_format", "temperature",
	// "max_tokens" (the limit was sent under its other name).
	Unsupported []string
}

// Truncated reports whether the answer was cut off at the token limit.
func (r Response) Truncated() bool { return r.StopReason == StopLength }

// Usage counts tokens. Providers count differently; here InputTokens includes the cached tokens and
// OutputTokens the reasoning tokens. Zero also means "not reported".
type Usage struct {
	// Estimated reports whether a count is an estimate, see [Response.Estimate].
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
	return Usage{Estimated: u.Estimated || o.Estimated, InputTokens: u.InputTokens + o.InputTokens,
		CachedInputTokens: u.CachedInputTokens + o.CachedInputTokens,
		CacheWriteTokens:  u.CacheWriteTokens + o.CacheWriteTokens, OutputTokens: u.OutputTokens + o.OutputTokens,
		ReasoningTokens: u.ReasoningTokens + o.ReasoningTokens}
}

// ModelInfo is a model that an endpoint offers.
type ModelInfo struct {
	ID          string
	DisplayName string // the id if the provider gives no name
	Efforts     Efforts
}

// Efforts describes which efforts a model supports: true if the provider accepts one, false if it refuses it.
// An absent effort is unknown.
type Efforts map[Effort]bool
