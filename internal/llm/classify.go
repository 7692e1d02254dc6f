package llm

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Failure is the error that a codec read from an unsuccessful answer.
type Failure struct {
	Status int
	Header http.Header
	// Code, Type, Param and Message are the members of the provider's error object (OpenAI REST description,
	// schema Error). A missing member is empty.
	Code, Type, Param, Message string
	// Effort is the effort of the request; "" if the request set none.
	Effort Effort
	// Secrets are the strings that must not appear in the message, such as the key of the call.
	Secrets []string
}

// Classify turns a failure into an [Error].
//
// Failures about money, context length, tools, effort and credentials have their own classes and are final.
// For the others the header x-should-retry decides. Without it, 408, 409, 425, 429 and 5xx except 501 and 505
// are retryable, and the rest is final (openai-go requestconfig.go; OpenAI REST description; observations on
// Ollama 0.17.4, vLLM and others are noted at the patterns).
func Classify(f Failure) *Error {
	e := &Error{Class: ClassFinal, Status: f.Status, Code: SafeMessage(f.Code, f.Secrets...),
		ProviderMessage: SafeMessage(f.Message, f.Secrets...), RequestID: RequestID(f.Header)}
	if e.ProviderMessage == "" {
		e.ProviderMessage = statusMessage(f.Status)
	}
	should := f.Header.Get("x-should-retry")
	switch {
	case isQuota(f):
		e.Class = ClassQuota
	case isContextLength(f):
		e.Class = ClassContextLength
	case isTools(f):
		e.Class = ClassTools
	case isEffort(f):
		e.Class = ClassEffort
	case f.Status == http.StatusUnauthorized, f.Status == http.StatusForbidden, f.Status == http.StatusBadRequest &&
		containsAny(f.Message, keyTexts):
		e.Class = ClassCredential
	case should == "true", should != "false" && retryStatus(f.Status):
		e.Class = ClassRetryable
		e.RetryAfter = RetryAfter(f.Header)
	}
	return e
}

// keyTexts are parts of messages about a wrong key, in lower case, from providers that answer 400 to one
// (Gemini's compatible path: "API key not valid").
var keyTexts = []string{"api key not valid"}

func retryStatus(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
		return true
	case http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return false
	}
	return status >= 500
}

func statusMessage(status int) string {
	if text := http.StatusText(status); text != "" {
		return "The endpoint answered " + strconv.Itoa(status) + " " + text + " without a message."
	}
	return "The endpoint answered with the status " + strconv.Itoa(status) + " and no message."
}

// quotaCodes are codes and types of errors about money. OpenAI uses them to tell a spend limit from a rate
// limit, because both are 429; insufficient_quota is the type of the whole family.
var quotaCodes = []string{"insufficient_quota", "credit_balance_exhausted", "organization_spend_limit_exceeded",
	"project_spend_limit_exceeded", "organization_usage_limit_exceeded", "enforced_spend_limit_reached", "billing_hard_limit_reached",
	"billing_not_active"}

func isQuota(f Failure) bool {
	if f.Status == http.StatusPaymentRequired { // OpenRouter: credits are used up
		return true
	}
	if f.Status < 400 || f.Status >= 500 {
		return false
	}
	for _, c := range quotaCodes {
		if strings.EqualFold(f.Code, c) || strings.EqualFold(f.Type, c) {
			return true
		}
	}
	return false
}

// contextTexts are parts of messages about an input that is too long, in lower case: Anthropic, OpenAI, vLLM
// ("This model's maximum context length is …"), Bedrock, LiteLLM, llama.cpp ("exceeds the available context
// size"), SGLang ("longer than the model's context length"), Gemini ("The input token count (N) exceeds the
// maximum number of tokens allowed (M).", https://github.com/google-gemini/gemini-cli/issues/6678), Titan
// ("Too many input tokens").
var contextTexts = []string{"prompt is too long", "exceed context limit", "maximum context length", "input is too long",
	"context window", "contextwindowexceeded", "available context size", "model's context length",
	"exceeds the maximum number of tokens allowed", "too many input tokens"}

