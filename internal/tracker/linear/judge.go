package linear

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/tracker"
	"github.com/assay-dev/assay/internal/tracker/wire"
)

// refusal is an entry of "errors". type has the words of LinearErrorType. code is a newer addition
// (linear.app/developers/rate-limiting: RATELIMITED).
type refusal struct {
	Message    string `json:"message"`
	Extensions struct {
		Type    string `json:"type"`
		Code    string `json:"code"`
		Message string `json:"userPresentableMessage"`
	} `json:"extensions"`
}

// judge implements [wire.Judge]. Refusals have status 200 or 400, and the first entry of their body decides
// the class.
func judge(c wire.Call, a wire.Answer, err *tracker.Error) *tracker.Error {
	var body struct {
		Errors []refusal `json:"errors"`
	}
	if wire.IsPage(a) || json.Unmarshal(a.Body, &body) != nil || len(body.Errors) == 0 {
		return err
	}
	r := body.Errors[0]
	e := &tracker.Error{Class: classOf(r, c), Op: c.Op, Status: a.Status, RequestID: wire.RequestID(a.Header),
		Message: wire.ErrorText(r.Message)}
	if r.Extensions.Message != "" && !strings.Contains(r.Message, r.Extensions.Message) {
		e.Message = wire.ErrorText(r.Message + ": " + r.Extensions.Message)
	}
	if a.Status == http.StatusTooManyRequests {
		e.Class = tracker.ClassLimited
	}
	if a.Status == http.StatusUnauthorized {
		e.Class = tracker.ClassForbidden
	}
	if e.Class == tracker.ClassLimited {
		e.RetryAfter = limitDuration(a.Header, time.Now())
	}
	return e
}

func classOf(r refusal, c wire.Call) tracker.Class {
	said := strings.ToLower(r.Extensions.Type + " " + strings.ReplaceAll(r.Extensions.Code, "_", " "))
	has := func(words string) bool { return strings.Contains(said, words) }
	switch {
	case has("ratelimited"):
		return tracker.ClassLimited
	case has("authentication error"), has("forbidden"), has("feature not accessible"):
		return tracker.ClassForbidden
	case strings.HasPrefix(r.Message, "Entity not found"):
		return tracker.ClassNotFound
	case has("internal error"), has("internal server error"), has("lock timeout"), has("network error"), has("bootstrap error"):
		if c.Effect {
			return tracker.ClassAmbiguous
		}
		return tracker.ClassUnavailable
	}
	return tracker.ClassInvalid
}

// resets are prefixes of two headers each: Reset has the end of a limit in milliseconds since 1970, and
// Remaining the rest of its budget (linear.app/developers/rate-limiting).
var resets = []string{"X-Ratelimit-Requests-", "X-Ratelimit-Complexity-", "X-Ratelimit-Endpoint-Requests-"}

// limitDuration returns the duration of a limit: from Retry-After, else until the last reset of an exhausted limit,
// else a minute.
func limitDuration(h http.Header, now time.Time) time.Duration {
	if d, ok := outbound.RetryAfter(h, now); ok {
		return d
	}
	wait := time.Duration(0)
	for _, name := range resets {
		ms, err := strconv.ParseInt(h.Get(name+"Reset"), 10, 64)
		if err == nil && h.Get(name+"Remaining") == "0" {
			wait = max(wait, outbound.Until(time.UnixMilli(ms), outbound.ServerNow(h, now)))
		}
	}
	if wait == 0 {
		return time.Minute
	}
	return wait
}
