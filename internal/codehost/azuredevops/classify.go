package azuredevops

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/azure"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// rules read the answers of Azure DevOps.
var rules = wire.Rules{RequestID: "ActivityId", Success: success, Limit: wire.Limit, Class: classOf, Message: messageOf}

// success judges an answer from 200 to 299. 203 is the page for signing in. A success may ask for a wait, too
// (learn.microsoft.com/azure/devops/integrate/concepts/rate-limits: Retry-After on delayed requests).
func success(a wire.Answer) wire.Verdict {
	if azure.SignIn(a.Resp.StatusCode, a.Resp.Header) {
		return wire.Verdict{Healthy: true, Err: &codehost.Error{Class: codehost.ClassForbidden, Status: http.StatusUnauthorized,
			Message: "the token is refused"}}
	}
	v := wire.JudgeSuccess(a)
	if wait, asked := wire.RetryAfter(a.Resp.Header, a.Now); asked && v.Err == nil {
		v.Block = wait
	}
	return v
}

// classOf returns the class of an answer that is neither a success nor a limit.
func classOf(a wire.Answer, e *codehost.Error) codehost.Class {
	status := a.Resp.StatusCode
	if azure.SignIn(status, a.Resp.Header) {
		e.Status = http.StatusUnauthorized
		return codehost.ClassForbidden
	}
	class := wire.RedirectClass(a)
	switch kind := azure.ReadRefusal(a.Body).TypeKey; {
	case kind == "GitReferenceStaleException", status == http.StatusPreconditionFailed:
		return codehost.ClassStale
	case kind == "GitPullRequestExistsException":
		return codehost.ClassExists
	case status == http.StatusConflict && a.Effect:
		return codehost.ClassStale
	case class == codehost.ClassInvalid && strings.Contains(e.Message, "maximum length"):
		return codehost.ClassTooLarge
	}
	return class
}

// messageOf returns the host's text for people, or Entra's. For a page it returns a fixed text.
func messageOf(a wire.Answer) string {
	if wire.IsPage(a.Resp) {
		return wire.PageWords
	}
	var sign struct {
		Description string `json:"error_description"`
	}
	if r := azure.ReadRefusal(a.Body); r.Message != "" {
		return wire.Words(r.Message, wire.MaxMessage)
	}
	if json.Unmarshal(a.Body, &sign) == nil {
		line, _, _ := strings.Cut(sign.Description, "\n")
		return wire.Words(line, wire.MaxMessage)
	}
	return wire.RawText(a.Body)
}
