package bitbucketcloud

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// rules read the answers of Bitbucket Cloud.
var rules = wire.Rules{RequestID: "X-Request-Id", Success: wire.JudgeFile, Limit: limit, Class: classOf, Message: messageOf}

// limit reports whether an answer requires a wait, and for how long. The host answers 429 without a time
// (support.atlassian.com/bitbucket-cloud/docs/api-request-limits: the limits count over a rolling hour).
func limit(a wire.Answer) (d time.Duration, grow, limited bool) {
	if a.Resp.StatusCode == statusTimedOut {
		return 0, false, false
	}
	return wire.Limit(a)
}

// statusTimedOut is the host's answer to a diff, a list of files or a folder that is too large to compute (the description: 555).
const statusTimedOut = 555

// classOf returns the class of an answer that is neither a success nor a limit.
func classOf(a wire.Answer, e *codehost.Error) codehost.Class {
	class := wire.RedirectClass(a)
	switch status := a.Resp.StatusCode; {
	case class == codehost.ClassMoved && isElsewhere(a.Resp):
		return codehost.ClassTooLarge // a file in git LFS
	case status == statusTimedOut && !a.Effect:
		return codehost.ClassTooLarge
	case status == http.StatusConflict && a.Effect:
		return codehost.ClassStale // POST R/src: the parent is not the head of the branch
	case class == codehost.ClassInvalid && strings.Contains(e.Message, "Ensure this value has at most"):
		return codehost.ClassTooLarge // buildbot/buildbot#7049
	}
	return class
}

// isElsewhere reports whether a redirect leads to another machine. The host redirects so from the content of a file in git LFS (the
// description, R/src/{commit}/{path}: Atlassian's media services).
func isElsewhere(resp *http.Response) bool {
	to, err := resp.Location()
	return err == nil && to.Host != "" && (resp.Request == nil || resp.Request.URL == nil || to.Host != resp.Request.URL.Host)
}

// messageOf returns the host's text for people, from the type "error" of the description. fields has texts by the name of a field
// (buildbot/buildbot#7049); detail is a text or, for a missing scope, an object.
func messageOf(a wire.Answer) string {
	if isElsewhere(a.Resp) {
		return "the content is at another host, as that of a file in git LFS"
	}
	if wire.IsPage(a.Resp) {
		return wire.PageWords
	}
	var r struct {
		Error struct {
			Message string              `json:"message"`
			Detail  json.RawMessage     `json:"detail"`
			Fields  map[string][]string `json:"fields"`
		} `json:"error"`
	}
	if json.Unmarshal(a.Body, &r) != nil || r.Error.Message == "" {
		return wire.RawText(a.Body)
	}
	parts := []string{r.Error.Message}
	var detail string
	if json.Unmarshal(r.Error.Detail, &detail) == nil && detail != "" {
		parts = append(parts, detail)
	}
	names := make([]string, 0, len(r.Error.Fields))
	for name := range r.Error.Fields {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names[:min(len(names), 10)] {
		texts := r.Error.Fields[name]
		text := name + ": " + strings.Join(texts[:min(len(texts), 3)], ", ")
		if !strings.Contains(r.Error.Message, text) {
			parts = append(parts, text)
		}
	}
	return wire.Words(strings.Join(parts, "; "), wire.MaxMessage)
}
