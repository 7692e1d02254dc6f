package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// further is a file with two places of the division, which the change does not touch.
const further = "package shop\n\nfunc Mean(items []Item) int {\n\treturn Total(items) / len(items)\n}\n\nfunc Half(items []Item) int {\n\treturn Total(items) / len(items) / 2\n}\n"

// severalPlaces is the sample change with that file and a file that the policy excludes.
func severalPlaces(t *testing.T, m llm.Client) Input {
	in := sampleChange(t)
	in.Policy.Paths.Exclude = []string{"secret/**"}
	in.Source = enginetest.Files{"LEFT:shop/shop.go": oldGo, "RIGHT:shop/shop.go": newGo, "LEFT:shop/mean.go": further, "RIGHT:shop/mean.go": further,
		"RIGHT:secret/plan.go": further, "LEFT:secret/plan.go": further}
	in.Models = models(m)
	return in
}

func placesOf(f domain.Finding) (out []string) {
	for _, e := range f.AlsoAt() {
		out = append(out, fmt.Sprintf("%s:%d-%d %s", e.Path, e.Start, e.End, strings.TrimSpace(e.Quote)))
	}
	return out
}

// The further places of a finding are those that stand in the code, are shown to the verifier and hold by its verdict.
func TestAFindingHasSeveralPlaces(t *testing.T) {
	t.Parallel()
	const mean, half = "shop/mean.go:4-4 return Total(items) / len(items)", "shop/mean.go:8-8 return Total(items) / len(items) / 2"
	both := []furtherPlace{{"shop/mean.go", 4}, {"shop/mean.go", 8}}
	for name, c := range map[string]struct {
		said    []furtherPlace
		word    string
		holds   []string
		want    []string
		dropped int // not in the code
		unsure  int
	}{
		"both":                       {both, "confirmed", []string{"p1", "p2"}, []string{mean, half}, 0, 0},
		"one holds":                  {both, "confirmed", []string{"P 2"}, []string{half}, 0, 1},
		"none holds":                 {both, "confirmed", nil, nil, 0, 2},
		"labels that are not there":  {both, "confirmed", []string{"p3", "p0", "x"}, nil, 0, 2},
		"the claim is unproven":      {both, "unproven", []string{"p1", "p2"}, nil, 0, 2},
		"the claim is refuted":       {both, "refuted", []string{"p1", "p2"}, nil, 0, 2},
		"its own line and a repeat":  {[]furtherPlace{{"shop/shop.go", 21}, {"shop/mean.go", 4}, {"./shop/mean.go", 4}}, "confirmed", []string{"p1"}, []string{mean}, 0, 0},
		"no file, no line, no code":  {[]furtherPlace{{"shop/none.go", 4}, {"shop/mean.go", 40}, {"shop/mean.go", 2}, {"shop/mean.go", -1}, {"../x", 1}}, "confirmed", []string{"p1"}, nil, 5, 0},
		"an excluded file":           {[]furtherPlace{{"secret/plan.go", 4}, {"shop/mean.go", 4}}, "confirmed", []string{"p1", "p2"}, []string{mean}, 1, 0},
		"more than a report may say": {append(both, make([]furtherPlace, 40)...), "confirmed", []string{"p1", "p2"}, []string{mean, half}, 40, 0},
		"a line behind the path":     {[]furtherPlace{{"shop/mean.go:8", 0}}, "confirmed", []string{"p1"}, []string{half}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := division()
			d.AlsoAt = c.said
			m := &scripted{generate: findings(d), verify: func(_ int, user string) (llm.Response, error) {
				list := verdicts(user, c.word)
				for i := range list {
					if list[i].AlsoAt = c.holds; c.word == "unproven" {
						list[i].RefutationQuote = ""
					}
				}
				if len(c.want) > 0 && !strings.Contains(user, "\nalso at (") {
					t.Errorf("the claim shows no further place: %s", user)
				}
				if strings.Contains(user, "secret/") {
					t.Error("an excluded file is shown")
				}
				return say(map[string]any{"verdicts": list})
			}}
			res := review(t, severalPlaces(t, m), Deps{})
			if len(res.Findings) != 1 {
				t.Fatalf("%+v, dropped %v", res.Findings, res.Stats.Dropped)
			}
			f := res.Findings[0]
			if got := placesOf(f); strings.Join(got, "\n") != strings.Join(c.want, "\n") {
				t.Errorf("also at %q, want %q", got, c.want)
			}
			if res.Stats.Dropped[whyPlace] != c.dropped || res.Stats.Dropped[whyPlaceUnsure] != c.unsure {
				t.Errorf("dropped %v", res.Stats.Dropped)
			}
			if f.Suggestion != nil && f.Suggestion.Applies == (len(c.want) > 0) {
				t.Errorf("the suggestion for one of %d places applies: %v", len(c.want)+1, f.Suggestion.Applies)
			}
		})
	}
}

