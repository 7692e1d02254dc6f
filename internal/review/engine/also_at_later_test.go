package engine

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// push is a head of a pull request with what models say about it. Without verify there is no model.
type push struct {
	head   enginetest.Tree
	found  []candidate
	verify func(int, string) (llm.Response, error)
}

// pushes reviews one head after the other and publishes each result. It returns the last one, and the first published finding. The
// findings have a state from the first review on.
func pushes(t *testing.T, base enginetest.Tree, state domain.FindingState, heads ...push) (last Result, first domain.Finding) {
	t.Helper()
	in := sampleChange(t)
	in.ReviewedHunks = map[string]bool{}
	for i, p := range heads {
		in.Models = nil
		if p.verify != nil {
			in.Models = models(&scripted{generate: findings(p.found...), verify: p.verify})
		}
		in.shows(base, p.head, nil)
		last = review(t, in, Deps{})
		in.publish(last)
		if i > 0 {
			continue
		}
		for j := range in.Known {
			if in.Known[j].Known {
				in.Known[j].State, first = state, in.Known[j]
				if state == domain.FindingSuppressed {
					in.Suppressions = []domain.Suppression{fingerprintOf(first)}
				}
			}
		}
	}
	return last, first
}

// confirmBy confirms all claims by a quotation, and names places with the same defect.
func confirmBy(quote string, also ...string) func(int, string) (llm.Response, error) {
	return func(_ int, user string) (llm.Response, error) {
		list := verdicts(user, "confirmed")
		for i := range list {
			list[i].AlsoAt, list[i].ConfirmingQuotes = also, []string{quote}
		}
		return say(map[string]any{"verdicts": list})
	}
}

const (
	uncheckedClose = "package x\n\nfunc three() {\n\tcloseAll(file, err)\n}\n"
	uncheckedFlush = "package x\n\nfunc four() {\n\tflushAll(file, err)\n}\n"
)

// guarded puts a condition before a line.
func guarded(text, line string) string {
	return strings.Replace(text, line, "\tif err != nil {\n\t\treturn\n\t}\n"+line, 1)
}

