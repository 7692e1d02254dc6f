package wire

import (
	"net/http"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

const (
	// GrowingBlock is the first block where a limit does not say how long it lasts; the gate doubles it each time.
	GrowingBlock = time.Minute

	// MaxMessage is how long the words of a host in an error are at most, in characters.
	MaxMessage = 500
)

// Rules are how an adapter reads the answers of its host. Their functions get answers that were read whole.
type Rules struct {
	RequestID string                                                     // name of the header with the host's id of a request
	Success   func(Answer) Verdict                                       // of an answer with a status from 200 to 299
	Limit     func(Answer) (wait time.Duration, grow bool, limited bool) // of any other
	Class     func(Answer, *codehost.Error) codehost.Class               // of one that is no limit; the error has the host's message
	Message   func(Answer) string                                        // what the host says, for people
	Refine    func(Answer, *codehost.Error)                              // adds what only this host says; may be nil
}

// Judge is a [Judge].
func (r Rules) Judge(a Answer) Verdict {
	if a.Resp == nil || a.Err != nil {
		return r.named(a, broken(a))
	}
	status := a.Resp.StatusCode
	if status >= 200 && status < 300 {
		return r.named(a, r.Success(a))
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
		return r.named(a, Verdict{Err: e, Block: wait, Grow: grow})
	}
	e.Class = r.Class(a, e)
	return r.named(a, Verdict{Err: e, Healthy: status < 500})
}

// named adds the host's id of the request.
func (r Rules) named(a Answer, v Verdict) Verdict {
	if a.Resp == nil {
		return v
	}
	v.Request = OneLine(a.Resp.Header.Get(r.RequestID), 80)
	if v.Err != nil {
		v.Err.RequestID = v.Request
	}
	return v
}

// NoPage is the verdict on a success of a host whose interface never answers with a page for browsers.
func NoPage(a Answer) Verdict {
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

// RedirectClass is the class of a refusal of a host that redirects to repositories that were renamed, and whose refusals
// are JSON objects: a proxy's word says nothing of what is on the host, and another redirect is its sign-in page.
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
	if Foreign(a) && (class == codehost.ClassNotFound || class == codehost.ClassForbidden) {
		return codehost.ClassUnavailable
	}
	return class
}

// Raw is what a body says that is not what the host describes, for people.
func Raw(body []byte) string { return Words(string(body[:min(len(body), 4*MaxMessage)]), MaxMessage) }
