package engine

import (
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/internal/wording"
)

// proved confirms the division by its line, with further fields of the verdict.
func proved(with func(*verdict)) (llm.Response, error) {
	v := verdict{Claim: "c1", Verdict: "confirmed", Scope: "introduced", Reachable: "yes", Severity: "high",
		ConfirmingQuotes: []string{"return Total(items) / len(items)"}}
	with(&v)
	return say(map[string]any{"verdicts": []verdict{v}})
}

// divided reviews the change whose only finding gets a verdict with further fields.
func divided(t *testing.T, described string, with func(*verdict)) domain.Finding {
	t.Helper()
	in := looking(t, judging(func(int, llm.Request) (llm.Response, error) { return proved(with) }))
	in.PullRequest.Body = described
	res := review(t, in, Deps{})
	if len(res.Findings) != 1 || res.Findings[0].Verdict != domain.VerdictConfirmed {
		t.Fatalf("%+v", res.Findings)
	}
	return res.Findings[0]
}

// A confirmed finding about code that its author wants so is asked in the summary, if the verdict quotes words that say it.
func TestFindingsThatTheAuthorIntends(t *testing.T) {
	t.Parallel()
	const described = "Average now fails for a list without items, as its callers want."
	for name, c := range map[string]struct {
		intended, quote string
		asked           bool
	}{
		"the description":               {"yes", "fails for a list without items", true},
		"another form of yes":           {"True", "Average now fails for a list", true},
		"the title and the description": {"yes", "Add average\nAverage now fails for a list", true},
		"words of no text":              {"yes", "callers never pass an empty list", false},
		"too few words":                 {"yes", "as its", false},
		"code of the change":            {"yes", "return Total(items) / len(items)", false},
		"no":                            {"no", "fails for a list without items", false},
		"a quote without an answer":     {"", "fails for a list without items", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := divided(t, described, func(v *verdict) { v.Intended, v.IntendedQuote = c.intended, c.quote })
			want := domain.RouteInline
			if c.asked {
				want = domain.RouteSummary
			}
			if f.Route != want || (f.Aside == wording.English(wording.AsideIntended)) != c.asked {
				t.Errorf("%s, %q", f.Route, f.Aside)
			}
		})
	}
}

// A finding that the author's words explain is stated when the author takes them out of the description.
func TestWithdrawnWordsExplainNothing(t *testing.T) {
	t.Parallel()
	const described, words = "Average now fails for a list without items, as its callers want.", "fails for a list without items"
	in := looking(t, judging(func(int, llm.Request) (llm.Response, error) {
		return proved(func(v *verdict) { v.Intended, v.IntendedQuote = "yes", words })
	}))
	in.ReviewedHunks, in.PullRequest.Body = map[string]bool{}, described
	for _, c := range []struct {
		body  string
		asked bool
	}{{described, true}, {"As before, it   fails for a list\nwithout items.", true}, {"Average is new.", false}, {described, false}} {
		in.PullRequest.Body = c.body
		res := review(t, in, Deps{})
		in.publish(res)
		f := res.Open()[0]
		if f.Route != domain.RouteSummary || (f.Aside == wording.English(wording.AsideIntended)) != c.asked {
			t.Errorf("%q: %s, %q", c.body, f.Route, f.Aside)
		}
	}
}

// Tests and documents of the head that were shown say what is intended; other code, and removed files, do not.
func TestPlacesThatSayWhatIsIntended(t *testing.T) {
	t.Parallel()
	const words = "An empty list has no average."
	shown := func(path string, left bool) change.Exhibit {
		e := change.NewExhibit("", []string{words}, 0, 1)
		e.Path, e.Left = path, left
		return e
	}
	for path, want := range map[string]bool{"docs/average.md": true, "README.md": true, "shop_test.go": true, "tests/test_shop.py": true, "shop.go": false} {
		for _, left := range []bool{false, true} {
			c := claim{seen: []change.Exhibit{shown(path, left)}}
			v := verdict{Intended: "yes", IntendedQuote: words}
			testkit.Equal(t, path, c.intends(v, ""), want && !left)
			v.IntendedQuote = strings.Repeat(words, change.MaxProof/10)
			testkit.Equal(t, path+" and an endless quote", c.intends(v, v.IntendedQuote), false)
		}
	}
}