// The place that becomes a finding's own is one of the change, has the code that the verdict quotes, and is asked about when its hunk changes.
func TestThePlaceThatBecomesAFindingsOwn(t *testing.T) {
	t.Parallel()
	const first, place = "\treadAll(file, err)", "\tcloseAll(file, err)"
	base := enginetest.Tree{"x.go": uncheckedOld}
	both := enginetest.Tree{"x.go": uncheckedNow, "y.go": uncheckedClose}
	three := enginetest.Tree{"x.go": uncheckedNow, "y.go": uncheckedClose, "z.go": uncheckedFlush}
	edited := strings.Replace(uncheckedNow, first, "\treturn decode(body)", 1)
	quoted := confirmBy("closeAll(file, err)", "p1")
	for name, c := range map[string]struct {
		base  enginetest.Tree
		also  []furtherPlace
		heads []push
		path  string // "" if the finding is resolved
		line  int
	}{
		"a condition is put before it": {base, []furtherPlace{{"y.go", 4}}, []push{{head: both},
			{head: enginetest.Tree{"x.go": uncheckedOld, "y.go": uncheckedClose}, verify: quoted},
			{head: enginetest.Tree{"x.go": uncheckedOld, "y.go": guarded(uncheckedClose, place)}, verify: refuteAll}}, "", 0},
		"a condition is put before it, in the file of the first": {base, []furtherPlace{{"x.go", 8}}, []push{{head: enginetest.Tree{"x.go": uncheckedNow}},
			{head: enginetest.Tree{"x.go": edited}, verify: quoted},
			{head: enginetest.Tree{"x.go": guarded(edited, place)}, verify: refuteAll}}, "", 0},
		"another place is mended": {base, []furtherPlace{{"y.go", 4}, {"z.go", 4}}, []push{{head: three},
			{head: enginetest.Tree{"x.go": uncheckedOld, "y.go": guarded(uncheckedClose, place), "z.go": uncheckedFlush},
				verify: confirmBy("flushAll(file, err)", "p2")}}, "z.go", 4},
		"another place is mended, the quotation is of lines around it": {base, []furtherPlace{{"y.go", 4}, {"z.go", 4}}, []push{{head: three},
			{head: enginetest.Tree{"x.go": uncheckedOld, "y.go": guarded(uncheckedClose, place), "z.go": uncheckedFlush},
				verify: confirmBy("package x\n\nfunc four() {", "p2")}}, "z.go", 4},
		"the quotation has a line more": {base, []furtherPlace{{"y.go", 4}}, []push{{head: both},
			{head: enginetest.Tree{"x.go": edited, "y.go": uncheckedClose}, verify: confirmBy("func three() {\n\tcloseAll(file, err)", "p1")}}, "y.go", 4},
		"the change does not touch it": {enginetest.Tree{"x.go": uncheckedOld, "y.go": uncheckedClose}, []furtherPlace{{"y.go", 4}}, []push{{head: both},
			{head: enginetest.Tree{"x.go": edited, "y.go": uncheckedClose}, verify: quoted},
			{head: enginetest.Tree{"x.go": edited, "y.go": uncheckedClose}, verify: quoted}}, "x.go", 4},
		"it is all that is left, and the change does not touch it": {enginetest.Tree{"x.go": uncheckedOld, "z.go": uncheckedFlush},
			[]furtherPlace{{"y.go", 4}, {"z.go", 4}}, []push{{head: three},
				{head: enginetest.Tree{"x.go": uncheckedOld, "y.go": guarded(uncheckedClose, place), "z.go": uncheckedFlush},
					verify: confirmBy("flushAll(file, err)", "p2")}}, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.heads[0].found, c.heads[0].verify = []candidate{unchecked(c.also...)}, confirmBy("readAll(file, err)", "p1", "p2")
			res, k := pushes(t, c.base, domain.FindingOpen, c.heads...)
			if len(k.AlsoAt()) != len(c.also) {
				t.Fatalf("first: %+v", k)
			}
			if got := slices.Contains(res.Resolved, k.ID); got != (c.path == "") {
				t.Fatalf("resolved %v, findings %+v", got, res.Findings)
			}
			if c.path == "" {
				return
			}
			if f := res.Findings[0]; len(res.Findings) != 1 || f.ID != k.ID || f.Anchor.Path != c.path || f.Anchor.StartLine != c.line || f.Anchor.HunkID == "" || f.Anchor.Symbol == "" {
				t.Errorf("%+v", res.Findings)
			}
		})
	}
}

