package codehost

import (
	"cmp"
	"slices"
	"time"
)

// MaxMerged is the most pull requests that [Reader.MergedPullRequests] returns.
const MaxMerged = 50

// MaxClosed is the most closed pull requests that are searched for merged ones. Hosts cannot list merged
// ones or sort by the time of the merge. They list closed ones by their last change, and a comment after
// the merge moves a pull request up.
const MaxClosed = 500

// CheckMerged refuses a number of merged pull requests outside 1 to [MaxMerged].
func CheckMerged(op string, most int) error {
	if most < 1 || most > MaxMerged {
		return Refused(op, "between 1 and %d merged pull requests can be listed", MaxMerged)
	}
	return nil
}

// MergedPicker picks the most recently merged pull requests from a list of closed ones, sorted by the last
// change, newest first. The zero value with Most set is ready. It is not safe for concurrent use.
type MergedPicker struct {
	Most int

	list   []PullRequest
	seen   map[int]bool
	looked int
}

// Add takes the next pull request of the host's list, and reports whether later ones can matter. They
// cannot once Most pull requests were merged after p's last change, because later ones changed, and so were
// merged, even earlier. They are also ignored after [MaxClosed] pull requests.
func (m *MergedPicker) Add(p PullRequest) (more bool) {
	m.looked++
	p.Body = ""
	if p.Merged && !p.Draft && !p.MergedAt.IsZero() && !m.seen[p.Number] { // a list that moves between pages may name one twice
		if m.seen == nil {
			m.seen = map[int]bool{}
		}
		m.seen[p.Number] = true
		m.list = append(m.list, p)
	}
	if m.looked >= MaxClosed {
		return false
	}
	m.list = m.List()
	return len(m.list) < m.Most || !m.newest()[m.Most-1].MergedAt.After(p.UpdatedAt) // hosts give times in whole seconds
}

// List returns the most recently merged pull requests, newest first, at most Most.
func (m *MergedPicker) List() []PullRequest { return m.newest()[:min(len(m.list), m.Most)] }

func (m *MergedPicker) newest() []PullRequest {
	slices.SortStableFunc(m.list, func(a, b PullRequest) int {
		return cmp.Or(b.MergedAt.Compare(a.MergedAt), cmp.Compare(b.Number, a.Number))
	})
	return m.list
}

// TimeOrZero returns an optional time of a host, or the zero time for nil.
func TimeOrZero(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
