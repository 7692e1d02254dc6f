package connect_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// outcome is what a review came to, in the words of the table in docs/models.md:
// the job waits and comes back, the review fails with the provider's words, or
// it goes on with deterministic checks only.
func outcome(r engine.Result, err error) string {
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case err != nil && !ok:
		return "error: " + err.Error()
	case ok && e.Class == llm.ClassEffort:
		return "fails: " + e.ProviderMessage
	case ok && e.Retryable():
		return "waits: " + e.ProviderMessage
	case ok:
		return "degrades: " + e.ProviderMessage
	}
	verdict := "none"
	if len(r.Findings) > 0 {
		verdict = string(r.Findings[0].Verdict)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s, %s, %s", r.ModelState, verdict, r.ModelNote), ", ")
}

// Each fault on each tier: what a review of a small change comes to. It is found
// by standard and verified by strong; fast is not called by reviews.
func TestFaultsOfModels(t *testing.T) {
	t.Parallel()
	s := storetest.SQLite(t)
	const (
		good       = "complete, confirmed"
		unread     = "unavailable, none, the model gave no usable answer (0 of 1 parts of the change)"
		unverified = "partial, unproven, 0 of 1 groups of findings were verified"
	)
	for name, tc := range map[string]struct {
		fault            model.Fault
		standard, strong string
	}{
		"slow":                         {model.Fault{Action: model.Latency, DelayMS: 1}, good, good},
		"connection reset, once":       {model.Fault{Action: model.Refuse}, good, good},
		"connection reset, always":     {model.Fault{Action: model.Refuse, Times: -1}, "waits: The endpoint could not be reached.", "waits: The endpoint could not be reached."},
		"hangs, once":                  {model.Fault{Action: model.Hang}, good, good},
		"hangs, always":                {model.Fault{Action: model.Hang, Times: -1}, "waits: The endpoint did not answer in time.", "waits: The endpoint did not answer in time."},
		"hangs in the answer, once":    {model.Fault{Action: model.HangBody}, good, good},
		"hangs in the answer, always":  {model.Fault{Action: model.HangBody, Times: -1}, "waits: The endpoint did not answer in time.", "waits: The endpoint did not answer in time."},
		"breaks off, once":             {model.Fault{Action: model.BrokenBody}, good, good},
		"overloaded, once":             {model.Fault{Action: model.Overloaded}, good, good},
		"rate limit, once":             {model.Fault{Action: model.RateLimit}, good, good},
		"rate limit, always":           {model.Fault{Action: model.RateLimit, Times: -1}, "waits: Rate limit reached for this model on requests per min (RPM): Limit 3, Used 3, Requested 1.", "waits: Rate limit reached for this model on requests per min (RPM): Limit 3, Used 3, Requested 1."},
		"status 500, once":             {model.Fault{Action: model.Status}, good, good},
		"status 500, always":           {model.Fault{Action: model.Status, Times: -1}, "waits: The server had an error while processing your request. Sorry about that!", "waits: The server had an error while processing your request. Sorry about that!"},
		"rate limit with a long pause": {model.Fault{Action: model.RateLimit, RetrySeconds: 30, Times: -1}, "waits: Rate limit reached for this model on requests per min (RPM): Limit 3, Used 3, Requested 1.", "waits: Rate limit reached for this model on requests per min (RPM): Limit 3, Used 3, Requested 1."},
		"quota":                        {model.Fault{Action: model.Quota, Times: -1}, "degrades: You exceeded your current quota, please check your plan and billing details.", "degrades: You exceeded your current quota, please check your plan and billing details."},
		"key refused":                  {model.Fault{Action: model.Unauthorized, Times: -1}, "degrades: Incorrect API key provided: sim-****. You can find your API key in the settings of your account.", "degrades: Incorrect API key provided: sim-****. You can find your API key in the settings of your account."},
		"context length":               {model.Fault{Action: model.ContextLength, Times: -1}, unread, unverified},
		"effort refused":               {model.Fault{Action: model.RejectEffort, Times: -1}, "fails: Unsupported value: 'low' is not supported with the 'sim-standard' model. Supported values are: 'none', 'minimal', 'medium', 'high', 'xhigh', 'max'.", "fails: Unsupported value: 'low' is not supported with the 'sim-strong' model. Supported values are: 'none', 'minimal', 'medium', 'high', 'xhigh', 'max'."},
		"structured output refused":    {model.Fault{Action: model.RejectFormat, Times: -1}, good, good},
		"not an answer":                {model.Fault{Action: model.NotAnAnswer, Times: -1}, "degrades: The answer of the endpoint is not a chat completion in JSON. Check the base URL.", unverified},
		"no choice":                    {model.Fault{Action: model.NoChoice, Times: -1}, "degrades: The answer of the endpoint holds no choice.", unverified},
		"too large":                    {model.Fault{Action: model.TooLarge, Times: -1}, "degrades: The answer of the endpoint is larger than allowed.", unverified},
		"cut off":                      {model.Fault{Action: model.Truncated, Times: -1}, unread, unverified},
		"not JSON":                     {model.Fault{Action: model.InvalidJSON, Times: -1}, unread, unverified},
		"not the schema":               {model.Fault{Action: model.BadSchema, Times: -1}, unread, unverified},
		"not JSON, once":               {model.Fault{Action: model.InvalidJSON}, good, good},
		"cut off, once":                {model.Fault{Action: model.Truncated}, unread, unverified},
		"redirect":                     {model.Fault{Action: model.Redirect, Location: "https://elsewhere.example.com/", Times: -1}, "degrades: The endpoint answered with a redirect, which is not followed. Check the base URL.", unverified},
		"no such model":                {model.Fault{Action: model.Status, Status: 404, Code: "model_not_found", Message: "no such model", Times: -1}, "degrades: no such model", unverified},
		"bad request":                  {model.Fault{Action: model.Status, Status: 400, Message: "bad words", Times: -1}, "degrades: bad words", unverified},
	} {
		for tier, want := range map[string]string{"fast": good, "standard": tc.standard, "strong": tc.strong} {
			t.Run(name+"/"+tier, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, s, model.Options{Rules: finds()})
				w.route("low", domain.ModelPolicy{})
				tc.fault.Match.Model = "sim-" + tier
				_, err := w.sim.SetFault(tc.fault)
				testkit.OK(t, err)
				got := outcome(w.review())
				if strings.HasPrefix(want, "waits: ") && got == "waits: The endpoint has failed repeatedly or asked for a pause; calls wait." {
					return // the pauses between the tries are random: some runs try so often that the breaker opens
				}
				testkit.Equal(t, "outcome", got, want)
			})
		}
	}
}
