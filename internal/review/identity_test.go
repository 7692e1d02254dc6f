package review_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
)

const (
	divides = "\nfunc Average(items []int) int {\n\ttotal := Total(items)\n\treturn total / len(items)\n}\n"
	fixed   = "\nfunc Average(items []int) int {\n\ttotal := Total(items)\n\treturn mean(total, items)\n}\n"
	quote   = "\treturn total / len(items)"
)

var division = report{quote: quote, key: "division-by-zero"}

// A finding whose defect stays keeps its row and its comment, and is not reported again, whatever a
// push or the model changes about its words and its line.
func TestAFindingKeepsItsIdentity(t *testing.T) {
	for name, c := range map[string]struct {
		text   string // of the second head; "" for a rerun of the first
		report report
	}{
		"the same again":                         {"", division},
		"other words":                            {"", report{quote, "division-by-zero", "", "Empty lists crash the mean", false}},
		"a neighbouring key":                     {"", report{quote, "panic-reachable", "", "", false}},
		"a neighbouring key, other words":        {"", report{quote, "wrong-operator", "", "The quotient of an empty list", false}},
		"a key of another family":                {"", report{quote, "error-ignored", "", "", false}},
		"a category of another family":           {"", report{quote, "input-not-validated", domain.CategorySecurity, "", false}},
		"a quote one line wider above":           {"", report{"\ttotal := Total(items)\n" + quote, "division-by-zero", "", "", false}},
		"a quote one line wider below":           {"", report{quote + "\n}", "division-by-zero", "", "", false}},
		"a wider quote and another key":          {"", report{"\ttotal := Total(items)\n" + quote, "wrong-operator", "", "", false}},
		"the line edited":                        {strings.Replace(divides, "total / len(items)", "total / len(items) * 2", 1), report{"\treturn total / len(items) * 2", "division-by-zero", "", "", false}},
		"the line edited, other words":           {strings.Replace(divides, "total / len(items)", "total / len(items) * 2", 1), report{"\treturn total / len(items) * 2", "division-by-zero", "", "No items, no mean", false}},
		"the line edited below new lines":        {strings.Replace(divides, "\ttotal :=", strings.Repeat("\titems = append(items, 1)\n", 20)+"\ttotal :=", 1), division},
		"the line broken in two":                 {strings.Replace(divides, "total / len", "total /\n\t\tlen", 1), report{"\treturn total /\n\t\tlen(items)", "division-by-zero", "", "", false}},
		"the line broken in two, one of them":    {strings.Replace(divides, "total / len", "total /\n\t\tlen", 1), report{"\t\tlen(items)", "division-by-zero", "", "", false}},
		"a variable renamed on the line":         {strings.ReplaceAll(divides, "total", "sum"), report{"\treturn sum / len(items)", "division-by-zero", "", "", false}},
		"a variable renamed, other words":        {strings.ReplaceAll(divides, "total", "sum"), report{"\treturn sum / len(items)", "division-by-zero", "", "No items, no mean", false}},
		"the block wrapped in a condition":       {strings.Replace(divides, quote, "\tif total > 0 {\n\t"+quote+"\n\t}\n\treturn 0", 1), report{"\t" + quote, "division-by-zero", "", "", false}},
		"a function before it":                   {"\nfunc Nothing() {}\n" + divides, division},
		"the function renamed":                   {strings.Replace(divides, "Average", "Mean", 1), division},
		"the function renamed, other words":      {strings.Replace(divides, "Average", "Mean", 1), report{quote, "division-by-zero", "", "No items, no mean", false}},
		"made a method":                          {strings.Replace(divides, "func Average(", "type list []int\n\nfunc (list) Average(", 1), division},
		"moved into a helper":                    {"\nfunc mean(items []int) int {\n\ttotal := Total(items)\n" + quote + "\n}\n\nfunc Average(items []int) int {\n\treturn mean(items)\n}\n", division},
		"moved into a helper, other words":       {"\nfunc mean(items []int) int {\n\ttotal := Total(items)\n" + quote + "\n}\n\nfunc Average(items []int) int {\n\treturn mean(items)\n}\n", report{quote, "division-by-zero", "", "No items, no mean", false}},
		"functions reordered":                    {"\nfunc First(items []int) int {\n\treturn 0\n}\n" + divides, division},
		"another category":                       {strings.Replace(divides, "total / len(items)", "total / len(items) * 2", 1), report{"\treturn total / len(items) * 2", "n-plus-one-query", domain.CategoryPerformance, "The quotient of an empty list", false}},
		"another category family":                {"", report{quote, "input-not-validated", domain.CategorySecurity, "Strangers choose the list", false}},
		"the model does not find it again":       {"", report{"not there", "division-by-zero", "", "", false}},
		"not found again after a push elsewhere": {divides + "\nfunc Nothing() {}\n", report{"not there", "division-by-zero", "", "", false}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				first := h.known()
				testkit.Equal(t, "findings", len(first), 1)
				testkit.Equal(t, "comments", len(f.Host.Comments), 1)
				said := f.Host.Comments[0].Body
				if c.text == "" {
					h.rerun(c.report)
				} else {
					h.push("b", c.text, c.report)
				}
				known := h.known()
				testkit.Equal(t, "findings", len(known), 1)
				testkit.Equal(t, "id", known[0].ID, first[0].ID)
				testkit.Equal(t, "state", known[0].State, domain.FindingOpen)
				testkit.Equal(t, "comments", len(f.Host.Comments), 1)
				testkit.Equal(t, "the comment", f.Host.Comments[0].Body, said)
				testkit.Equal(t, "its id", known[0].CommentID, f.Host.Comments[0].ID)
				if body := h.last(); strings.Contains(body, "nothing found") || !strings.Contains(body, "0 new, 0 of 1 earlier finding resolved") {
					t.Errorf("review: %s", body)
				}
				testkit.Equal(t, "check", h.conclusion(), "neutral")
				h.rerun(c.report) // under its new name too
				testkit.Equal(t, "findings after one more run", len(h.known()), 1)
				testkit.Equal(t, "comments after one more run", len(f.Host.Comments), 1)
			})
		})
	}
}