func isContextLength(f Failure) bool {
	if f.Code == "context_length_exceeded" || f.Type == "exceed_context_size_error" {
		return true
	}
	switch f.Status {
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return containsAny(f.Message, contextTexts)
	}
	return false
}

// toolTexts are parts of messages that refuse tools, in lower case: Ollama ("\"llama3\" does not support
// tools", https://github.com/ollama/ollama/issues/5793), OpenRouter ("No endpoints found that support tool
// use", https://github.com/mastra-ai/mastra/issues/2839), vLLM ("\"auto\" tool choice requires
// --enable-auto-tool-choice"), llama.cpp ("tools param requires --jinja flag", with status 500), Amazon
// Bedrock ("This model doesn't support tool use"), OpenAI's chat completions for reasoning models ("Function
// tools with reasoning_effort are not supported").
var toolTexts = []string{"not support tool", "n't support tool", "that support tool use", "enable-auto-tool-choice",
	"tools param requires", "not support function call",
	"n't support function call", "tool use is not supported", "tool calling is not supported", "tools are not supported",
	"function calling is not enabled", "function tools with reasoning"}

func isTools(f Failure) bool {
	switch f.Status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusUnprocessableEntity, http.StatusInternalServerError, http.StatusNotImplemented:
		return containsAny(f.Message, toolTexts)
	}
	return false
}

// effortTexts are parts of messages that reject an effort, in lower case. OpenAI, vLLM, Groq and LiteLLM name
// the field; Ollama 0.17.4 says "invalid reasoning value" or "does not support thinking"; Gemini names its own
// fields ("Thinking level is not supported for this model.",
// https://github.com/RooCodeInc/Roo-Code/issues/10700); OpenRouter rejects the effort "none" for models that
// always reason.
var effortTexts = []string{"reasoning_effort", "reasoning.effort", "reasoning effort", "invalid reasoning value",
	"does not support thinking",
	"thinking level", "thinking_level", "thinking budget", "thinking_budget", "thinking mode", "reasoning is mandatory"}

func isEffort(f Failure) bool {
	if f.Effort == EffortDefault || f.Status != http.StatusBadRequest && f.Status != http.StatusUnprocessableEntity {
		return false
	}
	if containsAny(f.Param, effortTexts) || containsAny(f.Message, effortTexts) {
		return true
	}
	// The field may be masked; OpenAI then still quotes the value.
	return f.Code == "unsupported_value" && f.Param == "" && strings.Contains(f.Message, "'"+string(f.Effort)+"'")
}

func containsAny(text string, parts []string) bool {
	text = strings.ToLower(text)
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}

// MaxRetryAfter is the longest wait that a provider can ask for; longer ones are cut to it.
const MaxRetryAfter = time.Hour

// RetryAfter returns how long the provider asks to wait, at most [MaxRetryAfter], or 0 if the headers hold no
// usable time. It prefers retry-after-ms to Retry-After. The latter holds seconds (also with a fraction) or an
// HTTP date, which is compared with the server's own Date so that the clocks need not agree (RFC 9110, section
// 10.2.3; openai-go requestconfig.go).
func RetryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(strings.TrimSpace(h.Get("retry-after-ms")), 64); err == nil {
		return clampWait(ms / 1000)
	}
	raw := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseFloat(raw, 64); err == nil {
		return clampWait(s)
	}
	at, err := http.ParseTime(raw)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return clampWait(at.Sub(now).Seconds())
}

func clampWait(seconds float64) time.Duration {
	if !(seconds > 0) { // also NaN
		return 0
	}
	return time.Duration(min(seconds, MaxRetryAfter.Seconds()) * float64(time.Second))
}

// RequestID returns the provider's id of a call, cleaned and at most 128 bytes; "" if it sent no id.
func RequestID(h http.Header) string {
	for _, name := range []string{"x-request-id", "request-id", "x-amzn-requestid", "apim-request-id", "x-correlation-id"} {
		if id := SafeMessage(h.Get(name)); id != "" {
			return strings.ToValidUTF8(id[:min(len(id), 128)], "")
		}
	}
	return ""
}
