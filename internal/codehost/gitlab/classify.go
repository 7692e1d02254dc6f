package gitlab

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// rules read the answers of GitLab.
var rules = wire.Rules{RequestID: "X-Request-Id", Success: wire.JudgeSuccess, Limit: limit, Class: classOf, Message: messageOf}

// limit reports whether an answer requires a wait, and for how long. GitLab sends 429 with Retry-After,
// with RateLimit-Reset (seconds since 1970), or on gitlab.com with neither
// (docs.gitlab.com/administration/settings/user_and_ip_rate_limits, "Response headers";
// gitlab-org/gitlab#365728).
func limit(a wire.Answer) (d time.Duration, grow, limited bool) {
	status := a.Resp.StatusCode
	if status != http.StatusTooManyRequests && status < 500 {
		return 0, false, false
	}
	if d, ok := wire.RetryAfter(a.Resp.Header, a.Now); ok {
		return d, false, true
	}
	if status != http.StatusTooManyRequests {
		return 0, false, false
	}
	if at, err := strconv.ParseInt(a.Resp.Header.Get("RateLimit-Reset"), 10, 64); err == nil && at > 0 && at < 1<<33 &&
		a.Resp.Header.Get("RateLimit-Remaining") == "0" {
		return wire.Until(time.Unix(at, 0), wire.ServerNow(a.Resp.Header, a.Now)), false, true
	}
	return wire.GrowingBlock, true, true
}

// classOf returns the class of an answer that is neither a success nor a limit. GitLab redirects from old
// paths of renamed projects (docs.gitlab.com/api/rest, "Redirects").
func classOf(a wire.Answer, e *codehost.Error) codehost.Class {
	class := wire.RedirectClass(a)
	switch status := a.Resp.StatusCode; {
	// app/services/ci/create_commit_status_service.rb of gitlab-org/gitlab.
	case status == http.StatusConflict && strings.Contains(e.Message, "is in progress"):
		return codehost.ClassUnavailable
	case status == http.StatusConflict:
		return codehost.ClassExists // only POST …/merge_requests answers with it
	case status == http.StatusMethodNotAllowed && strings.Contains(e.Message, "not allowed for moved projects"):
		return codehost.ClassMoved // lib/api/helpers.rb of gitlab-org/gitlab, find_project!: only reads are redirected
	case class == codehost.ClassForbidden && strings.Contains(e.Message, "read-only instance"):
		// Maintenance, or a replica that refuses writes for a while
		// (docs.gitlab.com/administration/maintenance_mode, "REST API").
		return codehost.ClassUnavailable
	case class == codehost.ClassInvalid && strings.Contains(e.Message, "is too long"):
		return codehost.ClassTooLarge
	}
	return class
}

// messageOf returns the host's text for people, from a text, a list of texts, or lists by field
// (docs.gitlab.com/api/rest/troubleshooting, "Status code 400"). For a page it returns a fixed text.
func messageOf(a wire.Answer) string {
	if wire.IsPage(a.Resp) {
		return wire.PageWords
	}
	var r struct {
		Message     json.RawMessage `json:"message"`
		Error       json.RawMessage `json:"error"`
		Description string          `json:"error_description"`
	}
	if json.Unmarshal(a.Body, &r) != nil {
		return wire.RawText(a.Body)
	}
	var parts []string
	for _, raw := range []json.RawMessage{r.Message, r.Error} {
		parts = append(parts, errorTexts(raw, 3)...)
	}
	if r.Description != "" {
		parts = append(parts, r.Description)
	}
	return wire.Words(strings.Join(parts[:min(len(parts), 10)], "; "), wire.MaxMessage)
}

// errorTexts returns the texts of an error, down to a depth.
func errorTexts(raw json.RawMessage, depth int) (out []string) {
	var text string
	var list []json.RawMessage
	var fields map[string]json.RawMessage
	switch {
	case depth == 0 || !wire.IsPresent(raw):
	case json.Unmarshal(raw, &text) == nil:
		out = append(out, text)
	case json.Unmarshal(raw, &list) == nil:
		for _, r := range list[:min(len(list), 10)] {
			out = append(out, errorTexts(r, depth-1)...)
		}
	case json.Unmarshal(raw, &fields) == nil:
		var names []string
		for name := range fields {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names[:min(len(names), 10)] {
			out = append(out, name+": "+strings.Join(errorTexts(fields[name], depth-1), ", "))
		}
	}
	return out
}