// A confirmation that rests on documented behaviour says so, and costs confidence.
func TestConfirmationsThatRestOnDocuments(t *testing.T) {
	t.Parallel()
	plain := divided(t, "", func(*verdict) {})
	f := divided(t, "", func(v *verdict) {
		v.RestsOn = []basis{{"integer division in Go", "1.26"}, {" ", ""}, {strings.Repeat("long ", 100), ""}, {"a", ""}}
	})
	var notes []string
	for _, e := range f.Evidence {
		if e.Kind == domain.EvidenceDoc {
			notes = append(notes, e.Note)
		}
	}
	if len(notes) != 2 || notes[0] != "integer division in Go 1.26" || len([]rune(notes[1])) > maxDocument+1 {
		t.Errorf("it rests on %q", notes)
	}
	if f.Confidence >= plain.Confidence || f.Confidence < plain.Confidence/2 {
		t.Errorf("confidence %v, without documents %v", f.Confidence, plain.Confidence)
	}
}

// A verifier corrects the trigger of a finding.
func TestACorrectedTrigger(t *testing.T) {
	t.Parallel()
	testkit.Equal(t, "trigger", divided(t, "", func(v *verdict) { v.FinalTrigger = "Average of an empty slice" }).Trigger, "Average of an empty slice")
	testkit.Equal(t, "trigger", divided(t, "", func(*verdict) {}).Trigger, division().Trigger)
}