// A finding is asked about again when one of its places is gone, because the verdict may have rested on that one. It is not resolved
// while no verifier has answered.
func TestAFindingIsAskedAboutWhenAPlaceIsGone(t *testing.T) {
	t.Parallel()
	const first, place = "\treadAll(file, err)", "\tcloseAll(file, err)"
	edited := strings.Replace(uncheckedNow, first, "\treturn decode(body)", 1)
	mended := strings.Replace(uncheckedClose, place, "\treturn closeAll(file)", 1)
	unproven := func(_ int, user string) (llm.Response, error) {
		return say(map[string]any{"verdicts": verdicts(user, "unproven")})
	}
	silent := func(int, string) (llm.Response, error) { return say(map[string]any{"verdicts": []verdict{}}) }
	at := func(x, y string) enginetest.Tree { return enginetest.Tree{"x.go": x, "y.go": y} }
	then := confirmBy("closeAll(file, err)", "p1")
	for name, c := range map[string]struct {
		base     enginetest.Tree
		heads    []push
		resolved bool
	}{
		"its own lines were guarded": {nil, []push{{head: at(guarded(uncheckedNow, first), uncheckedClose), verify: then},
			{head: at(guarded(uncheckedNow, first), mended), verify: refuteAll}}, true},
		"its own lines still have the defect": {nil, []push{{head: at(uncheckedNow, mended), verify: confirmAll}}, false},
		"its own lines were edited, the place is of the base": {enginetest.Tree{"y.go": uncheckedClose}, []push{{head: at(edited, uncheckedClose), verify: then},
			{head: at(edited, mended), verify: refuteAll}}, true},
		"no verifier answers at first": {nil, []push{{head: at(guarded(uncheckedNow, first), uncheckedClose), verify: then},
			{head: at(guarded(uncheckedNow, first), mended), verify: silent},
			{head: at(guarded(uncheckedNow, first), mended), verify: refuteAll}}, true},
		"there is no model at first": {nil, []push{{head: at(guarded(uncheckedNow, first), uncheckedClose), verify: then},
			{head: at(guarded(uncheckedNow, first), mended)},
			{head: at(guarded(uncheckedNow, first), mended), verify: refuteAll}}, true},
		"the place is further down":                      {nil, []push{{head: at(uncheckedNow, "// y\n"+uncheckedClose), verify: refuteAll}}, false},
		"its file is taken back, there is no model":      {nil, []push{{head: at(uncheckedOld, uncheckedClose)}}, false},
		"both files are taken back, without a model":     {nil, []push{{head: enginetest.Tree{"x.go": uncheckedOld}}}, true},
		"its file is taken back, no place is confirmed":  {nil, []push{{head: at(uncheckedOld, uncheckedClose), verify: unproven}}, true},
		"its file is taken back, the quotation is wrong": {nil, []push{{head: at(uncheckedOld, uncheckedClose), verify: confirmBy("nothing of the kind is there")}}, false},
		"its file is taken back, the model is silent":    {nil, []push{{head: at(uncheckedOld, uncheckedClose), verify: silent}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := enginetest.Tree{"x.go": uncheckedOld}
			maps.Copy(base, c.base)
			heads := append([]push{{at(uncheckedNow, uncheckedClose), []candidate{unchecked(furtherPlace{"y.go", 4})}, confirmBy("readAll(file, err)", "p1")}}, c.heads...)
			res, k := pushes(t, base, domain.FindingOpen, heads...)
			if got := slices.Contains(res.Resolved, k.ID); len(k.AlsoAt()) != 1 || got != c.resolved || !c.resolved && len(res.Findings) != 1 {
				t.Errorf("resolved %v, findings %+v", got, res.Findings)
			}
		})
	}
}

