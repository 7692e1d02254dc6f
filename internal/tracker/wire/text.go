package wire

import (
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/tracker"
)

// Clean returns a text from outside as valid UTF-8 with line feeds, without control and direction
// characters, cut to at most n bytes.
func Clean(s string, n int) (text string, cut bool) {
	if len(s) > 4*n+64 { // the result cannot need more bytes
		s, cut = clip.Bytes(s, 4*n+64), true
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069', r == '\ufeff', r == '\u200b':
			return -1
		case r == '\u00a0':
			return ' '
		}
		return r
	}, s)
	if len(s) > n {
		return clip.Bytes(s, n), true
	}
	return s, cut
}

// Line returns a tracker's text as one line of at most n characters.
func Line(s string, n int) string {
	s, _ = Clean(s, 8*n)
	return clip.Runes(strings.Join(strings.Fields(s), " "), n, "…")
}

// Title returns a title within its bound.
func Title(s string) string { return Line(s, tracker.MaxTitle) }

// Word returns a state, a type or a name within its bound.
func Word(s string) string { return Line(s, 100) }

// Address returns an absolute http or https address of at most 2,000 bytes, or "" for any other text.
func Address(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || len(s) > 2000 || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.String()
}

// pullForm matches the paths of pull requests on the known hosts: GitHub, Gitea and Forgejo, GitLab,
// Bitbucket, Azure DevOps.
var pullForm = regexp.MustCompile(`/(pull|pulls|merge_requests|pull-requests|pullrequest)/[0-9]+(/|$)`)

// PullRequests returns the addresses that look like pull requests, each once, at most [tracker.MaxLinks].
func PullRequests(addresses []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, a := range addresses {
		a = Address(a)
		u, err := url.Parse(a)
		if a == "" || err != nil || seen[a] || !pullForm.MatchString(u.Path) {
			continue
		}
		if len(out) == tracker.MaxLinks {
			break
		}
		seen[a] = true
		out = append(out, a)
	}
	return out
}

// Comments returns the last [tracker.MaxComments] of a list that begins with the oldest comment.
func Comments(list []tracker.Comment) []tracker.Comment {
	if extra := len(list) - tracker.MaxComments; extra > 0 {
		list = list[extra:]
	}
	return list
}

// markerForm matches a marker that fits into any text.
var markerForm = regexp.MustCompile("^[^\\s`|<>\\\\]{1,200}$")

// CheckComment returns an error for a comment that trackers cannot store: without text, too long, or with a
// marker other than one word of at most 200 characters.
func CheckComment(op, text, marker string) error {
	if strings.TrimSpace(text) == "" || len(text) > MaxWritten || !markerForm.MatchString(marker) {
		return &tracker.Error{Class: tracker.ClassInvalid, Op: op, Message: "a comment needs text of at most 30,000 bytes and a marker " +
			"of one word"}
	}
	return nil
}

// MaxWritten is the most bytes of a written comment. It is below Jira's 32,767 characters
// (developer.atlassian.com, Jira Cloud platform, "Add comment").
const MaxWritten = 30_000

// CheckLink returns an error for a link that trackers cannot store.
func CheckLink(op string, l tracker.Link) error {
	if l.ID == "" || len(l.ID) > 255 || Address(l.URL) == "" || strings.TrimSpace(l.Title) == "" {
		return &tracker.Error{Class: tracker.ClassInvalid, Op: op, Message: "a link needs an id of at most 255 characters, an address " +
			"and a title"}
	}
	return nil
}

// MaxSearched is the most comments of an issue that are searched for a marker (design choice).
const MaxSearched = 500

// UnknownIssue returns the error for a key that the tracker cannot have.
func UnknownIssue(op string) error {
	return &tracker.Error{Class: tracker.ClassNotFound, Op: op, Message: "there is no such issue"}
}

// byKey compares projects by key.
func byKey(a, b tracker.Project) int { return strings.Compare(a.Key, b.Key) }

// Time parses a tracker's time in one of the forms or RFC 3339, and returns it in UTC. It returns zero for
// any other text, because the times only serve display and order.
func Time(s string, forms ...string) time.Time {
	for _, form := range append(forms, time.RFC3339) {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
