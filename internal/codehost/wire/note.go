package wire

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
)

// CheckText returns an error for a text that a host would refuse as a comment. most is the most characters.
func CheckText(op, body string, most int) error {
	switch {
	case strings.TrimSpace(body) == "":
		return codehost.Refused(op, "a comment needs a text")
	case utf8.RuneCountInString(body) > most:
		return &codehost.Error{Class: codehost.ClassTooLarge, Op: op, Message: fmt.Sprintf("the text is longer than %d characters", most)}
	}
	return nil
}

// CheckNote returns an error for a comment of a review that a host without review objects would refuse, before a request is sent. A
// comment without a path belongs to the conversation.
func CheckNote(op string, able codehost.Capabilities, commit string, c codehost.DraftComment) error {
	most := able.MaxComment
	if c.Path == "" {
		most = able.MaxBody
	}
	if err := CheckText(op, c.Body.String(), most); err != nil {
		return err
	}
	if c.Path == "" {
		if c.Side != "" || c.Line != 0 || c.StartLine != 0 {
			return codehost.Refused(op, "a comment of the conversation has no place")
		}
		return nil
	}
	switch _, ok := EscapePath(c.Path); {
	case !ok:
		return codehost.Refused(op, "the comment has a path that no repository holds")
	case c.Side != string(domain.Left) && c.Side != string(domain.Right), c.Line <= 0, c.StartLine < 0, c.StartLine > c.Line:
		return codehost.Refused(op, "the comment has no place")
	case !codehost.IsCommit(commit):
		return codehost.Refused(op, "the commit must be a full commit id")
	}
	return nil
}