// A report at a further place of an earlier finding is stored, whether the place was named or folded, if it says no more than the
// finding does.
func TestAPlaceOfAnEarlierFindingIsNotSaidAgain(t *testing.T) {
	t.Parallel()
	again := func(line int, quote string, change func(*candidate)) candidate {
		c := unchecked()
		c.Start, c.End, c.Quote, c.Title, c.Explanation = line, line, quote, "A failure is not reported", "The caller continues as after a success."
		if change != nil {
			change(&c)
		}
		return c
	}
	const read, shut = "\treadAll(file, err)", "\tcloseAll(file, err)"
	twice := strings.Replace(uncheckedNow, read+"\n", read+"\n\tlog(file)\n"+read+"\n", 1)
	edited := strings.Replace(twice, "log(file)", "log(files)", 1)
	named := []push{{enginetest.Tree{"x.go": twice}, []candidate{unchecked(furtherPlace{"x.go", 10})}, confirmPlaces}}
	unkind := unchecked(furtherPlace{"x.go", 10})
	unkind.RuleKey = "other"
	others := []push{{enginetest.Tree{"x.go": twice}, []candidate{unkind}, confirmPlaces}}
	folded := []push{{enginetest.Tree{"x.go": twice}, []candidate{unchecked(), again(6, read, nil)}, confirmAll}}
	for name, c := range map[string]struct {
		before []push
		found  candidate
		want   bool   // it is shown
		head   string // "" for edited
	}{
		"named":                   {named, again(10, shut, nil), false, ""},
		"folded":                  {folded, again(6, read, nil), false, ""},
		"with the line before it": {named, again(9, "func two() {\n"+shut, func(c *candidate) { c.End = 10 }), false, ""},
		"another defect without a kind of its own": {others, again(10, shut, func(c *candidate) { c.RuleKey = "other" }), true, ""},
		"with a new place":                         {named, again(10, shut, func(c *candidate) { c.AlsoAt = []furtherPlace{{"x.go", 6}} }), true, ""},
		"another line":                             {named, again(6, read, nil), true, ""},
		"another rule":                             {named, again(10, shut, func(c *candidate) { c.RuleKey = "resource-leak" }), true, ""},
		"more severe":                              {named, again(10, shut, func(c *candidate) { c.Severity = "critical" }), true, ""},
		"all of the function around":               {named, again(3, strings.Join(strings.Split(edited, "\n")[2:11], "\n"), func(c *candidate) { c.End = 11 }), true, ""},
		"an equal line at its number":              {named, again(10, shut, nil), false, strings.Replace(edited, "func two", "func more() {\n"+shut+"\n}\n\nfunc two", 1)},
	} {
		for _, state := range []domain.FindingState{domain.FindingOpen, domain.FindingDismissed, domain.FindingSuppressed} {
			t.Run(name+", "+string(state), func(t *testing.T) {
				t.Parallel()
				confirm := func(_ int, user string) (llm.Response, error) {
					list := verdicts(user, "confirmed")
					for i := range list {
						list[i].Severity, list[i].AlsoAt = "critical", []string{"p1"}
					}
					return say(map[string]any{"verdicts": list})
				}
				res, k := pushes(t, enginetest.Tree{"x.go": uncheckedOld}, state, append(c.before, push{enginetest.Tree{"x.go": cmp.Or(c.head, edited)}, []candidate{unchecked(), c.found}, confirm})...)
				shown := slices.ContainsFunc(res.Findings, func(f domain.Finding) bool { return !f.Known && f.Route != domain.RouteStored })
				want := c.want || state != domain.FindingOpen && c.head != "" // a person has not seen this line
				if len(k.AlsoAt()) != 1 || shown != want || res.Stats.Dropped[whyRepeated] > 0 == want {
					t.Errorf("shown %v, first %+v, then %+v, dropped %v", shown, k, res.Findings, res.Stats.Dropped)
				}
			})
		}
	}
}

// While no verifier answers, a place has the line at which its code stands, and one that is gone stays listed.
func TestPlacesOfAFindingThatNoVerifierJudged(t *testing.T) {
	t.Parallel()
	edited := strings.Replace(uncheckedNow, "\treadAll(file, err)", "\treturn decode(body)", 1)
	silent := func(int, string) (llm.Response, error) { return say(map[string]any{"verdicts": []verdict{}}) }
	res, k := pushes(t, enginetest.Tree{"x.go": uncheckedOld}, domain.FindingOpen,
		push{enginetest.Tree{"x.go": uncheckedNow, "y.go": uncheckedClose, "z.go": uncheckedFlush},
			[]candidate{unchecked(furtherPlace{"y.go", 4}, furtherPlace{"z.go", 4})}, confirmBy("readAll(file, err)", "p1", "p2")},
		push{head: enginetest.Tree{"x.go": edited, "y.go": "// y\n" + uncheckedClose, "z.go": "package x\n"}, verify: silent})
	if len(res.Findings) != 1 || res.Findings[0].ID != k.ID {
		t.Fatalf("%+v", res.Findings)
	}
	at := map[string]int{}
	for _, e := range res.Findings[0].AlsoAt() {
		at[e.Path] = e.Start
	}
	if !maps.Equal(at, map[string]int{"y.go": 5, "z.go": 4}) {
		t.Errorf("places %v", at)
	}
}

