package engine

import (
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/testkit"
)

var addedVar = regexp.MustCompile(`(?m)^ *(\d+) \+ (var value\d+ = .*)$`)

// talkative reports six defects in each part of a change that wide makes, different ones in each pass,
// and decides nothing.
func talkative() *scripted {
	return &scripted{generate: func(_ int, user string) (llm.Response, error) {
		path := strings.TrimSpace(regexp.MustCompile(`(?m)^=== (.*)$`).FindStringSubmatch(user)[1])
		lens := lensLine.FindStringSubmatch(user)[1]
		var list []candidate
		for i, m := range addedVar.FindAllStringSubmatch(user, -1)[10*len(lens):][:minFindings] {
			c := division()
			c.Path, c.Quote, c.Fix, c.Title = path, m[2], nil, fmt.Sprintf("Defect %d of %s", i, lens)
			_, _ = fmt.Sscan(m[1], &c.Start)
			c.End = c.Start
			list = append(list, c)
		}
		return findings(list...)(0, "")
	}, verify: func(int, string) (llm.Response, error) { return say(map[string]any{"verdicts": []verdict{}}) }}
}

// A review has at most as many conversations as its depth allows. Some are reserved for verification,
// and parts that are left out are named.
func TestConversationsAreBounded(t *testing.T) {
	t.Parallel()
	for tier, c := range map[string]struct{ parts, all, finding int }{tierT1: {9, 4, 3}, tierT2: {9, 8, 5}, tierT3: {28, 40, 26}, tierT4: {4, 90, 60}} {
		t.Run(tier, func(t *testing.T) {
			t.Parallel()
			m := talkative()
			in := wide(t, c.parts)
			in.Models, in.Tier = models(m), tier
			res := review(t, in, Deps{})
			found, verified := m.count("generate"), m.count("verify")
			t.Logf("%d looked, %d verified; %s; %q", found, verified, res.ModelNote, res.Notices)
			if found+verified > c.all || found > c.finding || verified == 0 || verified > maxBatches {
				t.Errorf("%d conversations look and %d verify", found, verified)
			}
			named := len(res.Coverage.Reviewed) + len(res.Coverage.Skimmed)
			testkit.Equal(t, "files named", named, c.parts)
			if tier == tierT4 { // there is room
				return
			}
			testkit.Equal(t, "all of them are had", found+verified, c.all)
			testkit.Equal(t, "state", res.ModelState, ModelPartial)
			if !strings.Contains(res.ModelNote, "parts of the change") || !strings.Contains(res.ModelNote, "groups of findings") {
				t.Errorf("note %q", res.ModelNote)
			}
			for _, n := range res.Coverage.Skimmed {
				testkit.Equal(t, n.Path, n.Why, whyTooMuch)
			}
		})
	}
}

// If there is room for one pass over each part but not for all passes, the others are left out and
// counted.
func TestLooksThatAreLeftOut(t *testing.T) {
	t.Parallel()
	m := &scripted{generate: findings(), verify: confirmAll}
	in := wide(t, 15)
	in.Models, in.Tier = models(m), tierT3
	res := review(t, in, Deps{})
	count := map[string]int{}
	for _, l := range m.asked() {
		count[l]++
	}
	parts := count["strong general"]
	left := 2*parts - len(m.asked())
	want := fmt.Sprintf("%d looks at parts of this change were left out: a review of its depth has at most 40 conversations with models.", left)
	if parts != 15 || left != 4 || len(m.asked()) != 26 || count["strong general-2"] != 11 || !strings.Contains(strings.Join(res.Notices, "\n"), want) || res.ModelState != ModelComplete {
		t.Errorf("passes %v, %d left, notices %q, %s: %s", count, left, res.Notices, res.ModelState, res.ModelNote)
	}
}

// Claims of different symbols are verified together if there are not enough conversations for each
// symbol.
func TestClaimsShareConversations(t *testing.T) {
	t.Parallel()
	var batches [][]*finding.Item
	for i := range 7 {
		batches = append(batches, []*finding.Item{{Finding: domain.Finding{ID: fmt.Sprint(i)}}})
	}
	testkit.Equal(t, "with room", len(fitBatches(batches, 7)), 7)
	got := fitBatches(batches, 6)
	testkit.Equal(t, "without", len(got), 3)
	order := ""
	for _, b := range got {
		for _, it := range b {
			order += it.ID
		}
	}
	testkit.Equal(t, "the order", order, "0123456")
}

// The same change and the same answers give the same review, for any number of processors and any order
// in which calls end.
func TestTheSameReviewAgain(t *testing.T) { //nolint:paralleltest // it sets how many processors there are
	before := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(before)
	first := ""
	for _, n := range []int{1, 2, 4, 8} {
		runtime.GOMAXPROCS(n)
		m := talkative()
		m.verify = confirmAll
		in := wide(t, 4)
		in.Rules = []Rule{{ID: "R1", Title: "Errors", Instruction: "Return them.", Severity: domain.High}}
		in.Models, in.Tier = models(m), tierT3
		res := review(t, in, Deps{})
		for i := range res.Findings {
			res.Findings[i].ID = ""
		}
		raw, err := json.Marshal(res)
		testkit.OK(t, err)
		if first == "" {
			first = string(raw)
			if len(res.Findings) < 20 || m.count("generate") < 10 {
				t.Fatalf("%d findings of %d calls", len(res.Findings), m.count("generate"))
			}
		}
		if string(raw) != first {
			t.Fatalf("with %d processors it is another one:\n%s\nand first\n%s", n, raw, first)
		}
	}
}
