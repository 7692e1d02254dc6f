package gitea

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// refusal is the body of the API's errors (services/context/api.go, APIError and APIErrorNotFound).
type refusal struct {
	Message string   `json:"message"`
	Errors  []string `json:"errors"`
}

// rules read the answers of both hosts. The hosts have no limits; a limit comes from a proxy in front of
// them.
var rules = wire.Rules{RequestID: "X-Request-Id", Success: wire.JudgeSuccess, Limit: limit, Class: classOf, Message: messageOf,
	Refine: func(a wire.Answer, e *codehost.Error) { e.Owner = newOwnerName(a.Resp) }}

// limit reports whether an answer requires a wait, and for how long.
func limit(a wire.Answer) (d time.Duration, grow, limited bool) {
	status := a.Resp.StatusCode
	if status != http.StatusTooManyRequests && status != http.StatusForbidden && status < 500 {
		return 0, false, false
	}
	if d, ok := wire.RetryAfter(a.Resp.Header, a.Now); ok {
		return d, false, true
	}
	return wire.GrowingBlock, true, status == http.StatusTooManyRequests
}

// classOf returns the class of an answer that is neither a success nor a limit. The hosts redirect from the
// former name of a repository (services/context/repo.go, RedirectToRepo: 307).
func classOf(a wire.Answer, _ *codehost.Error) codehost.Class {
	switch {
	case a.Resp.StatusCode != http.StatusLocked:
		return wire.RedirectClass(a)
	case wire.IsForeign(a):
		return codehost.ClassUnavailable
	}
	return codehost.ClassForbidden // the conversation is locked, or the repository is archived
}

// messageOf returns the host's text for people. For a page it returns a fixed text.
func messageOf(a wire.Answer) string {
	if name := newOwnerName(a.Resp); name != "" {
		return wire.Words("the owner is called "+name+" now", wire.MaxMessage)
	}
	if wire.IsPage(a.Resp) {
		return wire.PageWords
	}
	var r refusal
	if json.Unmarshal(a.Body, &r) != nil {
		return wire.RawText(a.Body)
	}
	parts := append([]string{r.Message}, r.Errors[:min(len(r.Errors), 10)]...)
	return wire.Words(strings.Trim(strings.Join(parts, "; "), "; "), wire.MaxMessage)
}

// newOwnerName returns the owner's new name from a redirect, or "" for any other answer. The hosts answer 307 to
// the former name of an organisation or a user (services/context/context_response.go, RedirectToUser).
func newOwnerName(resp *http.Response) string {
	if resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect &&
		resp.StatusCode != http.StatusMovedPermanently {
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
