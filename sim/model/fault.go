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
	// Hang sends nothing until the client goes, or the fault is released: the release says answer or reset.
	Hang = "hang"
	// HangBody sends the headers and the first half of the answer, then as Hang.
	HangBody = "hang_body"
	// BrokenBody sends the headers and the first half of the answer, then resets the connection.
	BrokenBody = "broken_body"
	// Truncated cuts the answer's content in half, as if at the limit of tokens.
	Truncated = "truncated"
	// BrokenOff cuts the answer's content in half and gives no reason and counts no tokens, as Ollama (0.17.4, observed) does where a
	// model repeats itself.
	BrokenOff = "broken_off"
	// InvalidJSON answers with a content that is not JSON.
	InvalidJSON = "invalid_json"
	// BadSchema answers with a content that is JSON but not by the request's schema.
	BadSchema = "bad_schema"
	// NotAnAnswer sends an HTML page with status 200.
	NotAnAnswer = "not_an_answer"
	// NoChoice sends a completion without choices, or without content where a dialect has no choices.
	NoChoice = "no_choice"
	// TooLarge sends an answer of SizeBytes (default 16 MiB).
	TooLarge = "too_large"
	// Status answers Status (default 500) with the dialect's error object, or Body as it is.
	Status = "status"
	// Redirect answers 307 to Location.
	Redirect = "redirect"
	// RateLimit answers that there were too many requests, such as 429 rate_limit_exceeded. RetrySeconds goes into Retry-After as RetryForm says; 0 sends no header.
	RateLimit = "rate_limit"
	// Quota answers that there is no credit, or none for this account: 429 insufficient_quota, enforced_spend_limit_reached, 400
	// ServiceQuotaExceededException.
	Quota = "quota"
	// Unauthorized refuses the key.
	Unauthorized = "unauthorized"
	// ContextLength answers 400 about the length of the input.
	ContextLength = "context_length"
	// RejectEffort answers 400 about the effort. It hits only requests that set an effort.
	RejectEffort = "reject_effort"
	// RejectFormat answers 400 about structured output. It hits only requests that ask for a schema.
	RejectFormat = "reject_format"
	// RejectTools answers that the model takes no tools. It hits only requests that offer some.
	RejectTools = "reject_tools"
	// Overloaded answers that there is no room: 529 overloaded_error of Anthropic, 503 of the others.
	Overloaded = "overloaded"
	// ContextStop answers 200 with the dialect's reason to stop for a full context; OpenAI's dialects have none and answer as
	// ContextLength.
	ContextStop = "context_stop"
	// Failed answers 200 with a Response that has failed, with Code (default server_error) and Message; other dialects answer
	// 500.
	Failed = "failed"
	// WrongSize answers vectors of SizeBytes numbers, or of one more than asked for.
	WrongSize = "wrong_size"
	// WrongCount leaves out the first vector.
	WrongCount = "wrong_count"
)

var actions = []string{Latency, Refuse, Hang, HangBody, BrokenBody, Truncated, BrokenOff, InvalidJSON, BadSchema, NotAnAnswer, NoChoice, TooLarge,
	Status, Redirect, RateLimit, Quota, Unauthorized, ContextLength, RejectEffort, RejectFormat, RejectTools, Overloaded, ContextStop, Failed, WrongSize, WrongCount}

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

// Fault is a matcher and what happens to the requests that it matches. Faults come before rules; the first that matches
// and is not used up wins.
type Fault struct {
	// ID is chosen by the server when empty.
	ID string `json:"id,omitempty"`
	// On is OnChat when empty.
	On string `json:"on,omitempty"`
	// Match restricts a fault on chat; its Nth is not used.
	Match Match `json:"match,omitzero"`
	// Nth is the first match that is hit, from 1; 0 is 1.
	Nth int `json:"nth,omitempty"`
	// Times is how many matches are hit from there on; 0 means once, -1 without end.
	Times int `json:"times,omitempty"`
	// Action is one of the constants of this package.
	Action string `json:"action"`
	// DelayMS is waited first, with every action.
	DelayMS int64 `json:"delayMs,omitempty"`
	// The rest parametrises the action: Status is 200 to 599, Message and Code are the error's.
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

// FaultState is a fault and what it did so far.
type FaultState struct {
	Fault
	// Seen counts matching requests, Hits those that the action was done to, Waiting those that are held now.
	Seen     int  `json:"seen"`
	Hits     int  `json:"hits"`
	Waiting  int  `json:"waiting"`
	Released bool `json:"released"`
}

// Check reports the first member that is wrong.
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
