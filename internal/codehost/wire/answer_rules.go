package wire

import (
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

const (
	// GrowingBlock is the first block after a limit without a duration. The gate doubles it each time.
	GrowingBlock = time.Minute

	// MaxMessage is the most characters of a host's text in an error.
	MaxMessage = 500
)

// Rules read the answers of one host for an adapter. Its functions get answers that were read completely.
type Rules struct {
	RequestID string                                                     // name of the header with the host's id of a request
	Success   func(Answer) Verdict                                       // for an answer with a status from 200 to 299
	Limit     func(Answer) (wait time.Duration, grow bool, limited bool) // for all other answers
	Class     func(Answer, *codehost.Error) codehost.Class               // for errors except limits; the error has the host's message
	Message   func(Answer) string                                        // the host's text, for people
	Refine    func(Answer, *codehost.Error)                              // adds details that only this host reports; may be nil
}

// Judge implements the type [Judge].
func (r Rules) Judge(a Answer) Verdict {
	if a.Resp == nil || a.Err != nil {
		return r.withRequestID(a, brokenVerdict(a))
	}
	status := a.Resp.StatusCode
	if status >= 200 && status < 300 {
		return r.withRequestID(a, r.Success(a))
	}
	e := &codehost.Error{Status: status, Message: r.Message(a)}
	if r.Refine != nil {
		r.Refine(a, e)
	}
	if wait, grow, limited := r.Limit(a); limited {
		e.Class, e.RetryAfter = codehost.ClassLimited, wait
		if status >= 500 && a.Effect {
			e.Class = codehost.ClassAmbiguous
		}
		return r.withRequestID(a, Verdict{Err: e, Block: wait, Grow: grow})
	}
	e.Class = r.Class(a, e)
	return r.withRequestID(a, Verdict{Err: e, Healthy: status < 500})
}

// withRequestID adds the host's id of the request.
func (r Rules) withRequestID(a Answer, v Verdict) Verdict {
	if a.Resp == nil {
		return v
	}
	v.Request = OneLine(a.Resp.Header.Get(r.RequestID), 80)
	if v.Err != nil {
		v.Err.RequestID = v.Request
	}
	return v
}

// JudgeSuccess returns the verdict for a success of a host whose API never answers with a page for browsers.
func JudgeSuccess(a Answer) Verdict {
	if !IsPage(a.Resp) {
		return Verdict{Healthy: true}
	}
	e := &codehost.Error{Class: codehost.ClassUnavailable, Status: a.Resp.StatusCode,
		Message: "the answer is a page for browsers: something in front of the host answered in its place"}
	if a.Effect {
		e.Class = codehost.ClassAmbiguous
	}
	return Verdict{Err: e, Healthy: true}
}

// JudgeFile is [JudgeSuccess] for a host that sends files with the type of their names: a file that is a page is
// distinguished by the disposition "attachment".
func JudgeFile(a Answer) Verdict {
	if strings.HasPrefix(a.Resp.Header.Get("Content-Disposition"), "attachment") {
		return Verdict{Healthy: true}
	}
	return JudgeSuccess(a)
}

// Limit reports whether an answer requires a wait, and for how long, for a host whose limits have the status 429 and at most
// the header Retry-After. A server error with that header requires a wait, too. Without the header a wait grows.
func Limit(a Answer) (wait time.Duration, grow, limited bool) {
	status := a.Resp.StatusCode
	if status != http.StatusTooManyRequests && status < 500 {
		return 0, false, false
	}
	if d, ok := RetryAfter(a.Resp.Header, a.Now); ok {
		return d, false, true
	}
	return GrowingBlock, true, status == http.StatusTooManyRequests
}

// RedirectClass returns the class of a refusal. It is for hosts that redirect from old names of
// repositories and refuse with JSON objects: a proxy's 404 or 403 proves nothing about the host, and
// another redirect leads to a sign-in page.
func RedirectClass(a Answer) codehost.Class {
	status := a.Resp.StatusCode
	switch status {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return codehost.ClassMoved
	}
	if status < 400 {
		return codehost.ClassUnavailable
	}
	class := ClassOf(status, a.Effect)
	if IsForeign(a) && (class == codehost.ClassNotFound || class == codehost.ClassForbidden) {
		return codehost.ClassUnavailable
	}
	return class
}

// RawText returns a body in another format than the host documents, as a message for people.
func RawText(body []byte) string {
	return Words(string(body[:min(len(body), 4*MaxMessage)]), MaxMessage)
}
