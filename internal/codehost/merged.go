package codehost

import (
	"cmp"
	"slices"
	"time"
)

// MaxMerged is the most pull requests that [Reader.MergedPullRequests] returns.
const MaxMerged = 50

// MaxClosed is how many closed pull requests are looked through for merged ones. Hosts
// have no list of merged ones and do not sort by the time of the merge: they list
// closed ones by their last change, and a pull request that is talked about after its
// merge moves up.
const MaxClosed = 500

// CheckMerged refuses a wish for merged pull requests that is beyond the bounds.
func CheckMerged(op string, most int) error {
	if most < 1 || most > MaxMerged {
		return Refused(op, "between 1 and %d merged pull requests can be listed", MaxMerged)
	}
	return nil
}

// Merged picks the pull requests that were merged last from a list of closed ones that
// is sorted by the last change, the newest first. The zero value, with Most set, is
// ready; it is not safe for concurrent use.
type Merged struct {
	Most int

	list   []PullRequest
	seen   map[int]bool
	looked int
}

// Add takes the next pull request of the host's list, and reports whether more of them
// can matter. None can when as many as are wanted were merged after the last change of
// p, because what follows was changed, and so merged, even earlier; or when
// [MaxClosed] were looked at.
func (m *Merged) Add(p PullRequest) (more bool) {
	m.looked++
	p.Body = ""
	if p.Merged && !p.Draft && !p.MergedAt.IsZero() && !m.seen[p.Number] { // a list that moves while it is read may name one twice
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
	return len(m.list) < m.Most || !m.newest()[m.Most-1].MergedAt.After(p.UpdatedAt) // times of hosts are whole seconds
}

// List returns what was merged last, the newest first.
func (m *Merged) List() []PullRequest { return m.newest()[:min(len(m.list), m.Most)] }

func (m *Merged) newest() []PullRequest {
	slices.SortStableFunc(m.list, func(a, b PullRequest) int {
		return cmp.Or(b.MergedAt.Compare(a.MergedAt), cmp.Compare(b.Number, a.Number))
	})
	return m.list
}

// Time is a time of a host that may not be there: the zero time for none.
func Time(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return *t
}