// A further place proves nothing about the claim, and does not make it surer.
func TestAFurtherPlaceProvesNothing(t *testing.T) {
	t.Parallel()
	sure := map[bool]float64{}
	for _, with := range []bool{false, true} {
		d := division()
		d.Fix = nil
		if with {
			d.AlsoAt = []furtherPlace{{"shop/mean.go", 8}}
		}
		elsewhere := false
		m := &scripted{generate: findings(d), verify: func(_ int, user string) (llm.Response, error) {
			list := verdicts(user, "confirmed")
			for i := range list {
				if list[i].AlsoAt = []string{"p1"}; elsewhere {
					list[i].ConfirmingQuotes = []string{"return Total(items) / len(items) / 2"}
				}
			}
			return say(map[string]any{"verdicts": list})
		}}
		sure[with] = review(t, severalPlaces(t, m), Deps{}).Findings[0].Confidence
		elsewhere = true
		if f := review(t, severalPlaces(t, m), Deps{}).Findings[0]; f.Verdict != domain.VerdictUnproven {
			t.Errorf("%s by the code of another place", f.Verdict)
		}
	}
	if sure[true] != sure[false] {
		t.Errorf("confidence %v with a further place, %v without", sure[true], sure[false])
	}
}

// Models write further places in other ways.
func TestFurtherPlacesInOtherForms(t *testing.T) {
	t.Parallel()
	for _, said := range []string{
		`[{"path":"shop/mean.go","line":8}]`, `[{"file":"shop/mean.go","lines":"8-9"}]`, `{"path":"shop/mean.go","start":8,"end":8}`,
		`["shop/mean.go:8"]`, `"shop/mean.go#L8"`, `[{"path":"shop/mean.go","line":"L8"}]`, `[{"filename":"shop/mean.go","line_number":[8,9]}]`,
	} {
		d, err := say(map[string]any{"findings": []candidate{division()}})
		if err != nil {
			t.Fatal(err)
		}
		d.Text = strings.Replace(d.Text, `"also_at":null`, `"also_at":`+said, 1)
		m := &scripted{generate: func(int, string) (llm.Response, error) { return d, nil }, verify: func(_ int, user string) (llm.Response, error) {
			list := verdicts(user, "confirmed")
			for i := range list {
				list[i].AlsoAt = []string{"p1"}
			}
			return say(map[string]any{"verdicts": list})
		}}
		res := review(t, severalPlaces(t, m), Deps{})
		if got := placesOf(res.Findings[0]); len(got) != 1 || !strings.HasPrefix(got[0], "shop/mean.go:8-8 ") {
			t.Errorf("%s: %q, dropped %v", said, got, res.Stats.Dropped)
		}
	}
}

// A finding that another one lists as a further place is shown once.
func TestAListedPlaceIsOneFinding(t *testing.T) {
	t.Parallel()
	const old = "package x\n\nfunc one() {\n}\n\nfunc two() {\n}\n"
	const now = "package x\n\nfunc one() {\n\tcheckAll(err)\n}\n\nfunc two() {\n\tcheckAll(err)\n}\n"
	at := func(line int, title string, also ...furtherPlace) candidate {
		return candidate{Path: "x.go", Side: "RIGHT", Start: line, End: line, Quote: "\tcheckAll(err)", Category: "bug", RuleKey: "error-ignored", Severity: "high",
			Title: title, Explanation: "The error of " + title + " gets lost on this path.", Trigger: "always", AlsoAt: also}
	}
	for name, c := range map[string]struct {
		holds []string
		want  int
	}{"it holds": {[]string{"p1"}, 1}, "it does not hold": {nil, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := sampleChange(t)
			in.Models = models(&scripted{generate: findings(at(4, "reading the file", furtherPlace{"x.go", 8}), at(8, "closing a socket", furtherPlace{"x.go", 4})),
				verify: func(_ int, user string) (llm.Response, error) {
					list := verdicts(user, "confirmed")
					for i := range list {
						list[i].AlsoAt = c.holds
					}
					return say(map[string]any{"verdicts": list})
				}})
			in.shows(enginetest.Tree{"x.go": old}, enginetest.Tree{"x.go": now}, nil)
			res := review(t, in, Deps{})
			if len(res.Findings) != c.want || c.want == 1 && len(res.Findings[0].AlsoAt()) != 1 {
				t.Errorf("%+v, dropped %v", res.Findings, res.Stats.Dropped)
			}
		})
	}
}

// The limit of an answer grows with the changed lines of its part, within bounds.
func TestTheLimitOfFindingsGrows(t *testing.T) {
	t.Parallel()
	for lines, want := range map[int]string{20: "", 300: "", 301: "At most 7 findings this time, not 6.", 420: "At most 9 findings this time, not 6.", 1500: "At most 10 findings this time, not 6."} {
		var said []string
		m := &scripted{verify: confirmAll, generate: func(_ int, user string) (llm.Response, error) {
			_, rest, _ := strings.Cut(user, "\nlens: general\n")
			line, _, _ := strings.Cut(rest[strings.Index(rest, "\n")+1:], "\n")
			if !strings.HasPrefix(line, "At most") {
				line = ""
			}
			said = append(said, line)
			return findings()(0, "")
		}}
		in := sampleChange(t)
		in.Models, in.Tier = models(m), tierT1
		in.shows(enginetest.Tree{}, enginetest.Tree{"x.go": "package x\n" + strings.Repeat("var _ = 1\n", lines-1)}, nil)
		review(t, in, Deps{})
		if len(said) != 1 || said[0] != want {
			t.Errorf("%d lines: %q, want %q", lines, said, want)
		}
	}
}
