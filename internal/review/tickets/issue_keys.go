package tickets

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/tracker"
)

// The ways in which an issue is found, surest first.
const (
	inPerson  = "person"  // a person linked it
	inTracker = "tracker" // the tracker links the pull request itself
	inHost    = "host"    // the code host links it
	inBranch  = "branch"
	inTitle   = "title"
	inBody    = "body"
	inCommit  = "commit"
)

// foundOrder orders the ways in which an issue is found, surest first.
var foundOrder = []string{inPerson, inTracker, inHost, inBranch, inTitle, inBody, inCommit}

// Bounds of the texts that are searched for keys, in bytes (design choices). The rest of a text is ignored.
const (
	maxBranch    = 300
	maxTitle     = 1000
	maxBody      = 64 << 10
	maxCommits   = 100
	maxCommit    = 4 << 10
	maxCommitted = 64 << 10 // all messages together
)

// pullTexts holds the texts of a pull request in which people name issues. All of it comes from outside.
type pullTexts struct {
	Branch, Title, Body string
	Commits             []string // messages, newest first
	Linked              []string // keys of issues that the code host itself links
}

// issuePlace is a connection whose issues can be named, with the projects that it reads.
type issuePlace struct {
	Connection string // its id
	Kind       domain.ConnectionKind
	BaseURL    string
	Projects   []string // keys of projects or teams; for Azure Boards names, which are not part of a key
}

// foundIssue is an issue that a pull request names.
type foundIssue struct {
	Connection string
	Kind       domain.ConnectionKind
	Key        string // as people write it: PAY-123, or the number alone for Azure Boards
	In         string // one of the ways above
	Addressed  bool   // found by its address, which identifies the connection
}

// findKeys finds the issues that a text names, surest first, at most [domain.MaxTickets]. UTF-8, SHA-256 or
// ISO-8601 only look like keys, and no place has such a project. If two places have projects with the same
// key, the first place counts, unless an address in any of the texts names the other.
func findKeys(said pullTexts, places []issuePlace) []foundIssue {
	s := keySearch{places: places, seen: map[foundIssue]bool{}}
	for _, k := range said.Linked[:min(len(said.Linked), tracker.MaxLinks)] {
		if len(k) <= tracker.MaxKey && matchesWhole(key, k) {
			s.key(inHost, strings.ToUpper(k))
		}
	}
	s.text(inBranch, clip.Bytes(said.Branch, maxBranch))
	s.text(inTitle, clip.Bytes(said.Title, maxTitle))
	s.text(inBody, uncommented(clip.Bytes(said.Body, maxBody)))
	left := maxCommitted
	for _, m := range said.Commits[:min(len(said.Commits), maxCommits)] {
		m = clip.Bytes(m, min(maxCommit, left))
		s.text(inCommit, m)
		if left -= len(m); left <= 0 {
			break
		}
	}
	return mergeFound(s.found...)
}

// mergeFound merges findings: each issue once, by its surest way, surest first, at most [domain.MaxTickets]. If
// any finding gives the address of an issue, that address decides its connection, even if the finding is
// less sure. Links by people and trackers keep their connection.
func mergeFound(all ...foundIssue) []foundIssue {
	rank := func(f foundIssue) int { return slices.Index(foundOrder, f.In) }
	slices.SortStableFunc(all, func(a, b foundIssue) int { return cmp.Compare(rank(a), rank(b)) })
	var out []foundIssue
	for _, f := range all {
		same := func(o foundIssue) bool { return o.Kind == f.Kind && o.Key == f.Key }
		if rank(f) < 0 || slices.ContainsFunc(out, same) || len(out) >= domain.MaxTickets {
			continue
		}
		addressed := slices.IndexFunc(all, func(o foundIssue) bool { return o.Addressed && same(o) })
		if addressed >= 0 && f.In != inPerson && f.In != inTracker {
			f.Connection, f.Addressed = all[addressed].Connection, true
		}
		out = append(out, f)
	}
	return out
}

type keySearch struct {
	places []issuePlace
	seen   map[foundIssue]bool // without In
	found  []foundIssue
}

func (s *keySearch) add(f foundIssue) {
	in := f.In
	f.In = ""
	if s.seen[f] {
		return
	}
	s.seen[f] = true
	f.In = in
	s.found = append(s.found, f)
}

var (
	address = regexp.MustCompile(`https?://[^\s<>"'\x60)\]}|\\]+`)
	// Issue keys of Jira and Linear: letters, digits and underscores that begin with a letter, a hyphen, a
	// number without leading zeros (support.atlassian.com/jira-software-cloud/docs/what-is-an-issue,
	// linear.app/docs/github "Link through issue IDs").
	key = regexp.MustCompile(`(?i)[a-z][a-z0-9_]{0,49}-[1-9][0-9]{0,8}`)
	// Mentions of Azure Boards work items from other systems
	// (learn.microsoft.com/azure/devops/boards/github/link-to-from-github).
	workItem = regexp.MustCompile(`AB#([1-9][0-9]{0,8})`)
	comment  = regexp.MustCompile(`(?s)<!--.*?(-->|$)`)
)

// uncommented removes HTML comments, which templates contain.
func uncommented(s string) string { return comment.ReplaceAllString(s, " ") }