// Two defects on neighbouring lines are two findings, even if a run sees only the new one.
func TestNeighboursAreNotMerged(t *testing.T) {
	const both = "\nfunc Average(items []int) int {\n\ttotal := Total(items)\n\tlast := items[len(items)-1]\n\treturn total/len(items) + last\n}\n"
	second := report{"\tlast := items[len(items)-1]", "index-out-of-range", "", "The last of no items is read", true}
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", both, report{"\treturn total/len(items) + last", "division-by-zero", "", "", false})
		h.rerun(second)
		testkit.Equal(t, "findings", len(h.known()), 2)
		testkit.Equal(t, "comments", len(f.Host.Comments), 2)
		h.rerun(second)
		testkit.Equal(t, "comments of one more run", len(f.Host.Comments), 2)
	})
}

// A finding without a comment on a line links to its place at the head, on the host.
func TestASummaryLinksToTheHost(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, report{quote: "\tfor _, n := range items {", key: "wrong-operator"})
		if want := "](https://host.example/octo/repo/blob/" + storetest.SHA("a") + "/shop.go#0-0)"; !strings.Contains(h.last(), want) {
			t.Errorf("no %s in: %s", want, h.last())
		}
	})
}

// Two defects that one run reports on neighbouring lines, or on one line, are two
// findings, each with its own comment, in every run.
func TestNeighboursOfOneRun(t *testing.T) {
	const text = "\nfunc Average(items []int) int {\n\treturn Total(items)/len(items) + items[len(items)-1]\n}\n"
	const line = "\treturn Total(items)/len(items) + items[len(items)-1]"
	first, second := report{quote: line, key: "division-by-zero"}, report{line, "index-out-of-range", "", "The last of no items is read", true}
	for name, later := range map[string][]report{
		"the same again": {first, second},
		"one of them":    {second},
		"the other one":  {first},
		"other words":    {{line, "wrong-operator", "", "The quotient of an empty list", false}, {line, "off-by-one", "", "An empty list has no end", true}},
		"the other way":  {second, first},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", text, first, second)
				testkit.Equal(t, "findings", len(h.known()), 2)
				testkit.Equal(t, "comments", len(f.Host.Comments), 2)
				h.rerun(later...)
				h.push("b", text+"\nfunc Nothing() {}\n", later...)
				testkit.Equal(t, "findings in the end", len(h.known()), 2)
				testkit.Equal(t, "comments in the end", len(f.Host.Comments), 2)
			})
		})
	}
}

// A defect that was fixed and comes back is reported once more, and every comment shows the current
// state.
func TestADefectThatComesBack(t *testing.T) {
	edited := report{"\treturn total / len(items) * 2", "division-by-zero", "", "", false}
	type step struct {
		head, text string
		report     report
		again      bool // a command reviews the head
		back       bool // it returns with this step
	}
	fix := step{head: "c", text: fixed, report: division}
	for name, steps := range map[string][]step{
		"once":                             {fix, {head: "d", text: divides, report: division, back: true}},
		"beside another change":            {fix, {head: "d", text: divides + "\nfunc Nothing() {}\n", report: division, back: true}},
		"twice":                            {fix, {head: "d", text: divides, report: division, back: true}, {head: "e", text: fixed, report: division}, {head: "f", text: divides, report: division, back: true}},
		"on an edited line":                {fix, {head: "d", text: strings.Replace(divides, "len(items)", "len(items) * 2", 1), report: edited, back: true}},
		"after a force-push back":          {fix, {head: "a", text: divides, report: division, again: true, back: true}},
		"force-push back after a rebase":   {{head: "b", text: "\nfunc Nothing() {}\n" + divides, report: division}, fix, {head: "a", text: divides, report: division, again: true, back: true}},
		"the model does not find it again": {fix, {head: "d", text: divides, report: report{quote: "not there"}, back: true}},
		"and stays":                        {fix, {head: "d", text: divides, report: division, back: true}, {head: "e", text: divides + "\nfunc Nothing() {}\n", report: division}},
		"and is gone again":                {fix, {head: "d", text: divides, report: division, back: true}, {head: "e", text: fixed, report: division}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				h := newHistory(f)
				h.push("a", divides, division)
				id, comments := h.known()[0].ID, 1
				for _, s := range steps {
					before := f.Host.Comments[len(f.Host.Comments)-1]
					switch {
					case s.again:
						h.again(s.head, s.report)
					default:
						h.push(s.head, s.text, s.report)
					}
					known := h.known()
					testkit.Equal(t, "findings", len(known), 1)
					testkit.Equal(t, "id", known[0].ID, id)
					if s.back {
						comments++
					}
					if len(f.Host.Comments) != comments {
						t.Fatalf("%s: %d comments, want %d; review: %s", s.head, len(f.Host.Comments), comments, h.last())
					}
					h.truthful(s.head, known[0], s.back, before)
				}
			})
		})
	}
}

