package github

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// refusal is the body of GitHub's errors ("basic-error" and "validation-error" in its REST description).
// Errors holds objects or plain strings.
type refusal struct {
	Message          string            `json:"message"`
	DocumentationURL string            `json:"documentation_url"`
	Errors           []json.RawMessage `json:"errors"`
}

type refusalDetail struct {
	Resource, Field, Code, Message, Type string
}

// rules read the answers of GitHub. They check for limits first, because limits have the same statuses as
// refusals.
var rules = wire.Rules{RequestID: "X-Github-Request-Id", Success: success, Limit: limit, Class: classOf,
	Message: func(a wire.Answer) string { return refusalOf(a).text() }}

// refusalOf reads the body of an error. A body that is not JSON has no message.
func refusalOf(a wire.Answer) (r refusal) {
	_ = json.Unmarshal(a.Body, &r)
	return r
}

func success(a wire.Answer) wire.Verdict {
	if isGraphQL(a.Resp.Request) && graphQLLimited(a) {
		d, grow := untilReset(a)
		return wire.Verdict{Block: d, Grow: grow, Err: &codehost.Error{Class: codehost.ClassLimited, Status: a.Resp.StatusCode,
			RetryAfter: d, Message: "GraphQL rate limit"}}
	}
	// The last request of the budget succeeded; GitHub would refuse the next one.
	if isCoreBudget(a.Resp.Header) && a.Resp.Header.Get("X-Ratelimit-Remaining") == "0" {
		if d, ok := resetWait(a.Resp.Header, a.Now); ok {
			return wire.Verdict{Block: d}
		}
	}
	return wire.Verdict{Healthy: true}
}

// isCoreBudget reports whether the answer's numbers belong to the budget that we use.
func isCoreBudget(h http.Header) bool {
	r := h.Get("X-Ratelimit-Resource")
	return r == "" || r == "core"
}

// limit reports whether an answer is a rate limit, and for how long it blocks.
func limit(a wire.Answer) (d time.Duration, grow, limited bool) {
	status, h := a.Resp.StatusCode, a.Resp.Header
	refused := status == http.StatusForbidden || status == http.StatusTooManyRequests
	if refused || status >= 500 {
		if d, ok := wire.RetryAfter(h, a.Now); ok {
			return d, false, true
		}
	}
	if !refused {
		return 0, false, false
	}
	if strings.TrimSpace(h.Get("X-Ratelimit-Remaining")) == "0" {
		d, grow := untilReset(a)
		return d, grow, true
	}
	if status == http.StatusTooManyRequests || h.Get("Retry-After") != "" || refusalOf(a).mentionsLimit(a.Body) {
		return wire.GrowingBlock, true, true
	}
	return 0, false, false
}

// untilReset returns the block until the budget's reset, or a growing block if GitHub does not give the
// time.
func untilReset(a wire.Answer) (time.Duration, bool) {
	if d, ok := wire.RetryAfter(a.Resp.Header, a.Now); ok {
		return d, false
	}
	if d, ok := resetWait(a.Resp.Header, a.Now); ok {
		return d, false
	}
	return wire.GrowingBlock, true
}

// mentionsLimit recognises a secondary limit without headers by its text or the address of its
// documentation (hub4j/github-api#2009; go-github v92, CheckResponse).
func (r refusal) mentionsLimit(body []byte) bool {
	text := r.Message
	if text == "" {
		text = string(body[:min(len(body), 4096)])
	}
	text = strings.ToLower(text)
	for _, s := range []string{"secondary rate limit", "abuse", "rate limit exceeded"} {
		if strings.Contains(text, s) {
			return true
		}
	}
	doc := strings.ToLower(r.DocumentationURL)
	return strings.Contains(doc, "secondary-rate-limit") || strings.Contains(doc, "abuse-rate-limit")
}

func graphQLLimited(a wire.Answer) bool {
	for _, d := range refusalOf(a).details() {
		if strings.EqualFold(d.Type, "RATE_LIMITED") || strings.EqualFold(d.Type, "RATE_LIMIT") {
			return true
		}
	}
	return false
}

// classOf returns the class of an answer that is neither a success nor a limit.
func classOf(a wire.Answer, _ *codehost.Error) codehost.Class {
	status, effect, r := a.Resp.StatusCode, a.Effect, refusalOf(a)
	switch {
	case status == http.StatusNotFound, status == http.StatusGone:
		return codehost.ClassNotFound
	case status >= 300 && status < 400:
		return codehost.ClassMoved
	case status < 500 && r.hasCode("too_large"), status == http.StatusNotAcceptable:
		return codehost.ClassTooLarge
	case status == http.StatusUnprocessableEntity && r.contains("one pending review"):
		return codehost.ClassSlotTaken
	case status == http.StatusUnprocessableEntity && effect && r.contains("body is too long"):
		return codehost.ClassTooLarge
	case status == http.StatusUnprocessableEntity && !effect && r.hasCode("not_available"):
		return codehost.ClassUnavailable // GitHub could not make the diff in time
	}
	return wire.ClassOf(status, effect)
}

func (r refusal) details() []refusalDetail {
	out := make([]refusalDetail, 0, len(r.Errors))
	for _, raw := range r.Errors {
		var d refusalDetail
		if json.Unmarshal(raw, &d) != nil {
			_ = json.Unmarshal(raw, &d.Message)
		}
		out = append(out, d)
	}
	return out
}

func (r refusal) hasCode(code string) bool {
	for _, d := range r.details() {
		if d.Code == code {
			return true
		}
	}
	return false
}

func (r refusal) contains(words string) bool {
	if strings.Contains(strings.ToLower(r.Message), words) {
		return true
	}
	for _, d := range r.details() {
		if strings.Contains(strings.ToLower(d.Message), words) {
			return true
		}
	}
	return false
}

// text joins the message and its details for people. The details name the refused line.
func (r refusal) text() string {
	parts := []string{r.Message}
	for _, d := range r.details() {
		switch {
		case d.Message != "":
			parts = append(parts, d.Message)
		case d.Field != "" || d.Code != "":
			parts = append(parts, strings.TrimSpace(d.Resource+" "+d.Field+" "+d.Code))
		}
	}
	if parts[0] == "" {
		parts = parts[1:]
	}
	return wire.Words(strings.Join(parts, "; "), wire.MaxMessage)
}
