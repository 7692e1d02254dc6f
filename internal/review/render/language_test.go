package render

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/review/criteria"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/wording"
)

// words are texts of a model in one language.
type words struct{ title, explanation, trigger, note, synopsis string }

var modelWords = map[string]words{
	"de": {"Mittelwert teilt bei leerer Liste durch null", "`len(items)` ist 0, wenn nichts übergeben wird. Die Division bricht dann ab.", "`Average(nil)` bricht ab.", "Total nimmt eine leere Liste an", "Fügt `Average` hinzu, den Mittelwert der Preise."},
	"fr": {"Division par zéro pour une liste vide", "`len(items)` vaut 0 sans élément. La division panique alors.", "`Average(nil)` panique.", "Total accepte une liste vide", "Ajoute `Average`, la moyenne des prix."},
	"es": {"División por cero con una lista vacía", "`len(items)` es 0 sin elementos. La división falla entonces.", "`Average(nil)` falla.", "Total acepta una lista vacía", "Añade `Average`, la media de los precios."},
	"pt": {"Divisão por zero com uma lista vazia", "`len(items)` é 0 sem elementos. A divisão falha então.", "`Average(nil)` falha.", "Total aceita uma lista vazia", "Adiciona `Average`, a média dos preços."},
	"ja": {"空のリストでゼロ除算が起きる", "要素がないとき `len(items)` は 0 です。その結果、除算で異常終了します。", "`Average(nil)` で異常終了する。", "合計は空のリストを受け付ける", "価格の平均を返す `Average` を追加する。"},
	"zh": {"空列表会导致除以零", "没有元素时 `len(items)` 为 0。除法随后会崩溃。", "`Average(nil)` 会崩溃。", "求和接受空列表", "新增 `Average`，返回价格的平均值。"},
}

// inWords is a finding of a model that writes in a language.
func inWords(w words, id string, change func(*domain.Finding)) domain.Finding {
	return bug(id, func(f *domain.Finding) {
		f.Title, f.Explanation, f.Trigger, f.Evidence[0].Note = w.title, w.explanation, w.trigger, w.note
		if change != nil {
			change(f)
		}
	})
}

// byCheck is a finding of a check, as checks make them.
func byCheck(id string, origin domain.Origin, rule string, title, explanation string) domain.Finding {
	return bug(id, func(f *domain.Finding) {
		f.Origin, f.RuleID, f.Category, f.Verdict, f.Confidence = origin, rule, domain.CategorySecurity, domain.VerdictSkipped, 1
		f.Title, f.Explanation, f.Trigger, f.Evidence, f.Suggestion = title, explanation, "", nil, nil
	})
}

