package connect_test

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/sim/model"
)

// fate is the outcome of a review.
type fate int

const (
	// reviewed: the model found the defect and confirmed it.
	reviewed fate = iota
	// unverified: the model found the defect, and the finding is in the summary as unproven.
	unverified
	// tooLong: no part of the change fits into the context of the model.
	tooLong
	// unread: no part of the change was reviewed, and asking again does not help.
	unread
	// refused: the provider refuses every call, and the review continues at once without the model.
	refused
	// gaveUp: the job was put off until the time for models was over, then as refused. If the verifying model
	// is the one that is down, findings stand unverified.
	gaveUp
	// rejected: the review fails with the provider's own message, even if checks found something.
	rejected
)

// modelFault is a fault of a provider and its effect on a review when it hits the model of a tier. The fast
// model only summarises descriptions, and a review can do without it.
type modelFault struct {
	fault                  model.Fault
	fast, standard, strong fate
	least                  int // requests to the model
}

const forGood = -1

// modelFaults is the table. It is repeated for people in docs/models/faults.md.
var modelFaults = map[string]modelFault{
	"slow":                                     {model.Fault{Action: model.Latency, DelayMS: 1}, reviewed, reviewed, reviewed, 1},
	"connection reset, once":                   {model.Fault{Action: model.Refuse}, reviewed, reviewed, reviewed, 2},
	"connection reset, always":                 {model.Fault{Action: model.Refuse, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"hangs, once":                              {model.Fault{Action: model.Hang}, reviewed, reviewed, reviewed, 2},
	"hangs, always":                            {model.Fault{Action: model.Hang, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"hangs in the answer, once":                {model.Fault{Action: model.HangBody}, reviewed, reviewed, reviewed, 2},
	"hangs in the answer, always":              {model.Fault{Action: model.HangBody, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"breaks off, once":                         {model.Fault{Action: model.BrokenBody}, reviewed, reviewed, reviewed, 2},
	"breaks off, always":                       {model.Fault{Action: model.BrokenBody, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"overloaded, once":                         {model.Fault{Action: model.Overloaded}, reviewed, reviewed, reviewed, 2},
	"overloaded, always":                       {model.Fault{Action: model.Overloaded, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"rate limit, once":                         {model.Fault{Action: model.RateLimit}, reviewed, reviewed, reviewed, 2},
	"rate limit, always":                       {model.Fault{Action: model.RateLimit, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"rate limit, pause of a second":            {model.Fault{Action: model.RateLimit, RetrySeconds: 1}, reviewed, reviewed, reviewed, 2},
	"rate limit, pause of a second, as a date": {model.Fault{Action: model.RateLimit, RetrySeconds: 1, RetryForm: model.RetryAtDate}, reviewed, reviewed, reviewed, 2},
	"rate limit, long pause":                   {model.Fault{Action: model.RateLimit, RetrySeconds: 600, Times: forGood}, reviewed, gaveUp, unverified, 1},
	"status 500, once":                         {model.Fault{Action: model.Status}, reviewed, reviewed, reviewed, 2},
	"status 500, always":                       {model.Fault{Action: model.Status, Times: forGood}, reviewed, gaveUp, unverified, 2},
	"failed in its answer, once":               {model.Fault{Action: model.Failed}, reviewed, reviewed, reviewed, 1},
	"quota":                                    {model.Fault{Action: model.Quota, Times: forGood}, reviewed, refused, unverified, 1},
	"key refused":                              {model.Fault{Action: model.Unauthorized, Times: forGood}, reviewed, refused, unverified, 1},
	"context length":                           {model.Fault{Action: model.ContextLength, Times: forGood}, reviewed, tooLong, unverified, 1},
	"context length, as a reason to stop":      {model.Fault{Action: model.ContextStop, Times: forGood}, reviewed, tooLong, unverified, 1},
	"effort refused":                           {model.Fault{Action: model.RejectEffort, Times: forGood}, rejected, rejected, rejected, 1},
	"structured output refused":                {model.Fault{Action: model.RejectFormat, Times: forGood}, reviewed, reviewed, reviewed, 1}, // Chat Completions ask for none beside tools
	"tools refused":                            {model.Fault{Action: model.RejectTools, Times: forGood}, reviewed, reviewed, reviewed, 1},
	"not an answer":                            {model.Fault{Action: model.NotAnAnswer, Times: forGood}, reviewed, refused, unverified, 1},
	"no choice":                                {model.Fault{Action: model.NoChoice, Times: forGood}, reviewed, refused, unverified, 1},
	"too large":                                {model.Fault{Action: model.TooLarge, Times: forGood}, reviewed, refused, unverified, 1},
	"cut off, once":                            {model.Fault{Action: model.Truncated}, reviewed, reviewed, unverified, 1},
	"cut off, always":                          {model.Fault{Action: model.Truncated, Times: forGood}, reviewed, unread, unverified, 1},
	"broken off, once":                         {model.Fault{Action: model.BrokenOff}, reviewed, reviewed, reviewed, 1},
	"broken off, always":                       {model.Fault{Action: model.BrokenOff, Times: forGood}, reviewed, unread, unverified, 1},
	"not JSON, once":                           {model.Fault{Action: model.InvalidJSON}, reviewed, reviewed, reviewed, 1},
	"not JSON, always":                         {model.Fault{Action: model.InvalidJSON, Times: forGood}, reviewed, unread, unverified, 1},
	"not the schema, once":                     {model.Fault{Action: model.BadSchema}, reviewed, reviewed, reviewed, 1},
	"not the schema, always":                   {model.Fault{Action: model.BadSchema, Times: forGood}, reviewed, unread, unverified, 1},
	"redirect":                                 {model.Fault{Action: model.Redirect, Location: "https://elsewhere.example.com/", Times: forGood}, reviewed, refused, unverified, 1},
	"no such model":                            {model.Fault{Action: model.Status, Status: 404, Message: "no such model", Times: forGood}, reviewed, refused, unverified, 1},
	"bad request":                              {model.Fault{Action: model.Status, Status: 400, Message: "bad words", Times: forGood}, reviewed, refused, unverified, 1},
}

// anyKind is the key of texts that are the same for all kinds.
const anyKind = ""

// words has the text of the run about a fault, by kind of key. It is the provider's message if there is one.
var words = map[string]map[string]string{
	"connection reset, always":    {anyKind: "The endpoint could not be reached."},
	"hangs, always":               {anyKind: "The endpoint did not answer in time."},
	"hangs in the answer, always": {anyKind: "The endpoint did not answer in time."},
	"breaks off, always":          {anyKind: "The answer of the endpoint broke off."},
	"overloaded, always": {anyKind: "That model is currently overloaded with other requests. (HTTP 503)", catalog.Anthropic: "Overloaded (HTTP 529)",
		catalog.Bedrock: "Bedrock is unable to process your request. (HTTP 503)"},
	"rate limit, always":     limit,
	"rate limit, long pause": limit,
	"status 500, always": {anyKind: "The server had an error while processing your request. Sorry about that! (HTTP 500)", catalog.Anthropic: "Internal server error (HTTP 500)",
		catalog.Bedrock: "The system encountered an unexpected error during processing. Try your request again. (HTTP 500)"},
	"quota": {anyKind: "You exceeded your current quota, please check your plan and billing details. (HTTP 429)", catalog.Anthropic: "Your organization has reached its enforced spend limit. (HTTP 429)",
		catalog.Bedrock: "Your request exceeds the service quota for your account. (HTTP 400)"},
	"key refused": {anyKind: "Incorrect API key provided: sim-****. You can find your API key in the settings of your account. (HTTP 401)",
		catalog.Azure:   "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource. (HTTP 401)",
		catalog.Mistral: "Unauthorized (HTTP 401)", catalog.Anthropic: "invalid x-api-key (HTTP 401)", catalog.Bedrock: "Authentication failed: Please make sure your API Key is valid. (HTTP 403)"},
	"not an answer": {catalog.OpenAI: "The answer of the endpoint is not a response in JSON. Check the base URL. (HTTP 200)", catalog.Azure: "The answer of the endpoint is not a response in JSON. Check the base URL. (HTTP 200)",
		catalog.Anthropic: "The answer of the endpoint is not a message in JSON. (HTTP 200)", catalog.Bedrock: "The answer of the endpoint is not a Converse answer in JSON. (HTTP 200)",
		anyKind: "The answer of the endpoint is not a chat completion in JSON. Check the base URL. (HTTP 200)"},
	"no choice":     {catalog.Compatible: "The answer of the endpoint holds no choice. (HTTP 200)", catalog.Mistral: "The answer of the endpoint holds no choice. (HTTP 200)"},
	"too large":     {anyKind: "The answer of the endpoint is larger than allowed."},
	"redirect":      {anyKind: "The endpoint answered with a redirect, which is not followed. Check the base URL. (HTTP 307)"},
	"no such model": {anyKind: "no such model (HTTP 404)"},
	"bad request":   {anyKind: "bad words (HTTP 400)"},
	"effort refused": {anyKind: "Unsupported value: 'low' is not supported with the '$MODEL' model. Supported values are: 'none', 'minimal', 'medium', 'high', 'xhigh', 'max'.",
		catalog.Anthropic: "This model does not support effort level 'low'. Supported levels: none, minimal, medium, high, xhigh, max.",
		catalog.Bedrock:   "The model returned the following errors: This model does not support effort level 'low'. Supported levels: none, minimal, medium, high, xhigh, max."},
}

var limit = map[string]string{anyKind: "Rate limit reached for this model on requests per min (RPM): Limit 3, Used 3, Requested 1. (HTTP 429)",
	catalog.Anthropic: "This request would exceed your organization's rate limit of 50 requests per minute. (HTTP 429)",
	catalog.Bedrock:   "Too many requests, please wait before trying again. (HTTP 429)"}

// TestModelFaults reviews one pull request for each fault with each kind of key, with each tier, and with a
// secret in the change. On PostgreSQL it reviews one for each fault. It compares the outcome literally: the
// state of the run with its reason, or the text of the one review on the host.
//
// The codec of a kind recognises a fault, and the tier decides its effect, independently of each other. With
// ASSAY_FAULTS=all, as in make nightly, every fault hits every tier with every kind of key, on both engines.
func TestModelFaults(t *testing.T) {
	t.Parallel()
	if os.Getenv("ASSAY_FAULTS") == "all" {
		storetest.Both.Each(t, func(t *testing.T, s *store.Store) { newReviews(t, s).run(faultCases(everyFault)) })
		return
	}
	t.Run("by kind, by tier, with a secret", func(t *testing.T) { newReviews(t, storetest.SQLite(t)).run(faultCases(faultByKindAndByTier)) })
	t.Run("on the other engine", func(t *testing.T) { newReviews(t, storetest.Postgres(t)).run(faultCases(faultOnce)) })
}

var keyKinds = []string{catalog.OpenAI, catalog.Azure, catalog.Anthropic, catalog.Mistral, catalog.Bedrock, catalog.Compatible}

// faultCase is a model that a fault hits, by tier and kind, and the change under review.
type faultCase struct{ tier, kind, head string }

func everyFault(yield func(faultCase)) {
	for _, tier := range domain.RequiredTiers() {
		for _, kind := range keyKinds {
			yield(faultCase{tier, kind, storetest.SHA("bug")})
		}
		yield(faultCase{tier, catalog.Compatible, leaky})
	}
}

func faultByKindAndByTier(yield func(faultCase)) {
	for _, kind := range keyKinds {
		yield(faultCase{"standard", kind, storetest.SHA("bug")})
	}
	for _, tier := range domain.RequiredTiers() {
		if tier != "standard" { // the loop above tested this kind there
			yield(faultCase{tier, catalog.Compatible, storetest.SHA("bug")})
		}
	}
	yield(faultCase{"standard", catalog.Compatible, leaky})
}

func faultOnce(yield func(faultCase)) {
	yield(faultCase{"standard", catalog.Compatible, storetest.SHA("bug")})
}

// faultCases returns reviews for every fault in the given cases.
func faultCases(cases func(yield func(faultCase))) (all []*modelCase) {
	for _, name := range slices.Sorted(maps.Keys(modelFaults)) {
		f := modelFaults[name]
		cases(func(c faultCase) {
			what := map[bool]string{false: "bug", true: "bug and secret"}[c.head == leaky]
			all = append(all, &modelCase{name: strings.Join([]string{c.kind, name, c.tier, what}, "/"), kind: c.kind, head: c.head, tier: c.tier, fault: f.fault, least: f.least,
				want: f.of(c.tier).outcome(saidOf(name, c.kind), c.head == leaky)})
		})
	}
	return all
}

// of returns the fate if the fault hits a tier.
func (f modelFault) of(tier string) fate {
	return map[string]fate{"fast": f.fast, "standard": f.standard, "strong": f.strong}[tier]
}

func saidOf(fault, kind string) string {
	if says := words[fault][kind]; says != "" {
		return says
	}
	return words[fault][anyKind]
}

// outcome describes the fate in full. says is the provider's message, and secret reports whether the change
// has a secret.
func (f fate) outcome(says string, secret bool) string {
	nothingUsable := "the model gave no usable answer (0 of 1 parts of the change)"
	if f == tooLong {
		f, nothingUsable = unread, "the change is too long for the model's context (0 of 1 parts)"
	}
	switch {
	case f == reviewed:
		return published("complete", "confirmed, inline", secret)
	case f == unverified:
		return published("partial", "unproven, summary", secret) + "; The model's review is incomplete: 0 of 1 groups of findings were verified."
	case f == rejected:
		return "failed with 0 reviews: the model provider rejected the reasoning effort: " + says
	case f == unread, f == refused && says == "": // a valid answer without content
		if secret {
			return published("unavailable", "", secret) + "; Only deterministic checks ran: " + nothingUsable + "."
		}
		return "failed with 0 reviews: " + nothingUsable + ", and the deterministic checks found nothing"
	case secret:
		return published("unavailable", "", secret) + "; Only deterministic checks ran: the model was unavailable."
	case f == gaveUp:
		says = "it did not answer within " + window.String() + "; last it said: " + says
	}
	return "failed with 0 reviews: the model was unavailable, and the deterministic checks found nothing: " + says
}

// published describes a review with the model's finding ("" if there is none) and the secret.
func published(state, finding string, secret bool) string {
	parts := []string{"completed", "model " + state}
	if finding != "" {
		parts = append(parts, finding)
	}
	if secret {
		parts = append(parts, "secret, inline")
	}
	return strings.Join(parts, "; ")
}
