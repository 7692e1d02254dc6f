package codehost_test

import (
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
)

func at(minute int) time.Time { return time.Date(2026, 3, 1, 0, minute, 0, 0, time.UTC) }

func closed(number, merged, updated int) codehost.PullRequest {
	p := codehost.PullRequest{Number: number, UpdatedAt: at(updated)}
	if merged > 0 {
		p.Merged, p.MergedAt = true, at(merged)
	}
	return p
}

// The host sorts by the last change, which differs from the order of merges.
func TestMergedOfAListThatIsSortedByChange(t *testing.T) {
	t.Parallel()
	draft := closed(9, 58, 58)
	draft.Draft = true
	list := []codehost.PullRequest{
		closed(1, 10, 59), // discussed long after its merge
		draft,
		closed(2, 0, 57),  // closed without a merge
		closed(3, 50, 56), // merged last
		closed(3, 50, 56), // listed twice, because the list moved
		closed(4, 40, 45),
		closed(5, 30, 39),
		closed(6, 29, 29), // too old to matter
	}
	m := codehost.MergedPicker{Most: 2}
	asked := 0
	for _, p := range list {
		asked++
		if !m.Add(p) {
			break
		}
	}
	got := m.List()
	if len(got) != 2 || got[0].Number != 3 || got[1].Number != 4 || asked != 7 {
		t.Errorf("after %d: %+v", asked, got)
	}
}

// An endless list of closed pull requests is read up to the bound.
func TestMergedBeyondTheBound(t *testing.T) {
	t.Parallel()
	m := codehost.MergedPicker{Most: 1}
	n := 1
	for m.Add(closed(n, 0, 1)) {
		n++
	}
	if n != codehost.MaxClosed || len(m.List()) != 0 {
		t.Errorf("%d were looked at", n)
	}
	few := codehost.MergedPicker{Most: 5}
	few.Add(closed(1, 1, 1))
	if len(few.List()) != 1 {
		t.Errorf("%+v", few.List())
	}
}
