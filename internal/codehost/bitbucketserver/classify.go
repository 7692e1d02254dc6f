package bitbucketserver

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// rules read the answers of Bitbucket Data Center. The host has a bucket of requests for each user and answers 429 when it is empty,
// with the time of the next fill in no header (Atlassian's page on instance stability with rate limiting).
var rules = wire.Rules{RequestID: "X-Arequestid", Success: wire.JudgeFile, Limit: wire.Limit, Class: classOf, Message: messageOf}

// classOf returns the class of an answer that is neither a success nor a limit. The host answers 401 both to a
// refused token and to a lack of permission, and names the exception.
func classOf(a wire.Answer, e *codehost.Error) codehost.Class {
	class := wire.RedirectClass(a)
	text := exceptionOf(a)
	switch status := a.Resp.StatusCode; {
	case status == http.StatusUnauthorized && !strings.Contains(text, "AuthenticationException") && text != "":
		e.Status = http.StatusForbidden // the token is good, so it is not replaced
	case status == http.StatusConflict && (strings.Contains(text, "Duplicate") || strings.Contains(text, "AlreadyExists")):
		return codehost.ClassExists
	case status == http.StatusConflict && strings.Contains(text, "EmptyPullRequest"):
		return codehost.ClassInvalid // the branch adds nothing
	case status == http.StatusConflict:
		return codehost.ClassStale
	case class == codehost.ClassInvalid && strings.Contains(e.Message, "32,768"):
		return codehost.ClassTooLarge // jfrog/frogbot#647
	}
	return class
}

// hostErrors is the body of a refusal (the description, RestErrorMessage).
type hostErrors struct {
	Errors []struct {
		Context   string `json:"context"`
		Message   string `json:"message"`
		Exception string `json:"exceptionName"`
	} `json:"errors"`
}

// exceptionOf returns the name of the first exception of a refusal.
func exceptionOf(a wire.Answer) string {
	var r hostErrors
	if json.Unmarshal(a.Body, &r) != nil || len(r.Errors) == 0 {
		return ""
	}
	return r.Errors[0].Exception
}

// messageOf returns the host's text for people.
func messageOf(a wire.Answer) string {
	if wire.IsPage(a.Resp) {
		return wire.PageWords
	}
	var r hostErrors
	if json.Unmarshal(a.Body, &r) != nil || len(r.Errors) == 0 {
		return wire.RawText(a.Body)
	}
	var parts []string
	for _, one := range r.Errors[:min(len(r.Errors), 5)] {
		text := one.Message
		if one.Context != "" {
			text = one.Context + ": " + text
		}
		parts = append(parts, text)
	}
	return wire.Words(strings.Join(parts, "; "), wire.MaxMessage)
}
