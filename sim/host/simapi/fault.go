package simapi

import (
	"fmt"
	"regexp"
	"slices"
)

// Actions of a fault.
const (
	// Latency waits DelayMS, then goes on as usual.
	Latency = "latency"
	// Refuse resets the connection; nothing is applied.
	Refuse = "refuse"
	// ApplyThenStatus applies and answers Status (default 500) with a JSON error.
	ApplyThenStatus = "apply_then_status"
	// ApplyThenReset applies and resets the connection.
	ApplyThenReset = "apply_then_reset"
	// ApplyThenHang applies and never answers, until the client disconnects or the fault is released.
	ApplyThenHang = "apply_then_hang"
	// ApplyLate never answers (or answers Status at once if it is set). The request is applied after DelayMS,
	// or on release if DelayMS is 0, even if the client has disconnected.
	ApplyLate = "apply_late"
	// Hold waits for the release of the fault before it does anything, even if the client disconnects. The
	// release decides: apply (and answer, if the client is still connected), drop, or reset (apply, but reset
	// the connection).
	Hold = "hold"
	// ListLag applies and answers, but lists lack the written objects for DelayMS, or until release if 0.
	ListLag = "list_lag"
	// Respond answers Status, Headers and Body; nothing is applied.
	Respond = "respond"
	// SecondaryRetryAfter answers 403 (or Status) with Retry-After in seconds.
	SecondaryRetryAfter = "secondary_retry_after"
	// SecondaryRetryDate answers 403 (or Status) with Retry-After as an HTTP date.
	SecondaryRetryDate = "secondary_retry_date"
	// SecondaryBodyOnly answers 403 (or Status) with the secondary-limit text and no header.
	SecondaryBodyOnly = "secondary_body_only"
	// PrimaryLimit answers 403 (or Status) with x-ratelimit-remaining 0 and x-ratelimit-reset RetrySeconds ahead.
	PrimaryLimit = "primary_limit"
	// Forbidden answers 403 "Resource not accessible by integration".
	Forbidden = "forbidden"
	// GraphQLRateLimited answers 200 with an error of type RATE_LIMITED.
	GraphQLRateLimited = "graphql_rate_limited"
)

var actions = []string{Latency, Refuse, ApplyThenStatus, ApplyThenReset, ApplyThenHang, ApplyLate, Hold, ListLag, Respond,
	SecondaryRetryAfter, SecondaryRetryDate, SecondaryBodyOnly, PrimaryLimit, Forbidden, GraphQLRateLimited}

// Decisions of a release about held requests: apply, drop, or apply and reset the connection.
const (
	Apply = "apply"
	Drop  = "drop"
	Reset = "reset"
)

// Fault is a matcher and an action on the requests that it matches. The first matching fault that is not used
// up wins.
type Fault struct {
	// ID is chosen by the server if empty.
	ID string `json:"id,omitempty"`
	// Method is the HTTP method; empty matches all, "WRITE" every method but GET and HEAD.
	Method string `json:"method,omitempty"`
	// Path is a regular expression on the path without the prefix of the REST interface (such as /api/v3); empty matches all.
	Path string `json:"path,omitempty"`
	// Body is a regular expression on the request body; empty matches all.
	Body string `json:"body,omitempty"`
	// Actor restricts to one authenticated login.
	Actor string `json:"actor,omitempty"`
	// Nth is the first match to hit, counted from 1; 0 means 1.
	Nth int `json:"nth,omitempty"`
	// Times is the number of matches to hit from there on; 0 means once, -1 without end.
	Times int `json:"times,omitempty"`
	// Action is one of the constants of this package.
	Action string `json:"action"`
	// DelayMS, RetrySeconds, Status, Headers and Body parametrise the action.
	DelayMS      int64             `json:"delayMs,omitempty"`
	RetrySeconds int               `json:"retrySeconds,omitempty"`
	Status       int               `json:"status,omitempty"`
	Headers      map[string]string `json:"headers,omitempty"`
	ReplyBody    string            `json:"replyBody,omitempty"`
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

// Check returns an error for the first wrong field.
func (f Fault) Check() error {
	if !slices.Contains(actions, f.Action) {
		return fmt.Errorf("action: must be one of %v", actions)
	}
	if _, err := regexp.Compile(f.Path); err != nil {
		return fmt.Errorf("path: must be a regular expression")
	}
	if _, err := regexp.Compile(f.Body); err != nil {
		return fmt.Errorf("body: must be a regular expression")
	}
	if f.Status != 0 && (f.Status < 200 || f.Status > 599) {
		return fmt.Errorf("status: must be between 200 and 599")
	}
	if f.DelayMS < 0 || f.RetrySeconds < 0 || f.Nth < 0 || f.Times < -1 {
		return fmt.Errorf("delayMs, retrySeconds and nth must not be negative; times must be -1 or more")
	}
	return nil
}

// Actions of a delivery fault.
const (
	// Duplicate sends Copies extra copies (same GUID) at the same time.
	Duplicate = "duplicate"
	// HoldDelivery keeps the delivery back until the fault is released; later ones overtake it.
	HoldDelivery = "hold"
	// DropDelivery records the delivery as failed without sending it.
	DropDelivery = "drop"
)

// DeliveryFault changes how matching webhook deliveries are sent.
type DeliveryFault struct {
	ID string `json:"id,omitempty"`
	// Event and EventAction match exactly; empty matches all. Events have the host's names; for a Gitea they
	// are its event types.
	Event       string `json:"event,omitempty"`
	EventAction string `json:"eventAction,omitempty"`
	Action      string `json:"action"`
	Copies      int    `json:"copies,omitempty"`
	// Times is the number of deliveries to hit; 0 means once, -1 without end.
	Times int `json:"times,omitempty"`
}

// Check returns an error for the first wrong field.
func (f DeliveryFault) Check() error {
	if f.Action != Duplicate && f.Action != HoldDelivery && f.Action != DropDelivery {
		return fmt.Errorf("action: must be %q, %q or %q", Duplicate, HoldDelivery, DropDelivery)
	}
	if f.Copies < 0 || f.Copies > 1000 || f.Times < -1 {
		return fmt.Errorf("copies: must be between 0 and 1000; times: -1 or more")
	}
	return nil
}
