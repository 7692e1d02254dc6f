package ask

import (
	"errors"

	"github.com/assay-dev/assay/internal/llm"
)

// temperature is low, because the same code should yield the same findings.
const temperature = 0.2

// request returns the port's request. key is the cache key of the calls of one review, which begin alike in
// each stage. A route with an effort has no temperature, because reasoning models do not accept one.
func request(r Route, key string, p Question) llm.Request {
	req := llm.Request{Model: r.Model, Effort: r.Effort, MaxOutputTokens: r.MaxOutputTokens,
		System: p.System, Messages: p.Messages, Tools: p.tools,
		CacheKey: key + "_" + p.Stage, Schema: &llm.Schema{Name: "assay_" + p.Stage, JSON: p.Schema}}
	if r.Effort == llm.EffortDefault {
		t := temperature
		req.Temperature = &t
	}
	return req
}

// tooLong reports whether the provider refused the length of the input.
func tooLong(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == llm.ClassContextLength
}

// IsFinal reports whether an error concerns one call and would recur, so that other calls may still
// succeed. A model that is down, a refused key or account, and a refused effort concern every call.
func IsFinal(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && (e.Class == llm.ClassFinal || e.Class == llm.ClassInvalidResponse || e.Class == llm.ClassTools)
}

// maxOutput returns the token limit of an answer on a route without one. Tokens of reasoning count as output.
func maxOutput(e llm.Effort) int {
	switch e {
	case llm.EffortHigh, llm.EffortXHigh, llm.EffortMax:
		return 4 * DefaultMaxOutput
	case llm.EffortMedium, llm.EffortLow:
		return 2 * DefaultMaxOutput
	}
	return DefaultMaxOutput
}

// IsEffortRefused reports whether a provider refused the reasoning effort, which ends a review.
func IsEffortRefused(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == llm.ClassEffort
}
