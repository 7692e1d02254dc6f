package edits

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

// life is a pull request on one engine.
type life struct {
	*reviewtest.Fixture
	*editor
	tally   *tally
	storage string

	titles   map[string]int // defect by title
	live     map[int]bool   // a reader knows the defect, and it has existed since
	ever     map[int]bool   // it was reported at some time
	comments int
	before   string // the rows after the push before this one
	seen     int    // runs

	mu  sync.Mutex
	now head // the head that models and snapshots use
}

func newLife(f *reviewtest.Fixture, e *editor, of *tally) *life {
	l := &life{Fixture: f, editor: e, tally: of, storage: filepath.Base(f.T.Name()), titles: map[string]int{}, live: map[int]bool{}, ever: map[int]bool{}}
	f.Service.Snapshots, f.Service.Models = l, models{l}
	f.Host.Roles = map[string]string{"mona": "write"}
	for id, d := range e.heads[len(e.heads)-1].defects {
		for i := range 3 {
			title, _ := d.said(i)
			l.titles[title] = id
		}
	}
	return l
}

// Open implements [review.Snapshots].
func (l *life) Open(context.Context, codehost.Reader, codehost.Repo, int, string, string, ...string) (review.Snapshot, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return snapshot{l.now}, nil
}

type snapshot struct{ head }

func (s snapshot) Diff(context.Context) ([]byte, error) { return s.diff, nil }

func (s snapshot) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	files := s.after
	if side == domain.Left {
		files = s.before
	}
	if text, there := files[path]; there {
		return []byte(text), nil
	}
	return nil, fs.ErrNotExist
}

func (snapshot) At(string) guideline.Tree { return nil }

func (snapshot) Notice() string { return "" }

func (snapshot) Close() error { return nil }

type models struct{ *life }

// Open implements [review.Models].
func (m models) Open(context.Context, store.Run, func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := ask.Route{Client: client{m.now, m.titles}, Model: "scripted"}
	return &ask.Models{Fast: r, Standard: r, Strong: r}, nil, nil
}

// run pushes every head and checks the result, up to the first failure.
func (l *life) run() {
	for i, h := range l.heads {
		l.mu.Lock()
		l.now = h
		l.mu.Unlock()
		if h.again {
			runs := l.Runs()
			_, err := l.Service.Runs.Rerun(bg, runs[len(runs)-1], fmt.Sprint(i), domain.Asker{How: domain.AskedByRerun})
			testkit.OK(l.T, err)
			l.Settle()
		} else {
			l.Deliver(l.Event([]string{"opened", "synchronize"}[min(i, 1)], fmt.Sprint("head ", i)))
		}
		wrong, what := l.check(h)
		l.tally.add(l.storage, l.manner, wrong, i > 0, len(h.places))
		if wrong != right {
			l.T.Errorf("%s: %s\nseed %d, %s, after %q\nthe rows before:%s\nagain: ASSAY_EDITS_SEED=%d ASSAY_EDITS_COUNT=1 go test ./test/edits", wrong, what, l.seed, l.manner, steps(l.heads[:i+1]), l.before, l.seed)
			return
		}
	}
}

func steps(heads []head) (out []string) {
	for _, h := range heads {
		out = append(out, h.step)
	}
	return out
}

// verdict is the result of one push.
type verdict string

// These are the possible results of a push.
const (
	right     verdict = ""
	again     verdict = "said again"
	resolved  verdict = "wrongly resolved"
	swallowed verdict = "swallowed"
	failed    verdict = "failed run"
	left      verdict = "left open"
)

