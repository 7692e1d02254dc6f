package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// record is the service's data about one pull request.
type record struct {
	runs     map[string][]string // states of the runs by head
	findings []kept
}

// kept is a finding of the service.
type kept struct {
	ID     string `json:"id"`
	RuleID string `json:"ruleId"`
	Title  string `json:"title"`
	Anchor struct {
		Path               string
		StartLine, EndLine int
		Level              string
	} `json:"anchor"`
	state string
}

func (k kept) String() string {
	return fmt.Sprintf("%s %s %s:%d-%d %q", k.state, k.RuleID, k.Anchor.Path, k.Anchor.StartLine, k.Anchor.EndLine, k.Title)
}

// look reads the service's data about all pull requests.
func (l *lives) look() map[string]*record {
	l.Helper()
	out := map[string]*record{}
	for _, h := range l.all {
		out[h.repo] = &record{runs: map[string][]string{}}
	}
	for _, r := range l.query(`SELECT p.owner || '/' || p.name, r.head_sha, r.state, r.reason FROM review_runs r JOIN repositories p ON p.id = r.repository_id`) {
		of := out[r[0]]
		of.runs[r[1]] = append(of.runs[r[1]], strings.TrimSpace(r[2]+" "+r[3]))
	}
	for _, r := range l.query(`SELECT p.owner || '/' || p.name, f.state, f.body FROM findings f JOIN repositories p ON p.id = f.repository_id`) {
		k := kept{state: r[1]}
		must(l.T, json.Unmarshal([]byte(r[2]), &k))
		out[r[0]].findings = append(out[r[0]].findings, k)
	}
	return out
}

// overlaps reports whether a range of lines of a path overlaps the place.
func (p place) overlaps(path string, first, last int) bool {
	return p.path == path && first <= p.last && last >= p.first
}

// unreviewed checks that a reset to a reviewed head started no review.
func (h *history) unreviewed() {
	h.w.Helper()
	visible, err := h.visible()
	if err != nil {
		h.fail(otherFailure, "%v", err)
	}
	if n := reviewsOf(visible, h.at.head); len(n) != h.reviews[h.at.head] {
		h.fail(otherFailure, "%d reviews of %s, which was pushed again, want %d", len(n), h.at.head, h.reviews[h.at.head])
	}
}

func reviewsOf(all []simapi.Review, head string) (out []simapi.Review) {
	for _, r := range all {
		if r.CommitID == head {
			out = append(out, r)
		}
	}
	return out
}

// visible returns the reviews on the host, except those that the host creates for replies in a thread,
// such as a reply about a higher severity.
func (h *history) visible() ([]simapi.Review, error) {
	all, err := h.w.host.VisibleReviews(h.w.ctx, h.repo, h.number)
	return slices.DeleteFunc(all, func(r simapi.Review) bool {
		return r.Body == "" && len(r.Comments) > 0 && !slices.ContainsFunc(r.Comments, func(c simapi.Comment) bool { return c.InReplyTo == 0 })
	}), err
}

// check compares the texts on the host and the data of the service with the code.
func (h *history) check(rec *record, n *tally) {
	h.w.Helper()
	visible, err := h.visible()
	if err != nil {
		h.fail(otherFailure, "%v", err)
		return
	}
	_, places := h.texts()
	h.checkRuns(rec, visible)
	h.checkReviews(visible, places, n)
	h.checkFindings(rec, places)
	h.checkComments(visible, places)
}

// checkRuns checks that every run is completed, with one visible review of its head that has a unique
// mark.
func (h *history) checkRuns(rec *record, visible []simapi.Review) {
	h.w.Helper()
	marks := map[string]bool{}
	for _, r := range visible {
		m := mark.FindStringSubmatch(r.Body)
		if m == nil || marks[m[1]] {
			h.fail(otherFailure, "a review without a mark of its own: %s", r.Body)
			return
		}
		marks[m[1]] = true
	}
	for head, want := range h.reviews {
		states := rec.runs[head]
		if over := slices.DeleteFunc(slices.Clone(states), func(s string) bool { return s == "completed" }); len(over) > 0 || len(states) != want || len(reviewsOf(visible, head)) != want {
			h.fail(failedRun, "%s has the runs %q and %d visible reviews, want %d", head, states, len(reviewsOf(visible, head)), want)
		}
	}
	if len(rec.runs) != len(h.reviews) {
		h.fail(failedRun, "runs of %d heads, want %d", len(rec.runs), len(h.reviews))
	}
}