// A place that becomes an earlier finding's own is not said again by a report of the same run.
func TestAReportAtThePlaceThatBecomesAFindingsOwn(t *testing.T) {
	t.Parallel()
	const first, place = "\treadAll(file, err)", "\tcloseAll(file, err)"
	there := func(path string, line int) candidate {
		c := unchecked()
		c.Path, c.Start, c.End, c.Quote, c.Title, c.Explanation = path, line, line, place, "A failure is not reported", "The caller continues as after a success."
		return c
	}
	edited := strings.Replace(uncheckedNow, first, "\treturn decode(body)", 1)
	for name, c := range map[string]struct {
		also   furtherPlace
		before enginetest.Tree
		then   push
	}{
		"in its file": {furtherPlace{"x.go", 8}, enginetest.Tree{"x.go": uncheckedNow},
			push{enginetest.Tree{"x.go": edited}, []candidate{there("x.go", 8)}, confirmBy("closeAll(file, err)", "p1")}},
		"in another file": {furtherPlace{"y.go", 4}, enginetest.Tree{"x.go": uncheckedNow, "y.go": uncheckedClose},
			push{enginetest.Tree{"x.go": uncheckedOld, "y.go": "// y\n" + uncheckedClose}, []candidate{there("y.go", 5)}, confirmBy("closeAll(file, err)", "p1")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, k := pushes(t, enginetest.Tree{"x.go": uncheckedOld}, domain.FindingOpen, push{c.before, []candidate{unchecked(c.also)}, confirmPlaces}, c.then)
			shown := slices.DeleteFunc(res.Open(), func(f domain.Finding) bool { return f.Route == domain.RouteStored })
			if len(shown) != 1 || shown[0].ID != k.ID || shown[0].Anchor.Quote != place || res.Stats.Dropped[whyRepeated] != 1 {
				t.Errorf("%+v, dropped %v", shown, res.Stats.Dropped)
			}
		})
	}
}

// unreadable is a source that fails for one file.
type unreadable struct {
	change.Source
	path string
}

func (s unreadable) Blob(ctx context.Context, side domain.Side, path string) ([]byte, error) {
	if path == s.path {
		return nil, errors.New("it cannot be read now")
	}
	return s.Source.Blob(ctx, side, path)
}

// A finding whose code is gone stays while a verifier that cannot confirm it has not seen all of its places.
func TestAFindingWithAPlaceThatIsNotShown(t *testing.T) {
	t.Parallel()
	edited := strings.Replace(uncheckedNow, "readAll(file, err)", "return decode(body)", 1)
	unproven := func(_ int, user string) (llm.Response, error) {
		return say(map[string]any{"verdicts": verdicts(user, "unproven")})
	}
	refuted := func(_ int, user string) (llm.Response, error) {
		list := verdicts(user, "refuted")
		for i := range list {
			list[i].RefutationQuote = "return decode(body)"
		}
		return say(map[string]any{"verdicts": list})
	}
	for _, c := range []struct {
		judge    func(int, string) (llm.Response, error)
		fails    bool
		resolved bool
	}{{unproven, true, false}, {unproven, false, true}, {refuted, true, true}} {
		in := sampleChange(t)
		base := enginetest.Tree{"x.go": uncheckedOld, "y.go": uncheckedClose}
		in.Models = models(&scripted{generate: findings(unchecked(furtherPlace{"y.go", 4})), verify: confirmPlaces})
		in.shows(base, enginetest.Tree{"x.go": uncheckedNow, "y.go": uncheckedClose}, nil)
		k := review(t, in, Deps{}).Findings[0]
		k.Known = true
		in.Models, in.Known = models(&scripted{generate: findings(), verify: c.judge}), []domain.Finding{k}
		in.shows(base, enginetest.Tree{"x.go": edited, "y.go": uncheckedClose}, nil)
		if c.fails {
			in.Source = unreadable{in.Source, "y.go"}
		}
		if res := review(t, in, Deps{}); slices.Contains(res.Resolved, k.ID) != c.resolved {
			t.Errorf("resolved %v, findings %+v", res.Resolved, res.Findings)
		}
	}
}