// truthful checks the texts that the host shows after a step.
func (h *history) truthful(head string, k store.KnownFinding, back bool, before codehost.Comment) {
	h.T.Helper()
	last, sha := h.Host.Comments[len(h.Host.Comments)-1], storetest.SHA(head)[:7]
	testkit.Equal(h.T, "the comment that counts", k.CommentID, last.ID)
	summary := h.Host.Visible()[0]
	switch {
	case k.State == domain.FindingResolved:
		testkit.Equal(h.T, "check", h.conclusion(), "success")
		if !strings.HasPrefix(last.Body, "**Resolved** in `"+sha+"`") || !strings.Contains(h.last(), "0 new, 1 of 1 earlier finding resolved") {
			h.T.Errorf("%s: comment %s\nreview: %s", head, last.Body, h.last())
		}
		return
	case strings.Contains(h.last(), "nothing found"), strings.Contains(summary, "nothing found"), strings.Contains(last.Body, "**Resolved**"):
		h.T.Errorf("%s: review: %s\nsummary: %s\ncomment: %s", head, h.last(), summary, last.Body)
	}
	testkit.Equal(h.T, "check", h.conclusion(), "neutral")
	if !back {
		return
	}
	if !strings.Contains(last.Body, "Reported before and resolved; it is back ([earlier comment]("+before.URL+")).") || !strings.Contains(h.last(), "0 new, 1 back.") {
		h.T.Errorf("%s: comment: %s\nreview: %s", head, last.Body, h.last())
	}
	for _, c := range h.Host.Comments {
		if c.ID == before.ID && !strings.HasPrefix(c.Body, "**Came back** in `"+sha+"`") {
			h.T.Errorf("%s: the comment before: %s", head, c.Body)
		}
	}
}

// again resets the pull request to a reviewed head, and a command asks for a review of it.
func (h *history) again(head string, reports ...report) {
	h.T.Helper()
	h.mu.Lock()
	h.reports = reports
	h.mu.Unlock()
	d := h.Deliver(h.Event("synchronize", head))
	testkit.Equal(h.T, "the push itself", d.Disposition, domain.DispositionCoalesced)
	d = h.Deliver(reviewtest.Comment(int64(len(h.Runs())), "mona", "/assay review"))
	testkit.Equal(h.T, "the command", d.Disposition, domain.DispositionRun)
	h.completed()
}

// If a run that finds it again is never published, the next run reports it.
func TestAReturnThatIsNotPublishedIsSaidByTheNextRun(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.push("c", fixed, division)
		f.Host.Fail("create", &codehost.Error{Class: codehost.ClassInvalid})
		h.mu.Lock()
		h.texts[storetest.SHA("d")], h.texts[storetest.SHA("e")] = divides, divides+"\nfunc Nothing() {}\n"
		h.mu.Unlock()
		h.Deliver(h.Event("synchronize", "d"))
		testkit.Equal(t, "runs", h.States(), "completed completed failed")
		f.Host.Fail("create", nil)
		h.Deliver(h.Event("synchronize", "e"))
		testkit.Equal(t, "runs", h.States(), "completed completed failed completed")
		testkit.Equal(t, "comments", len(f.Host.Comments), 2)
		h.truthful("e", h.known()[0], true, f.Host.Comments[0])
	})
}

// Reflecting runs again, in any order, changes no comment.
func TestReflectingReturnsMayBeRepeated(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		h := newHistory(f)
		h.push("a", divides, division)
		h.push("c", fixed, division)
		h.push("d", divides, division)
		h.push("e", fixed, division)
		before, known := fmt.Sprint(f.Host.Comments), h.known()[0]
		for _, i := range []int{0, 2, 1, 3, 2} {
			_, err := f.Store.Enqueue(bg, store.NewJob{Kind: domain.KindReflect, Subject: h.Runs()[i].ID, Tenant: f.World.Tenant.ID})
			testkit.OK(t, err)
			f.Settle()
			testkit.Equal(t, fmt.Sprint("comments after ", i), fmt.Sprint(f.Host.Comments), before)
		}
		after := h.known()[0]
		testkit.Equal(t, "state", after.State, domain.FindingResolved)
		testkit.Equal(t, "comment", fmt.Sprint(after.CommentID, after.CommentURL), fmt.Sprint(known.CommentID, known.CommentURL))
	})
}