// checkReviews reads the newest review: it reports every new defect, repeats no known one, and does not
// call a change with defects clean.
func (h *history) checkReviews(visible []simapi.Review, places map[int]place, n *tally) {
	h.w.Helper()
	if len(visible) == 0 {
		return
	}
	newest := slices.MaxFunc(visible, func(a, b simapi.Review) int { return int(a.SubmittedUS - b.SubmittedUS) })
	if len(places) > 0 && strings.Contains(newest.Body, "nothing found") {
		h.fail(swallowed, "%d defects stand, and the review says: %s", len(places), newest.Body)
	}
	now := map[int]int{}
	for _, c := range newest.Comments {
		first := c.StartLine
		if first == 0 {
			first = c.Line
		}
		of := 0
		for id, p := range places {
			if p.overlaps(c.Path, first, c.Line) {
				of = id
			}
		}
		if of == 0 {
			h.fail(otherFailure, "a comment at %s:%d, where no defect stands: %s", c.Path, c.Line, c.Body)
			continue
		}
		now[of]++
		h.comments[of] = append(h.comments[of], c.ID)
	}
	n.steps++
	for id, p := range places {
		due := 0
		if !h.said[id] {
			due = 1
		} else {
			n.stood++
		}
		switch again := now[id] - due; {
		case again < 0:
			h.fail(swallowed, "the defect at %s:%d was not said: %s", p.path, p.first, newest.Body)
		case again > 0:
			h.fail(saidAgain, "the defect at %s:%d was said %d times more: %s", p.path, p.first, again, newest.Comments[len(newest.Comments)-1].Body)
		}
	}
	clear(h.said)
	for id := range places {
		h.said[id] = true
	}
}

// isOf reports whether a finding is about a defect: it is on the defect's lines, or has its words if
// the model did not report the defect's present place.
func (h *history) isOf(k kept, id int, p place) bool {
	return p.overlaps(k.Anchor.Path, k.Anchor.StartLine, k.Anchor.EndLine) || h.voices[id].silent && slices.Contains(h.titles[id], k.Title)
}

// checkFindings checks that each existing defect has an open finding on its lines, and that no other
// finding is open.
func (h *history) checkFindings(rec *record, places map[int]place) {
	h.w.Helper()
	covered := map[int]bool{}
	for _, k := range rec.findings {
		if k.state != "open" {
			continue
		}
		on := false
		for id, p := range places {
			if h.isOf(k, id, p) {
				covered[id], on = true, true
			}
		}
		if !on {
			h.fail(otherFailure, "a finding is open where no defect stands: %s", k)
		}
	}
	for id, p := range places {
		if !covered[id] {
			h.fail(wronglyResolved, "the defect at %s:%d has no open finding: %v", p.path, p.first, rec.findings)
		}
	}
}

// checkComments checks that one comment of each existing defect shows it as open, and that the comments
// of fixed defects say so.
func (h *history) checkComments(visible []simapi.Review, places map[int]place) {
	h.w.Helper()
	bodies := map[int64]string{}
	for _, r := range visible {
		for _, c := range r.Comments {
			bodies[c.ID] = c.Body
		}
	}
	for id, list := range h.comments {
		live := 0
		for _, c := range list {
			if !strings.HasPrefix(bodies[c], "**Resolved**") && !strings.HasPrefix(bodies[c], "**Came back**") {
				live++
			}
		}
		if p, stands := places[id]; stands != (live > 0) {
			h.fail(wronglyResolved, "defect %d stands: %v (%s:%d), and %d of its %d comments say so", id, stands, p.path, p.first, live, len(list))
		}
	}
}