// check compares the visible texts and the stored data with the true defects.
func (l *life) check(h head) (verdict, string) {
	runs := l.Runs()
	l.seen++
	for _, r := range runs {
		if r.State != domain.RunCompleted {
			return failed, fmt.Sprintf("run %s of %s: %s (%s)", r.ID, r.HeadSHA, r.State, r.Reason)
		}
	}
	if visible := len(l.Host.Visible()); len(runs) != l.seen || visible != l.seen {
		return failed, fmt.Sprintf("%d runs with %d visible reviews, want %d", len(runs), visible, l.seen)
	}
	rows, err := l.Store.KnownFindings(bg, l.World.Tenant, runs[0].PullRequest)
	testkit.OK(l.T, err)
	if wrong, what := l.checkRows(h, rows); wrong != right {
		return wrong, what
	}
	fresh := l.Host.Comments[l.comments:]
	l.comments = len(l.Host.Comments)
	if wrong, what := l.checkComments(h, fresh); wrong != right {
		return wrong, what
	}
	l.before = shown(rows)
	clear(l.live)
	for id := range h.places {
		l.live[id], l.ever[id] = true, true
	}
	return right, ""
}

// checkRows checks that every existing defect has one open finding, which is not on another defect's
// lines, and that no other finding is open.
func (l *life) checkRows(h head, rows []store.KnownFinding) (verdict, string) {
	of := map[int][]store.KnownFinding{}
	for _, k := range rows {
		if id := l.titles[k.Title]; id > 0 && !k.Origin.Deterministic() {
			of[id] = append(of[id], k)
		}
	}
	for id := 1; id <= l.last; id++ {
		p, stands := h.places[id]
		open := slices.DeleteFunc(slices.Clone(of[id]), func(k store.KnownFinding) bool { return k.State != domain.FindingOpen })
		switch {
		case stands && len(open) == 0 && l.live[id]:
			return resolved, fmt.Sprintf("%s; the rows: %s", l.shown(id, h), shown(rows))
		case stands && len(open) == 0:
			return swallowed, fmt.Sprintf("%s; the rows: %s", l.shown(id, h), shown(rows))
		case stands && len(open) > 1:
			return again, fmt.Sprintf("%s has the rows %s", l.shown(id, h), shown(open))
		case !stands && len(open) > 0:
			return left, fmt.Sprintf("defect %d is gone, and this is open: %s", id, shown(open))
		case stands:
			for other, o := range h.places {
				if a := open[0].Anchor; other != id && meets(a, o) && !meets(a, p) {
					return swallowed, fmt.Sprintf("%s is shown at the place of defect %d: %s", l.shown(id, h), other, shown(open))
				}
			}
		}
	}
	return right, ""
}

func meets(a domain.Anchor, p place) bool {
	return a.Level == domain.AnchorLine && a.Path == p.path && a.StartLine <= p.last && p.first <= a.EndLine
}

// checkComments checks that a known defect is not reported again, and that no unknown defect is called
// returned.
func (l *life) checkComments(h head, fresh []codehost.Comment) (verdict, string) {
	now := map[int]int{}
	for _, c := range fresh {
		for title, id := range l.titles {
			if !strings.Contains(c.Body, title) {
				continue
			}
			if now[id]++; l.live[id] || now[id] > 1 {
				return again, fmt.Sprintf("%s: %s", l.shown(id, h), c.Body)
			}
			if !l.ever[id] && strings.Contains(c.Body, "Reported before and resolved") {
				return swallowed, fmt.Sprintf("%s is mistaken for another finding that came back: %s", l.shown(id, h), c.Body)
			}
		}
	}
	return right, ""
}

// shown returns the present and former places of a defect.
func (l *life) shown(id int, h head) string {
	p := h.places[id]
	out := fmt.Sprintf("defect %d at %s:%d %q %+v", id, p.path, p.first, p.text, h.voices[id])
	for i, b := range l.heads {
		if q, stood := b.places[id]; stood && i < l.seen-1 && i >= l.seen-3 {
			out += fmt.Sprintf("\n  head %d: %s:%d %q", i, q.path, q.first, q.text)
		}
	}
	return out
}

func shown(rows []store.KnownFinding) (out string) {
	for _, k := range rows {
		if !k.Origin.Deterministic() {
			out += fmt.Sprintf("\n  %s %s %q %s:%d-%d in %s %q", k.State, k.RuleID, k.Title, k.Anchor.Path, k.Anchor.StartLine, k.Anchor.EndLine, k.Anchor.Symbol, k.Anchor.Quote)
		}
	}
	return out
}