// text searches a text for addresses of issues, then for keys outside addresses. A key inside any other
// address does not count.
func (s *keySearch) text(in, text string) {
	if in != inBranch { // a branch name contains no addresses, and its slashes separate words
		for _, a := range address.FindAllString(text, -1) {
			s.address(in, strings.TrimRight(a, ".,;:!?*_~"))
		}
		text = address.ReplaceAllStringFunc(text, func(a string) string { return strings.Repeat(" ", len(a)) })
	}
	for _, at := range key.FindAllStringIndex(text, -1) {
		k := text[at[0]:at[1]]
		if in != inBranch && k != strings.ToUpper(k) || !isSeparateWord(text, at, in == inBranch) {
			continue
		}
		s.key(in, strings.ToUpper(k))
	}
	for _, at := range workItem.FindAllStringSubmatchIndex(text, -1) {
		if !isSeparateWord(text, at[:2], false) {
			continue
		}
		if i := slices.IndexFunc(s.places, func(p issuePlace) bool { return p.Kind == domain.AzureBoards }); i >= 0 {
			s.add(foundIssue{Connection: s.places[i].Connection, Kind: domain.AzureBoards, Key: text[at[2]:at[3]], In: in})
		}
	}
}

// isSeparateWord reports whether a match is a separate word. Hyphens separate words in a branch name; in other
// texts they join words, except at the end of a word.
func isSeparateWord(text string, at []int, branch bool) bool {
	if at[0] > 0 {
		if b := text[at[0]-1]; word(b) && (!branch || b != '_') || !branch &&
			(b == '-' || b == '/' || b == '.' || b == '#' || b == '@' || b == '=') {
			return false
		}
	}
	rest := text[at[1]:]
	if rest == "" {
		return true
	}
	if word(rest[0]) && (!branch || rest[0] != '_') {
		return false
	}
	joins := rest[0] == '-' || rest[0] == '.' || rest[0] == '/' || rest[0] == '@'
	return branch || !joins || len(rest) == 1 || !word(rest[1])
}

func word(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || b >= 0x80
}

// key adds an issue to the first place that has its project. In a branch name the key may follow an
// underscore, as in fix_PAY-1.
func (s *keySearch) key(in, k string) {
	project := k[:strings.LastIndexByte(k, '-')]
	for _, p := range s.places {
		if p.Kind != domain.AzureBoards && p.has(project) {
			s.add(foundIssue{Connection: p.Connection, Kind: p.Kind, Key: k, In: in})
			return
		}
	}
	if _, rest, more := strings.Cut(k, "_"); more && in == inBranch && matchesWhole(key, rest) {
		s.key(in, rest)
	}
}

func (p issuePlace) has(project string) bool {
	return slices.ContainsFunc(p.Projects, func(have string) bool { return strings.EqualFold(have, project) })
}

// address adds the issue that an address of a place shows.
func (s *keySearch) address(in, raw string) {
	u, err := url.Parse(raw)
	if err != nil {
		return
	}
	for _, p := range s.places {
		if k := p.issueAt(u); k != "" && len(k) <= tracker.MaxKey {
			s.add(foundIssue{Connection: p.Connection, Kind: p.Kind, Key: k, In: in, Addressed: true})
			return
		}
	}
}

// issueAt returns the key of the issue at an address, "" if the address is not an issue of this place. The
// forms are /browse/PAY-1 for Jira, /team/issue/ENG-1/title for Linear, and /project/_workitems/edit/1
// below the organisation for Azure Boards.
func (p issuePlace) issueAt(u *url.URL) string {
	base, err := url.Parse(p.BaseURL)
	if err != nil || base.Host == "" || !strings.EqualFold(base.Host, u.Host) {
		return ""
	}
	rest, below := strings.CutPrefix(path.Clean("/"+u.Path), strings.TrimRight(base.Path, "/"))
	if !below || !strings.HasPrefix(rest, "/") {
		return ""
	}
	parts := strings.Split(rest[1:], "/")
	k := ""
	switch p.Kind {
	case domain.Jira:
		k = u.Query().Get("selectedIssue")
		if i := slices.Index(parts, "browse"); i >= 0 && i+1 < len(parts) {
			k = parts[i+1]
		}
	case domain.Linear:
		if len(parts) >= 3 && parts[1] == "issue" {
			k = parts[2]
		}
	case domain.AzureBoards:
		if len(parts) == 4 && parts[1] == "_workitems" && parts[2] == "edit" && (len(p.Projects) == 0 || p.has(parts[0])) &&
			matchesWhole(workItem, "AB#"+parts[3]) {
			return parts[3]
		}
		return ""
	}
	if !matchesWhole(key, k) || !p.has(k[:strings.LastIndexByte(k, '-')]) {
		return ""
	}
	return strings.ToUpper(k)
}

func matchesWhole(re *regexp.Regexp, s string) bool { return s != "" && re.FindString(s) == s }

// normalizeKey normalises an issue key or address that a person entered. It returns "" if the key cannot belong to
// the place.
func normalizeKey(entered string, p issuePlace) string {
	entered = strings.TrimSpace(entered)
	if u, err := url.Parse(entered); err == nil && u.Host != "" {
		return p.issueAt(u)
	}
	if p.Kind == domain.AzureBoards {
		number := strings.TrimPrefix(entered, "AB#")
		if matchesWhole(workItem, "AB#"+number) {
			return number
		}
		return ""
	}
	if !matchesWhole(key, entered) || len(entered) > tracker.MaxKey || !p.has(entered[:strings.LastIndexByte(entered, '-')]) {
		return ""
	}
	return strings.ToUpper(entered)
}