// every is a review with every part that a summary can have.
func every(w words) Input {
	summary := func(f *domain.Finding) { f.Route = domain.RouteSummary }
	bidi := byCheck("fnd_2", domain.OriginStatic, "assay/unicode-bidi", wording.English(wording.TitleBidi), wording.English(wording.SayBidiMore, "U+202E, U+2066", "5, 6"))
	summary(&bidi)
	in := input(
		inWords(w, "fnd_1", nil),
		bidi,
		byCheck("fnd_3", domain.OriginSecret, "gitleaks/aws-access-token", wording.English(wording.TitleSecret, "aws access token"), wording.English(wording.SaySecret, "aws access token")),
		inWords(w, "fnd_4", func(f *domain.Finding) {
			summary(f)
			f.Verdict, f.Severity, f.Anchor.Path = domain.VerdictUnproven, domain.Medium, ""
		}),
		inWords(w, "fnd_5", func(f *domain.Finding) { summary(f); f.Severity = domain.Low }),
		inWords(w, "fnd_6", func(f *domain.Finding) {
			f.Severity, f.Scope, f.Suggestion.Applies = domain.Info, "pre_existing", false
			f.Earlier = &domain.Earlier{URL: "https://host.example/c/1"}
			f.Evidence = slices.Repeat(f.Evidence, 8)
		}),
		inWords(w, "fnd_7", func(f *domain.Finding) {
			summary(f)
			f.Earlier, f.Scope, f.Severity = &domain.Earlier{}, "pre_existing", domain.Critical
		}),
	)
	r := &in.Result
	r.Synopsis.Text = w.synopsis
	r.Tier, r.Depth, r.Stats.StaticUnchanged = "T4", domain.DepthReduced, 1234
	r.ModelState, r.ModelNote = engine.ModelPartial, strings.Join([]string{wording.English(wording.PartsReviewed, 2, 3), wording.English(wording.FilesTooLarge, 1), wording.English(wording.BudgetUsed)}, ", ")
	r.Tickets = []criteria.Ticket{{Key: "PAY-12", URL: "https://tracker.example/PAY-12", Criteria: 4}, {Key: "PAY-13", KeyOnly: true}, {Key: "PAY-14", Unread: "404"}, {Key: "PAY-15"}}
	check := func(verdict, reason string, places ...domain.Place) {
		c := domain.Criterion{ID: verdict, Text: w.title}
		r.CriterionChecks = append(r.CriterionChecks, domain.CriterionCheck{Ticket: "PAY-12", Criterion: c, Verdict: verdict, Reason: reason, Places: places})
	}
	check(domain.CriterionMet, w.note, domain.Place{Path: "shop/cart.go", StartLine: 3, EndLine: 4})
	check(domain.CriterionPartly, w.note, domain.Place{Path: "shop/cart.go", StartLine: 3, EndLine: 3})
	check(domain.CriterionNotMet, w.note, domain.Place{Path: "**"})
	check(domain.CriterionUnclear, wording.English(wording.CriterionBudget))
	check(domain.CriterionNotApplicable, w.note)
	r.Notices = []string{wording.English(wording.NoticeHidden), wording.English(wording.NoticeInstructions, "AGENTS.md, docs/CLAUDE.md, 3 more"), wording.English(wording.NoticeUnchecked, 2)}
	for _, n := range []string{"a/big.sql", "c.go", "d.go", "e.go"} {
		r.Coverage.Skipped = append(r.Coverage.Skipped, engine.FileNote{Path: n, Why: diff.OmittedLarge})
	}
	return in
}

func inLanguage(tag string, in Input) Input {
	in.Policy.Language = tag
	return in
}

// A whole review in every language: all sections, later pushes, no findings, a missing part, and a
// model that was down.
func TestLanguages(t *testing.T) {
	t.Parallel()
	for tag, w := range modelWords {
		t.Run(tag, func(t *testing.T) {
			t.Parallel()
			later := input(inWords(w, "fnd_8", nil), inWords(w, "fnd_9", func(f *domain.Finding) { f.Earlier = &domain.Earlier{} }))
			later.First, later.Run.PreviousHead = false, "0123456789"
			later.Result.Stats.Earlier, later.Result.Stats.EarlierResolved = 3, 2
			partial := input()
			partial.Result.ModelState, partial.Result.ModelNote = engine.ModelPartial, wording.English(wording.PartsReviewed, 1, 2)
			down := input(byCheck("fnd_3", domain.OriginStatic, "assay/conflict-marker", wording.English(wording.TitleConflict), wording.English(wording.SayConflict)))
			down.Result.ModelState, down.Result.ModelNote = engine.ModelUnavailable, engine.NoteUnavailable
			var b strings.Builder
			for _, c := range []struct {
				name string
				in   Input
			}{{"every part", every(w)}, {"later", later}, {"nothing found", input()}, {"partial", partial}, {"model down", down}} {
				out := Render(inLanguage(tag, c.in))
				fmt.Fprintf(&b, "===== %s\n%s", c.name, dump(out))
				if out.CheckSummary != out.SummaryBody {
					fmt.Fprintf(&b, "\n----- check run\n%s\n", out.CheckSummary)
				}
			}
			golden(t, "language-"+tag+".md", b.String())
		})
	}
}

