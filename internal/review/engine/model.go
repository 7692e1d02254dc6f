package engine

import (
	"errors"

	"github.com/assay-dev/assay/internal/llm"
)

// temperature is low: the same code should give the same findings.
const temperature = 0.2

// request makes the port's request of a call; key names the calls of one review,
// which begin alike stage by stage. Where an effort is set the model
// reasons, and such models take no temperature.
func request(r Route, key string, p prompted) llm.Request {
	req := llm.Request{Model: r.Model, Effort: r.Effort, MaxOutputTokens: r.MaxOutputTokens, System: p.system, Messages: p.messages, Tools: p.tools,
		CacheKey: key + "_" + p.stage, Schema: &llm.Schema{Name: "assay_" + p.stage, JSON: p.schema}}
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

// finalOfCall reports whether an error concerns one call and would come again:
// other calls of the review may still succeed. A model that is down, a key or
// account that is refused, and a rejected effort concern every call.
func finalOfCall(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && (e.Class == llm.ClassFinal || e.Class == llm.ClassInvalidResponse || e.Class == llm.ClassTools)
}

// maxOutput is the engine's bound of an answer where the route gives none. The
// tokens that a model reasons with count as output.
func maxOutput(e llm.Effort) int {
	switch e {
	case llm.EffortHigh, llm.EffortXHigh, llm.EffortMax:
		return 4 * defaultMaxOutput
	case llm.EffortMedium, llm.EffortLow:
		return 2 * defaultMaxOutput
	}
	return defaultMaxOutput
}
