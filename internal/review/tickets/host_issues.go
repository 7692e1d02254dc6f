package tickets

import (
	"context"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// hostConnection is the connection id in links to issues of the code host itself. No stored connection has it.
const hostConnection = "host"

// criteriaHeading is the heading below which criteria are looked for in an issue of the code host. Other headings
// that plainly name criteria count, too; see [tracker.FindCriteria].
const criteriaHeading = "Acceptance criteria"

// hostIssues returns the code host as a connection, and false if the policy of the repository does not use its issues
// or its issues cannot be read.
func (s *Service) hostIssues(ctx context.Context, c Change) (connection, bool, error) {
	reader, ok := codehost.IssueReaderOf(c.Host)
	if !ok {
		return connection{}, false, nil
	}
	p, _, err := policy.Effective(ctx, s.Store, c.Tenant, c.Repository.ID)
	if err != nil || !p.HostIssues {
		return connection{}, false, err
	}
	out := connection{TrackerConnection: store.TrackerConnection{ID: hostConnection, Tenant: c.Tenant.ID, Enabled: true},
		reader: reader, repo: c.Repo}
	out.place = issuePlace{Connection: hostConnection, Kind: reader.IssueKind()}
	// the readers of a repository read its issues; the adapter leaves out those that some of them do not
	out.mapping = mapping{AllowOnPublic: true}
	out.mapping.AcceptanceCriteria = &criteriaPlace{Heading: criteriaHeading}
	return out, true, nil
}

// refForm is a reference to an issue: #12, owner/name#12, or the address of its page.
const refForm = `(?:https?://[^\s<>"'\x60)\]}|\\]+/(?:issues|work_items)/[1-9][0-9]{0,8}\b|(?:[\w.-]+(?:/[\w.-]+)*)?#[1-9][0-9]{0,8}\b)`

var (
	// closing matches the words by which GitHub, Gitea and Forgejo close an issue (docs.github.com, "Linking a pull
	// request to an issue"; Gitea's modules/references).
	closing = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?):?[ \t]+` + refForm)
	// closingGitLab matches those of GitLab, with lists of issues (docs.gitlab.com, "Default closing pattern").
	closingGitLab = regexp.MustCompile(`(?i)\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?):?[ \t]+` +
		`(?:issues?[ \t]+)?` + refForm + `(?:(?:,[ \t]*(?:and[ \t]+)?|[ \t]+and[ \t]+|[ \t]+)` + refForm + `)*`)
	ref = regexp.MustCompile(`(?i)` + refForm)
)

// findHostIssues finds the issues of the code host that a pull request closes by the host's own keywords, at most
// [domain.MaxTickets], surest first.
func (l *lookup) findHostIssues(said pullTexts, kind domain.ConnectionKind) (out []foundIssue) {
	add := func(in, text string) {
		pattern := closing
		if kind == domain.GitLab {
			pattern = closingGitLab
		}
		for _, sentence := range pattern.FindAllString(outsideCode(text), maxClosed) {
			for _, r := range ref.FindAllString(sentence, maxClosed) {
				if key := l.hostKey(r); key != "" {
					out = append(out, foundIssue{Connection: hostConnection, Kind: kind, Key: key, In: in})
				}
			}
		}
	}
	if kind != codehost.GitHub { // it closes by description and commit messages only
		add(inTitle, clip.Bytes(said.Title, maxTitle))
	}
	add(inBody, uncommented(clip.Bytes(said.Body, maxBody)))
	left := maxCommitted
	for _, m := range said.Commits[:min(len(said.Commits), maxCommits)] {
		m = clip.Bytes(m, min(maxCommit, max(left, 0)))
		left -= len(m)
		add(inCommit, m)
	}
	return mergeFound(out...)
}

// maxClosed is how many references of one text are looked at (design choice).
const maxClosed = 50

// hostKey returns the key of a reference: #12 for an issue of the repository, owner/name#12 for one of another
// repository, and "" for an address elsewhere or a key that is too long.
func (l *lookup) hostKey(reference string) string {
	path, number, ok := strings.Cut(reference, "#")
	if strings.HasPrefix(strings.ToLower(reference), "http") {
		path, number, ok = l.addressedIssue(reference)
	}
	full := l.Repo.FullName()
	if path != "" && !strings.Contains(path, "/") { // GitLab's short form for a project of the same group
		path = l.Repo.Owner + "/" + path
	}
	switch {
	case !ok:
		return ""
	case path == "" || strings.EqualFold(path, full):
		return "#" + number
	case len(path)+len(number)+1 > tracker.MaxKey:
		return ""
	}
	return path + "#" + number
}

// addressedIssue returns the repository and number of the issue at an address of the pull request's host.
func (l *lookup) addressedIssue(address string) (path, number string, ok bool) {
	at := strings.Index(strings.ToLower(l.Now.URL), "/"+strings.ToLower(l.Repo.FullName())+"/")
	if at < 0 || len(address) <= at+1 || !strings.EqualFold(address[:at+1], l.Now.URL[:at+1]) {
		return "", "", false
	}
	rest := address[at+1:]
	end := max(strings.LastIndexByte(rest, '/'), 0)
	path, number = rest[:end], strings.TrimPrefix(rest[end:], "/")
	path = path[:max(strings.LastIndexByte(path, '/'), 0)] // without issues or work_items
	path = strings.TrimSuffix(path, "/-")
	return path, number, strings.Contains(strings.Trim(path, "/"), "/") // owner and name
}

// hostIssue reads an issue of the code host in the form of trackers. An issue of another repository is not read.
func (c connection) hostIssue(ctx context.Context, key string) (tracker.Issue, error) {
	number, err := strconv.Atoi(strings.TrimPrefix(key, "#"))
	if err != nil || !strings.HasPrefix(key, "#") {
		return tracker.Issue{}, &tracker.Error{Class: tracker.ClassNotFound, Op: "read issue", Message: "the issue is in another repository"}
	}
	i, err := c.reader.Issue(ctx, c.repo, number)
	if err != nil {
		return tracker.Issue{}, asTrackerError(err)
	}
	state := "closed"
	if i.Open {
		state = "open"
	}
	return tracker.Issue{Key: key, URL: i.URL, State: state, Done: !i.Open, Title: clip.Runes(i.Title, tracker.MaxTitle, "…"),
		Description: i.Body, Cut: i.Cut}, nil
}

// asTrackerError returns an error of the code host in the classes of trackers.
func asTrackerError(err error) error {
	out := &tracker.Error{Class: tracker.ClassUnavailable, Op: "read issue", Message: "the code host did not give the issue", Cause: err}
	switch codehost.ClassOf(err) {
	case codehost.ClassNotFound, codehost.ClassMoved: // moved to a repository that other people may read
		out.Class = tracker.ClassNotFound
	case codehost.ClassForbidden:
		out.Class = tracker.ClassForbidden
	case codehost.ClassTooLarge:
		out.Class = tracker.ClassTooLarge
	case codehost.ClassInvalid:
		out.Class = tracker.ClassInvalid
	case codehost.ClassLimited:
		out.Class = tracker.ClassLimited
	}
	return out
}

// isElsewhere reports whether a link is to an issue of another repository of the code host: only its key may be known,
// because other people may read that repository.
func isElsewhere(connection, key string) bool {
	return connection == hostConnection && !strings.HasPrefix(key, "#")
}