var (
	fence    = regexp.MustCompile("(?ms)^ *(`{3,})[^`\n]*\n.*?^ *`{3,}$")
	span     = regexp.MustCompile("(`+).*?[^`]`+")
	target   = regexp.MustCompile(`\]\([^)]*\)`)
	tagOfOne = regexp.MustCompile(`</?[a-z]+>`)
	latin    = regexp.MustCompile(`[A-Za-z]{3,}`)
)

// latinWords returns the words of three letters or more outside code, addresses and tags, except names.
func latinWords(text string) []string {
	for _, re := range []*regexp.Regexp{fence, span, target, tagOfOne} {
		text = re.ReplaceAllString(text, "")
	}
	return slices.DeleteFunc(latin.FindAllString(text, -1), func(w string) bool { return w == "API" || w == "Git" || w == "LFS" })
}

// No English word surrounds the model's words: every state, notice, reason, category and check is
// rendered in Japanese, and no word of Latin letters is left outside code.
func TestNoEnglishWordInJapanese(t *testing.T) {
	t.Parallel()
	w := modelWords["ja"]
	var all []Input
	add := func(change func(*Input)) {
		in := every(w)
		change(&in)
		all = append(all, in)
	}
	add(func(*Input) {})
	add(func(in *Input) { in.First, in.Run.PreviousHead, in.Result.Stats.Earlier = false, "0123456", 5 })
	add(func(in *Input) { in.Result.Coverage = engine.Coverage{} })
	add(func(in *Input) { in.Mode = domain.PublishSummaryOnly })
	add(func(in *Input) { in.MaxBody = 1000 })
	add(func(in *Input) {
		in.Result.Findings[0].Explanation = "[x](https://evil.example) https://evil.example"
	})
	for k := wording.WhyLargeChange; k <= wording.WhySymlink; k++ {
		why := wording.English(k)
		add(func(in *Input) {
			in.Result.Coverage.Skipped = []engine.FileNote{{Path: "a.go", Why: why}}
			in.Result.Coverage.Skimmed = slices.Repeat([]engine.FileNote{{Path: "b.go", Why: why}}, 30)
		})
	}
	for _, state := range []string{engine.ModelUnavailable, engine.ModelNone, engine.ModelPartial, engine.ModelComplete} {
		for _, note := range []string{"", engine.NoteNotConfigured, engine.NoteUnavailable, engine.NoteBudget, engine.NoteAuthorLimit, engine.NoteOutsideLimit,
			wording.English(wording.NoUsableAnswer, 3), wording.English(wording.TooLong, 3)} {
			if state == engine.ModelPartial && strings.HasPrefix(note, "limit") || state == engine.ModelPartial && !wording.Clauses.Knows(note) && note != "" {
				continue // notes of other states
			}
			add(func(in *Input) { in.Result.ModelState, in.Result.ModelNote = state, note })
			add(func(in *Input) {
				in.Result.ModelState, in.Result.ModelNote, in.Result.Findings, in.Result.Coverage = state, note, nil, engine.Coverage{}
			})
		}
	}
	for s := domain.Info; s <= domain.Critical; s++ {
		for _, c := range domain.Categories() {
			add(func(in *Input) { in.Result.Findings[0].Severity, in.Result.Findings[0].Category = s, c })
		}
	}
	for _, in := range all {
		out := Render(inLanguage("ja-JP", in))
		texts := []string{out.Body.String(), out.SummaryBody.String(), out.CheckTitle.String(), out.CheckSummary.String()}
		for _, c := range out.Comments {
			texts = append(texts, c.Body.String())
		}
		for _, text := range texts {
			if found := latinWords(text); len(found) > 0 {
				t.Fatalf("%q in\n%s", found, text)
			}
		}
	}
}

// The frame is English if there are no words of the language, or if the tag is not a language tag.
func TestOtherLanguagesHaveAnEnglishFrame(t *testing.T) {
	t.Parallel()
	want := dump(Render(inLanguage("en", every(modelWords["de"]))))
	for _, tag := range []string{"", "nl", "ko-KR", "not a tag"} {
		if got := dump(Render(inLanguage(tag, every(modelWords["de"])))); got != want {
			t.Errorf("%q: got\n%s", tag, got)
		}
	}
}
