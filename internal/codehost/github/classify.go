package github

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// growingBlock is the first block where the host says "limit" but not how long;
// the gate doubles it each time.
const growingBlock = time.Minute

// maxMessage caps the host's words in an error, in characters.
const maxMessage = 500

// answer is what came of one request.
type answer struct {
	resp    *http.Response // nil where there was none
	body    []byte
	err     error // of sending, or of reading the answer
	sent    bool
	effect  bool
	graphql bool
	now     time.Time
}

// verdict is what an answer means.
type verdict struct {
	err     *codehost.Error // nil for success
	block   time.Duration   // for the whole budget key, 0 for none
	grow    bool
	healthy bool // the host answered, and not with a limit
}

// refusal is the body of GitHub's errors ("basic-error" and "validation-error"
// in its REST description). Errors holds objects or plain strings.
type refusal struct {
	Message          string            `json:"message"`
	DocumentationURL string            `json:"documentation_url"`
	Errors           []json.RawMessage `json:"errors"`
}

type refusalDetail struct {
	Resource, Field, Code, Message, Type string
}

// judge classifies an answer. Limits are looked for first: hosts answer them
// with the statuses of refusals.
func judge(a answer) verdict {
	if a.resp == nil || a.err != nil {
		return broken(a)
	}
	status := a.resp.StatusCode
	if status < 300 && status >= 200 {
		return judgeSuccess(a)
	}
	var r refusal
	_ = json.Unmarshal(a.body, &r) // what is no JSON has no message
	e := &codehost.Error{Status: status, RequestID: requestID(a.resp), Message: r.text()}
	if d, grow, limited := limit(a, r); limited {
		v := verdict{err: e, block: d, grow: grow}
		e.Class, e.RetryAfter = codehost.ClassLimited, d
		if status >= 500 && a.effect {
			e.Class = codehost.ClassAmbiguous
		}
		return v
	}
	e.Class = classOf(status, a.effect, r)
	return verdict{err: e, healthy: status < 500}
}

func broken(a answer) verdict {
	e := &codehost.Error{Class: codehost.ClassUnavailable, Cause: a.err}
	if a.resp != nil {
		e.Status, e.RequestID = a.resp.StatusCode, requestID(a.resp)
	}
	if a.effect && a.sent {
		e.Class = codehost.ClassAmbiguous
	}
	return verdict{err: e}
}

func judgeSuccess(a answer) verdict {
	if a.graphql && graphQLLimited(a.body) {
		d, grow := untilReset(a)
		return verdict{block: d, grow: grow, err: &codehost.Error{Class: codehost.ClassLimited, Status: a.resp.StatusCode,
			RetryAfter: d, RequestID: requestID(a.resp), Message: "GraphQL rate limit"}}
	}
	// The last request of the budget went through; the next one would be refused.
	if core(a.resp.Header) && a.resp.Header.Get("X-Ratelimit-Remaining") == "0" {
		if d, ok := reset(a.resp.Header, a.now); ok {
			return verdict{block: d}
		}
	}
	return verdict{healthy: true}
}

// core reports whether the answer's numbers are those of the budget we use.
func core(h http.Header) bool {
	r := h.Get("X-Ratelimit-Resource")
	return r == "" || r == "core"
}

// limit says whether an answer is a rate limit, and for how long it blocks.
func limit(a answer, r refusal) (d time.Duration, grow, limited bool) {
	status, h := a.resp.StatusCode, a.resp.Header
	refused := status == http.StatusForbidden || status == http.StatusTooManyRequests
	if refused || status >= 500 {
		if d, ok := wire.RetryAfter(h, a.now); ok {
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
	if status == http.StatusTooManyRequests || h.Get("Retry-After") != "" || r.speaksOfLimit(a.body) {
		return growingBlock, true, true
	}
	return 0, false, false
}

// untilReset is the block up to the reset of the budget, or the growing one
// where the host does not say when that is.
func untilReset(a answer) (time.Duration, bool) {
	if d, ok := wire.RetryAfter(a.resp.Header, a.now); ok {
		return d, false
	}
	if d, ok := reset(a.resp.Header, a.now); ok {
		return d, false
	}
	return growingBlock, true
}

// speaksOfLimit finds a secondary limit that has no header at all: its words,
// or the address of its documentation (hub4j/github-api#2009; go-github v92,
// CheckResponse).
func (r refusal) speaksOfLimit(body []byte) bool {
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

func graphQLLimited(body []byte) bool {
	var r refusal
	if json.Unmarshal(body, &r) != nil {
		return false
	}
	for _, d := range r.details() {
		if strings.EqualFold(d.Type, "RATE_LIMITED") || strings.EqualFold(d.Type, "RATE_LIMIT") {
			return true
		}
	}
	return false
}

// classOf is the class of an answer that is neither a success nor a limit.
func classOf(status int, effect bool, r refusal) codehost.Class {
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
		return codehost.ClassUnavailable // a diff that could not be made in time
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

// text joins the message and its details, for people: which line was refused
// stands in the details.
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
	return wire.Words(strings.Join(parts, "; "), maxMessage)
}
