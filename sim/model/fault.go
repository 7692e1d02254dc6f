package model

import (
	"fmt"
	"slices"
)

// Actions of a fault.
const (
	// Latency waits DelayMS, then answers as usual.
	Latency = "latency"
	// Refuse resets the connection.
	Refuse = "refuse"
	// Hang sends nothing until the client disconnects or the fault is released; the release decides: answer or
	// reset.
	Hang = "hang"
	// HangBody sends the headers and the first half of the answer, then acts like Hang.
	HangBody = "hang_body"
	// BrokenBody sends the headers and the first half of the answer, then resets the connection.
	BrokenBody = "broken_body"
	// Truncated cuts the answer's content in half, as if at the token limit.
	Truncated = "truncated"
	// BrokenOff cuts the answer's content in half, without a reason and without a token count, like Ollama
	// (0.17.4, observed) when a model repeats itself.
	BrokenOff = "broken_off"
	// InvalidJSON answers with a content that is not JSON.
	InvalidJSON = "invalid_json"
	// BadSchema answers with JSON that violates the request's schema.
	BadSchema = "bad_schema"
	// NotAnAnswer sends an HTML page with status 200.
	NotAnAnswer = "not_an_answer"
	// NoChoice sends a completion without choices, or without content in a dialect that has no choices.
	NoChoice = "no_choice"
	// TooLarge sends an answer of SizeBytes (default 16 MiB).
	TooLarge = "too_large"
	// Status answers Status (default 500) with the dialect's error object, or with the unchanged Body.
	Status = "status"
	// Redirect answers 307 to Location.
	Redirect = "redirect"
	// RateLimit answers that there were too many requests, such as 429 rate_limit_exceeded. It sends
	// RetrySeconds as Retry-After in the form RetryForm; 0 sends no header.
	RateLimit = "rate_limit"
	// Quota answers that the credit is used up or missing: 429 insufficient_quota,
	// enforced_spend_limit_reached, 400 ServiceQuotaExceededException.
	Quota = "quota"
	// Unauthorized refuses the key.
	Unauthorized = "unauthorized"
	// ContextLength answers 400 about the length of the input.
	ContextLength = "context_length"
	// RejectEffort answers 400 about the effort. It hits only requests with an effort.
	RejectEffort = "reject_effort"
	// RejectFormat answers 400 about structured output. It hits only requests with a schema.
	RejectFormat = "reject_format"
	// RejectTools answers that the model takes no tools. It hits only requests that offer tools.
	RejectTools = "reject_tools"
	// Overloaded answers that the service is overloaded: 529 overloaded_error of Anthropic, 503 of the others.
	Overloaded = "overloaded"
	// ContextStop answers 200 with the dialect's reason to stop for a full context. OpenAI's dialects lack one
	// and answer like ContextLength.
	ContextStop = "context_stop"
	// Failed answers 200 with a failed Response, with Code (default server_error) and Message; other dialects
	// answer 500.
	Failed = "failed"
	// WrongSize answers vectors of SizeBytes numbers, or of one number more than requested.
	WrongSize = "wrong_size"
	// WrongCount omits the first vector.
	WrongCount = "wrong_count"
)

var actions = []string{Latency, Refuse, Hang, HangBody, BrokenBody, Truncated, BrokenOff, InvalidJSON, BadSchema, NotAnAnswer,
	NoChoice, TooLarge,
	Status, Redirect, RateLimit, Quota, Unauthorized, ContextLength, RejectEffort, RejectFormat, RejectTools, Overloaded, ContextStop,
	Failed, WrongSize, WrongCount}

// Where a fault applies.
const (
	OnChat       = "chat" // completions of every dialect
	OnModels     = "models"
	OnEmbeddings = "embeddings"
	OnAny        = "any"
)

// Forms of Retry-After.
const (
	RetryInSeconds = "seconds"
	RetryAtDate    = "date"
	RetryInMillis  = "ms" // the header retry-after-ms
)

// Decisions of a release.
const (
	Answer = "answer"
	Reset  = "reset"
)

// Fault is a matcher and an action on the requests that it matches. Faults come before rules; the first
// matching fault that is not used up wins.
type Fault struct {
	// ID is chosen by the server if empty.
	ID string `json:"id,omitempty"`
	// On is OnChat if empty.
	On string `json:"on,omitempty"`
	// Match restricts a fault on chat; its Nth is ignored.
	Match Match `json:"match,omitzero"`
	// Nth is the first match to hit, from 1; 0 means 1.
	Nth int `json:"nth,omitempty"`
	// Times is the number of matches to hit from there on; 0 means once, -1 without end.
	Times int `json:"times,omitempty"`
	// Action is one of the constants of this package.
	Action string `json:"action"`
	// DelayMS is the wait before every action.
	DelayMS int64 `json:"delayMs,omitempty"`
	// The other members are parameters of the action: Status is 200 to 599; Message and Code are the error's.
	RetrySeconds int    `json:"retrySeconds,omitempty"`
	RetryForm    string `json:"retryForm,omitempty"`
	Status       int    `json:"status,omitempty"`
	Message      string `json:"message,omitempty"`
	Code         string `json:"code,omitempty"`
	Body         string `json:"body,omitempty"`
	ContentType  string `json:"contentType,omitempty"`
	Location     string `json:"location,omitempty"`
	SizeBytes    int    `json:"sizeBytes,omitempty"`
}

// FaultState is a fault and its effects so far.
type FaultState struct {
	Fault
	// Seen counts matching requests, Hits those with the action applied, Waiting those that are held now.
	Seen     int  `json:"seen"`
	Hits     int  `json:"hits"`
	Waiting  int  `json:"waiting"`
	Released bool `json:"released"`
}

// Check returns an error for the first wrong member.
func (f Fault) Check() error {
	if !slices.Contains(actions, f.Action) {
		return fmt.Errorf("action: must be one of %v", actions)
	}
	if !slices.Contains([]string{"", OnChat, OnModels, OnEmbeddings, OnAny}, f.On) {
		return fmt.Errorf("on: must be %q, %q, %q or %q", OnChat, OnModels, OnEmbeddings, OnAny)
	}
	if !slices.Contains([]string{"", RetryInSeconds, RetryAtDate, RetryInMillis}, f.RetryForm) {
		return fmt.Errorf("retryForm: must be %q, %q or %q", RetryInSeconds, RetryAtDate, RetryInMillis)
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status: must be between 200 and 599")
	}
	if f.Nth < 0 || f.Times < -1 || f.DelayMS < 0 || f.RetrySeconds < 0 || f.SizeBytes < 0 || f.SizeBytes > 64<<20 {
		return fmt.Errorf("nth, delayMs, retrySeconds and sizeBytes (at most 64 MiB) must not be negative; times must be -1 or more")
	}
	if f.Action == Redirect && f.Location == "" {
		return fmt.Errorf("location: is needed for a redirect")
	}
	return f.Match.Check()
}
