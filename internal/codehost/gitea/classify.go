package gitea

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// growingBlock is the first block where a limit does not say how long it lasts;
// the gate doubles it each time.
const growingBlock = time.Minute

// maxMessage caps the host's words in an error, in characters.
const maxMessage = 500

// refusal is the body of the API's errors (services/context/api.go, APIError and
// APIErrorNotFound).
type refusal struct {
	Message string   `json:"message"`
	Errors  []string `json:"errors"`
}

// judge implements [wire.Judge]. The hosts know no limit of their own; one comes
// from a proxy in front of them.
func judge(a wire.Answer) wire.Verdict {
	if a.Resp == nil || a.Err != nil {
		return wire.Broken(a)
	}
	status := a.Resp.StatusCode
	if status >= 200 && status < 300 {
		return judgeSuccess(a)
	}
	e := &codehost.Error{Status: status, Message: messageOf(a), Owner: renamed(a.Resp), RequestID: wire.OneLine(a.Resp.Header.Get("X-Request-Id"), 80)}
	if d, grow, limited := limit(a); limited {
		e.Class, e.RetryAfter = codehost.ClassLimited, d
		if status >= 500 && a.Effect {
			e.Class = codehost.ClassAmbiguous
		}
		return wire.Verdict{Err: e, Block: d, Grow: grow}
	}
	e.Class = classOf(status, a.Effect)
	if wire.Foreign(a) && (e.Class == codehost.ClassNotFound || e.Class == codehost.ClassForbidden) {
		// A proxy's word says nothing of what is on the host.
		e.Class = codehost.ClassUnavailable
	}
	return wire.Verdict{Err: e, Healthy: status < 500}
}

func judgeSuccess(a wire.Answer) wire.Verdict {
	e := &codehost.Error{Class: codehost.ClassUnavailable, Status: a.Resp.StatusCode}
	if !wire.IsPage(a.Resp) {
		return wire.Verdict{Healthy: true}
	}
	e.Message = "the answer is a page for browsers: something in front of the host answered in its place"
	if a.Effect {
		e.Class = codehost.ClassAmbiguous
	}
	return wire.Verdict{Err: e, Healthy: true}
}

// limit says whether an answer asks to wait, and for how long.
func limit(a wire.Answer) (d time.Duration, grow, limited bool) {
	status := a.Resp.StatusCode
	if status != http.StatusTooManyRequests && status != http.StatusForbidden && status < 500 {
		return 0, false, false
	}
	if d, ok := wire.RetryAfter(a.Resp.Header, a.Now); ok {
		return d, false, true
	}
	return growingBlock, true, status == http.StatusTooManyRequests
}

// classOf is the class of an answer that is neither a success nor a limit.
func classOf(status int, effect bool) codehost.Class {
	switch status {
	case http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return codehost.ClassMoved // of a repository that was renamed (services/context/repo.go, RedirectToRepo: 307)
	case http.StatusLocked: // the conversation is locked, or the repository is archived
		return codehost.ClassForbidden
	}
	if status < 400 { // another redirect is the sign-in page of a proxy
		return codehost.ClassUnavailable
	}
	return wire.ClassOf(status, effect)
}

// messageOf is what the host says, for people. A page says nothing that is worth
// repeating.
func messageOf(a wire.Answer) string {
	if name := renamed(a.Resp); name != "" {
		return wire.Words("the owner is called "+name+" now", maxMessage)
	}
	if wire.IsPage(a.Resp) {
		return wire.PageWords
	}
	var r refusal
	if json.Unmarshal(a.Body, &r) != nil {
		return wire.Words(string(a.Body[:min(len(a.Body), 4*maxMessage)]), maxMessage)
	}
	parts := append([]string{r.Message}, r.Errors[:min(len(r.Errors), 10)]...)
	return wire.Words(strings.Trim(strings.Join(parts, "; "), "; "), maxMessage)
}

// renamed returns the new name of an owner to which an answer redirects; "" for any other answer. The hosts answer
// 307 to the former name of an organisation or a user (services/context/context_response.go, RedirectToUser).
func renamed(resp *http.Response) string {
	if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect && resp.StatusCode != http.StatusMovedPermanently {
		return ""
	}
	to, err := resp.Location()
	if err != nil {
		return ""
	}
	_, rest, found := strings.Cut(to.Path, "/api/v1/orgs/")
	if !found {
		if _, rest, found = strings.Cut(to.Path, "/api/v1/users/"); !found {
			return ""
		}
	}
	name, _, _ := strings.Cut(rest, "/")
	return name
}
