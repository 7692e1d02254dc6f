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

// Clean makes a text from outside valid, with line feeds, without control and
// direction characters, and cuts it to at most n bytes.
func Clean(s string, n int) (text string, cut bool) {
	if len(s) > 4*n+64 { // no more than this can be needed
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

// Line is a name or a word of a tracker: one line of at most n characters.
func Line(s string, n int) string {
	s, _ = Clean(s, 8*n)
	return clip.Runes(strings.Join(strings.Fields(s), " "), n, "…")
}

// Title is a title, bounded.
func Title(s string) string { return Line(s, tracker.MaxTitle) }

// Word is a state, a type or a name, bounded.
func Word(s string) string { return Line(s, 100) }

// Address is an absolute http or https address of at most 2,000 bytes, "" for what is
// none.
func Address(s string) string {
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil || len(s) > 2000 || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return u.String()
}

// pullForm is how the addresses of pull requests look on the hosts that there are:
// GitHub, Gitea and Forgejo, GitLab, Bitbucket, Azure DevOps.
var pullForm = regexp.MustCompile(`/(pull|pulls|merge_requests|pull-requests|pullrequest)/[0-9]+(/|$)`)

// PullRequests are those addresses that look like a pull request, without repeats, at
// most [tracker.MaxLinks].
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

// Comments bounds a list of comments: the newest [tracker.MaxComments] of it, oldest
// first.
func Comments(list []tracker.Comment) []tracker.Comment {
	if extra := len(list) - tracker.MaxComments; extra > 0 {
		list = list[extra:]
	}
	return list
}

// markerForm is a marker that can stand in any text.
var markerForm = regexp.MustCompile("^[^\\s`|<>\\\\]{1,200}$")

// CheckComment refuses a comment that no tracker can hold: one without text, or with
// a marker that is not one word of at most 200 characters.
func CheckComment(op, text, marker string) error {
	if strings.TrimSpace(text) == "" || len(text) > MaxWritten || !markerForm.MatchString(marker) {
		return &tracker.Error{Class: tracker.ClassInvalid, Op: op, Message: "a comment needs text of at most 30,000 bytes and a marker of one word"}
	}
	return nil
}

// MaxWritten bounds a comment that is written, in bytes: below the 32,767 characters
// that Jira takes (developer.atlassian.com, Jira Cloud platform, "Add comment").
const MaxWritten = 30_000

// CheckLink refuses a link that no tracker can hold.
func CheckLink(op string, l tracker.Link) error {
	if l.ID == "" || len(l.ID) > 255 || Address(l.URL) == "" || strings.TrimSpace(l.Title) == "" {
		return &tracker.Error{Class: tracker.ClassInvalid, Op: op, Message: "a link needs an id of at most 255 characters, an address and a title"}
	}
	return nil
}

// MaxSearched is how many comments of an issue are looked through for a marker (design
// choice).
const MaxSearched = 500

// Unknown is the error of a key that the tracker cannot have issued.
func Unknown(op string) error {
	return &tracker.Error{Class: tracker.ClassNotFound, Op: op, Message: "there is no such issue"}
}

// byKey orders projects.
func byKey(a, b tracker.Project) int { return strings.Compare(a.Key, b.Key) }

// Time is a time of a tracker in one of some forms, and of RFC 3339, in UTC; zero for any other text, because the times
// are shown and order what is shown, and decide nothing.
func Time(s string, forms ...string) time.Time {
	for _, form := range append(forms, time.RFC3339) {
		if t, err := time.Parse(form, s); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}