// A second opinion gets the code that the first check has read, and may prove its verdict with it.
func TestASecondOpinionGetsWhatWasLookedUp(t *testing.T) {
	t.Parallel()
	const mends = "return []Item{{Price: 1, Count: 1}}"
	for name, evidence := range map[string][]citation{
		"of a cited file":   {{Path: "shop/helper.go", Start: 7, End: 7, Quote: "return items"}},
		"of another file":   nil,
		"that is shown too": {{Path: "shop/helper.go", Start: 1, End: 8, Quote: strings.TrimSuffix(helper, "\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := ""
			m := judging(func(n int, r llm.Request) (llm.Response, error) {
				_, user := enginetest.Prompt(r)
				switch {
				case strings.Contains(r.System, "Try to refute"):
					seen = user
					return judged("refuted", mends)
				case n == 0:
					return enginetest.Calling(llm.ToolCall{ID: "a", Name: "read_file", Arguments: `{"path":"shop/helper.go","from":null,"to":null,"side":"RIGHT"}`})
				}
				return judged("unproven", "")
			}, evidence...)
			f := review(t, looking(t, m), Deps{}).Findings[0]
			if !strings.Contains(seen, "looked up by the first check:\n```\n--- shop/helper.go:1-8\n    1   package shop\n") {
				t.Errorf("the second opinion gets:\n%s", seen)
			}
			want := domain.VerdictRefuted
			if evidence == nil { // the code has nothing to do with the claim
				want = domain.VerdictUnproven
			}
			testkit.Equal(t, "verdict", f.Verdict, want)
		})
	}
}

// A second opinion gets at most eight pieces of forty lines, and none where the claim itself has little room.
func TestLookedUpCodeIsBounded(t *testing.T) {
	t.Parallel()
	files, seen := enginetest.Files{}, []change.Exhibit(nil)
	for _, name := range strings.Fields("a b c d e f g h i j") {
		text := strings.Repeat("line();\n", 100)
		files["RIGHT:"+name+".go"] = text
		e := change.NewExhibit("Go", strings.Split(text, "\n"), 0, 1)
		e.Path = name + ".go"
		seen = append(seen, e, e)
	}
	hit := change.NewExhibit("Go", []string{"one hit of a search"}, 0, 7)
	hit.Path = "hit.go"
	places := lookedLines(append([]change.Exhibit{hit}, seen...))
	if len(places) != maxLooked || places[0] != (finding.Lines{Path: "a.go", First: 1, Last: 100}) {
		t.Fatalf("%+v", places)
	}
	neighbour := change.NewExhibit("Go", []string{"the next line"}, 0, 101)
	neighbour.Path = "a.go"
	testkit.Equal(t, "joined", lookedLines([]change.Exhibit{seen[0], neighbour, hit})[0], finding.Lines{Path: "a.go", First: 1, Last: 101})
	places = append(places, finding.Lines{Path: "gone.go", First: 1, Last: 3}, finding.Lines{Path: "a.go", First: 900, Last: 901})
	files["RIGHT:wide.go"], files["LEFT:old.go"] = strings.Repeat("x", 5000)+"\n", "gone()\n"
	places = append(places, finding.Lines{Path: "wide.go", First: 1, Last: 1}, finding.Lines{Path: "old.go", Left: true, First: 1, Last: 1})
	set, err := diff.Parse([]byte(spoolPatch))
	testkit.OK(t, err)
	shows := func(v view) (string, []change.Exhibit) {
		c := claim{set: set, it: &finding.Item{Check: finding.Check{Looked: places}}}
		return c.lookedBefore(t.Context(), files, v), c.seen
	}
	text, proof := shows(view{looked: maxLookedBytes})
	if n := strings.Count(text, "line();"); n != maxLooked*maxLookedLines || !strings.Contains(text, "[lines 41-100 are left out]\n") || len(proof) != len(places)-2 {
		t.Errorf("%d lines, %d pieces:\n%s", n, len(proof), text)
	}
	if !strings.Contains(text, "--- wide.go:1-1\n    1   xxx") || len(text) > maxLookedBytes || !strings.Contains(text, "--- old.go:1-1 (before the change, no longer there)\n") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	text, proof = shows(view{looked: 2000})
	if !strings.Contains(text, "--- d.go:1-40 [left out: no room]\n") || len(text) > 3000 || len(proof) > 5 {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	text, proof = shows(view{looked: maxLookedBytes, done: places})
	if strings.Contains(text, "line();") || !strings.Contains(text, "--- a.go:1-40, as at an earlier claim\n") || len(proof) != len(places)-2 {
		t.Errorf("code of an earlier claim is shown again:\n%s", text)
	}
	if text, proof := shows(view{margin: 3}); text != "" || proof != nil {
		t.Errorf("without room:\n%s", text)
	}
}

// Claims whose lines overlap show them once, at the first of them.
func TestClaimsShareTheirLines(t *testing.T) {
	t.Parallel()
	at := func(path string, side domain.Side, first, last int) *finding.Item {
		return &finding.Item{Finding: domain.Finding{Anchor: domain.Anchor{Path: path, Side: side, StartLine: first, EndLine: last}}}
	}
	got := sharedViews([]*finding.Item{at("a.go", "", 50, 50), at("a.go", domain.Right, 100, 110), at("a.go", domain.Left, 100, 110),
		at("b.go", domain.Right, 100, 110), at("a.go", domain.Right, 0, 0), at("a.go", domain.Right, 400, 400), at("a.go", domain.Right, 5, 160)}, view{margin: 40})
	both, near, own := change.Span{First: 1, Last: 200}, change.Span{First: 1, Last: 180}, change.Span{First: 60, Last: 150}
	for i, want := range []struct {
		union, near change.Span
		with        string
	}{{both, near, ""}, {both, near, "c1"}, {own, change.Span{First: 80, Last: 130}, ""}, {own, change.Span{First: 80, Last: 130}, ""}, {},
		{change.Span{First: 360, Last: 440}, change.Span{First: 380, Last: 420}, ""}, {both, near, "c1"}} {
		if v := got[i]; v.union != want.union || v.near != want.near || v.with != want.with || v.margin != 40 {
			t.Errorf("claim %d: %+v, want %+v", i+1, v, want)
		}
	}
	set, err := diff.Parse([]byte(spoolPatch))
	testkit.OK(t, err)
	s := scene{set: set, src: enginetest.Files{"LEFT:spool.go": spoolBefore, "RIGHT:spool.go": spoolAfter}}
	items := []*finding.Item{at("spool.go", domain.Right, 8, 8), at("spool.go", domain.Right, 15, 15)}
	items[0].Anchor.Quote, items[1].Anchor.Quote = "s.metrics.count(len(files))", "func (s *Spool) Close() error { return s.flushPending() }"
	var all string
	var claims []claim
	for i, v := range sharedViews(items, view{margin: 10}) {
		c := s.claim(t.Context(), items[i], v)
		c.ID = claimID(i)
		claims, all = append(claims, c), all+c.Text
	}
	if n := strings.Count(all, "s.metrics.count(len(files)) //"); n != 1 || !strings.Contains(claims[1].Text, "code: with its removed lines as at claim c1\n") {
		t.Errorf("the line is shown %d times:\n%s", n, all)
	}
	for i, c := range claims {
		testkit.Equal(t, "its own line confirms", c.confirms(items[i].Anchor.Quote), true)
		testkit.Equal(t, "the other's line confirms", c.confirms(items[1-i].Anchor.Quote), false)
		testkit.Equal(t, "the other's line refutes", c.refutes(items[1-i].Anchor.Quote), true)
	}
}

// A claim about a removed definition shows the places that still use it.
func TestPlacesThatStillUseARemovedName(t *testing.T) {
	t.Parallel()
	base := enginetest.Tree{"price.go": "package p\n\nfunc RoundUp(n int) int {\n\treturn n + 1\n}\n\nfunc Other() {}\n", "use.go": "package p\n\nfunc use() int {\n\treturn RoundUp(41)\n}\n"}
	head := enginetest.Tree{"price.go": "package p\n\nfunc Other() {}\n", "use.go": base["use.go"]}
	prompt := ""
	in := sampleChange(t)
	in.Models = models(&scripted{generate: findings(removal("price.go", "func RoundUp(n int) int {")),
		verify: func(_ int, user string) (llm.Response, error) {
			prompt += user
			return judged("confirmed", "return RoundUp(41)")
		}})
	in.shows(base, head, nil)
	in.Source = grepped{in.Source.(enginetest.Files), &[]snapshot.Query{}}
	res := review(t, in, Deps{})
	testkit.Equal(t, "verdict", res.Findings[0].Verdict, domain.VerdictConfirmed)
	if !strings.Contains(prompt, "still used here:\n```\n--- use.go:3-5 (still used here, removed by this change: RoundUp)\n    3   func use() int {\n    4   \treturn RoundUp(41)\n") {
		t.Errorf("the verifier gets:\n%s", prompt)
	}
}

// Claims that the verifier calls the same become one finding if the code bears it out.
func TestClaimsThatReportOneDefect(t *testing.T) {
	t.Parallel()
	item := func(start int, rule, quote string, verdict domain.Verdict) *finding.Item {
		return &finding.Item{Finding: domain.Finding{RuleID: rule, Verdict: verdict, Severity: domain.Severity(start % 3),
			Anchor:       domain.Anchor{Path: "a.go", Side: domain.Right, Level: domain.AnchorLine, StartLine: start, EndLine: start, Quote: quote},
			Fingerprints: domain.Fingerprints{Exact: rule + quote}}}
	}
	const yes, open = domain.VerdictConfirmed, domain.VerdictUnproven
	const one, other = "defer unlock(mutex, folder)", "return errors.New(message)"
	for name, c := range map[string]struct {
		a, b  *finding.Item
		same  []string // of c1 and of c2
		left  int
		place bool // the survivor lists the other's place
	}{
		"not the same":                  {item(5, "llm/a", one, yes), item(6, "llm/b", other, yes), []string{"", ""}, 2, false},
		"the same, on neighbouring":     {item(5, "llm/a", one, yes), item(6, "llm/b", other, yes), []string{"", "c1"}, 1, true},
		"each names the other":          {item(5, "llm/a", one, yes), item(6, "llm/b", other, yes), []string{"c2", "c1"}, 1, true},
		"the same lines":                {item(5, "llm/a", one, yes), item(5, "llm/b", one, yes), []string{"", "C1"}, 1, false},
		"far away, by one rule":         {item(5, "llm/a", one, yes), item(90, "llm/a", other, yes), []string{"", "c1"}, 1, true},
		"far away, alike code":          {item(5, "llm/a", one, yes), item(90, "llm/b", "defer unlock(mutex, file)", yes), []string{"", "c1"}, 1, true},
		"far away, another rule":        {item(5, "llm/a", one, yes), item(90, "llm/b", other, yes), []string{"", "c1"}, 2, false},
		"one of them is not proved":     {item(5, "llm/a", one, open), item(6, "llm/b", other, yes), []string{"", "c1"}, 2, false},
		"a claim is the same as itself": {item(5, "llm/a", one, yes), item(6, "llm/b", other, yes), []string{"c1", ""}, 2, false},
		"no such claim":                 {item(5, "llm/a", one, yes), item(6, "llm/b", other, yes), []string{"c9", ""}, 2, false},
		"the answer denies it":          {item(5, "llm/a", one, yes), item(6, "llm/b", other, yes), []string{"", "not c1"}, 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.a.By, c.b.By = []finding.Pass{{Lens: finding.LensGeneral}}, []finding.Pass{{Lens: finding.LensGeneral, Number: 2}}
			claims := []claim{{ID: "c1", it: c.a}, {ID: "c2", it: c.b}}
			w := newWork(New(Deps{}).deps, sampleChange(t))
			w.linkTwins(claims, []verdict{{Claim: "c1", SameAs: strings.ToLower(c.same[0])}, {Claim: "c2", SameAs: strings.ToLower(c.same[1])}})
			w.result.Stats.Dropped, w.redact = map[string]int{}, func(text string) string { return text }
			most := max(c.a.Severity, c.b.Severity)
			got := w.joinTwins([]*finding.Item{c.a, c.b})
			if len(got) != c.left || w.result.Stats.Dropped[whyDuplicate] != 2-c.left || len(w.result.Discarded) != 2-c.left {
				t.Fatalf("%d findings are left, %v", len(got), w.result.Discarded)
			}
			if c.left == 1 && (len(got[0].By) != 2 || got[0].Severity != most || (len(got[0].Evidence) == 1) != c.place) {
				t.Errorf("%+v", got[0])
			}
		})
	}
}

// Two findings under one rule in a symbol are folded only if their code is alike.
func TestOtherCodeIsNotARepeat(t *testing.T) {
	t.Parallel()
	at := func(line int, quote string) *finding.Item {
		return &finding.Item{Finding: domain.Finding{Origin: domain.OriginModel, RuleID: "llm/correctness/error-ignored", Title: "The error is lost", Route: domain.RouteInline, Verdict: domain.VerdictConfirmed,
			Anchor: domain.Anchor{Path: "a.go", Symbol: "Save", Side: domain.Right, Level: domain.AnchorLine, StartLine: line, EndLine: line, Quote: quote}}}
	}
	items := []*finding.Item{at(3, "file.Close(handle)"), at(9, "json.Unmarshal(raw, &settings)"), at(15, "file.Close(other)"), at(20, "json.Unmarshal(raw, &values)")}
	foldRepeated(items)
	var shown []int
	for _, it := range items {
		if it.Published() {
			shown = append(shown, it.Anchor.StartLine)
		}
	}
	if !slices.Equal(shown, []int{3, 9}) || len(items[0].Evidence) != 1 || len(items[1].Evidence) != 1 {
		t.Errorf("shown: %v", shown)
	}
}

// A claim shows the lines that were removed beside its place, and not those of the rest of its hunk.
func TestRemovedLinesNearAClaim(t *testing.T) {
	t.Parallel()
	set, err := diff.Parse([]byte("diff --git a/a.go b/a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,6 +1,5 @@\n-first\n+1st\n second\n-third\n fourth\n-fifth\n+5th\n-last\n+end\n"))
	testkit.OK(t, err)
	f := set.File("a.go")
	for _, c := range []struct {
		first, last int
		want        string
	}{{1, 1, "    1 - first\n"}, {3, 3, "    3 - third\n    5 - fifth\n"}, {1, 5, "    1 - first\n    3 - third\n    5 - fifth\n    6 - last\n"}, {40, 50, ""}} {
		testkit.Equal(t, "removed", removedNear(f, c.first, c.last), c.want)
	}
}

// A claim is not folded into one that would be shown otherwise.
func TestClaimsThatAreShownOtherwiseStay(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(it *finding.Item){
		"nothing":              nil,
		"a rule":               func(it *finding.Item) { it.Category, it.RuleID = domain.CategoryRule, "repo/R1" },
		"a hole":               func(it *finding.Item) { it.Category = domain.CategorySecurity },
		"a matter of style":    func(it *finding.Item) { it.Category = domain.CategoryMaintainability },
		"of before the change": func(it *finding.Item) { it.Scope = "pre_existing" },
		"meant so":             func(it *finding.Item) { it.Intended = true },
		"on reviewed lines":    func(it *finding.Item) { it.Reviewed = true },
		"on an unchanged line": func(it *finding.Item) { it.Changed = false },
		"an earlier finding":   func(it *finding.Item) { it.ID = "fnd_1" },
		"words of a tool":      func(it *finding.Item) { it.RepeatsTool = true },
		"a whole file":         func(it *finding.Item) { it.Anchor.Level, it.Anchor.Quote = domain.AnchorFile, "" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			one := func() *finding.Item {
				return &finding.Item{Changed: true, Finding: domain.Finding{RuleID: "llm/correctness/a", Category: domain.CategoryBug, Scope: "introduced", Verdict: domain.VerdictConfirmed,
					Anchor: domain.Anchor{Path: "a.go", Side: domain.Right, Level: domain.AnchorLine, StartLine: 4, EndLine: 4, Quote: "check(everything)"}}}
			}
			for _, swapped := range []bool{false, true} {
				a, b := one(), one()
				if change != nil && swapped {
					change(a)
				} else if change != nil {
					change(b)
				}
				w := newWork(New(Deps{}).deps, sampleChange(t))
				w.linkTwins([]claim{{ID: "c1", it: a}, {ID: "c2", it: b}}, []verdict{{Claim: "c1", SameAs: "c2"}})
				testkit.Equal(t, "folded", a.Twin == b, change == nil)
			}
		})
	}
}

// Documented behaviour may be named in a string, which some models give instead of an object.
func TestDocumentsInOtherForms(t *testing.T) {
	t.Parallel()
	m := judging(func(int, llm.Request) (llm.Response, error) {
		return enginetest.Reply(`{"verdicts":[{"claim":"c1","verdict":"confirmed","scope":"introduced","reachable":"yes","severity":"high",` +
			`"confirming_quotes":["return Total(items) / len(items)"],"rests_on":["the specification of Go"],"same_as":null}]}`), nil
	})
	f := review(t, looking(t, m), Deps{}).Findings[0]
	if f.Verdict != domain.VerdictConfirmed || f.Documents() != 1 {
		t.Errorf("%s (%s), %+v", f.Verdict, f.VerdictWhy, f.Evidence)
	}
}
