package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/wording"
)

// Bounds of the call that explains results of analysers (design choices).
const (
	maxExplained         = 40  // results; more would not fit in one answer
	maxResultExplanation = 400 // characters
	resultMargin         = 6   // lines of the change shown before and after a result
	maxResultCode        = 2 << 10
)

// explainedResult is an element of the model's answer.
type explainedResult struct {
	Result      string `json:"result"` // its label
	Explanation string `json:"explanation"`
}

func resultsSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"results": ask.Array(ask.Object(ask.Schema{"result": ask.String, "explanation": ask.String}))}))
}

// explainResults lets the strong model explain and order the new results of analysers, in one call, if the policy wants that. The
// model deletes no result and changes no severity: its order counts among findings of equal rank only, and results that it does not
// name follow. The summary states how many have no explanation, and why. The error is that of the context.
func (w *work) explainResults(ctx context.Context, fresh []*finding.Item) error {
	var items []*finding.Item
	for _, it := range fresh {
		if _, ok := domain.AnalyserOf(it.RuleID); ok && rowOf(routed{it, w.in.Policy}).to != toStore && w.suppressedBy(it.Finding) == "" {
			items = append(items, it)
		}
	}
	if !w.in.Policy.AnalyserExplanations || len(items) == 0 {
		return nil
	}
	route, ok := w.in.Models.Pick(ask.TierStrong)
	switch {
	case !ok, w.in.Depth == domain.DepthReduced:
		w.note(wording.English(wording.NoticeUnexplainedModel))
		return nil
	case w.BudgetUsedUp():
		w.note(wording.English(wording.NoticeUnexplainedBudget))
		return nil
	}
	total := len(items)
	slices.SortStableFunc(items, func(a, b *finding.Item) int { return cmp.Compare(b.Severity, a.Severity) })
	items = items[:min(total, maxExplained)]
	answer, err := w.askForResults(ctx, route, items)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ask.ErrBudget):
		w.note(wording.English(wording.NoticeUnexplainedBudget))
		return nil
	case err != nil:
		w.deps.Logger.WarnContext(ctx, "results of analysers not explained", slog.Int("results", total), slog.Any("error", err))
		w.note(wording.English(wording.NoticeUnexplainedAnswer))
		return nil
	}
	if left := total - w.takeExplanations(items, answer); left > 0 {
		w.note(wording.English(wording.NoticeUnexplainedSome, left))
	}
	return nil
}

// askForResults asks the model once. An answer that an interrupted run got is used again.
func (w *work) askForResults(ctx context.Context, route ask.Route, items []*finding.Item) ([]explainedResult, error) {
	blocks := make([]string, len(items))
	for i, it := range items {
		blocks[i] = w.describeResult(it)
	}
	language := w.explanationLanguage()
	key := struct {
		Model, Effort, Language string
		Results                 []string
	}{route.Model, string(route.Effort), language, blocks}
	return ask.Stored(ctx, w.Session, "results", key, func() ([]explainedResult, error) {
		var b strings.Builder
		for i, block := range blocks {
			b.WriteString(w.Guard.Wrap(fmt.Sprintf("result r%d", i+1), block))
		}
		ans, err := w.Ask(ctx, "results", route, ask.SystemText("results", textOf("results")+ask.LanguageRule(language), w.Guard),
			[]llm.Message{{Role: llm.User, Text: b.String()}}, resultsSchema())
		if err != nil {
			return nil, err
		}
		got, err := ask.ReadPart[explainedResult](ans, "results")
		return got.Items, err
	})
}

// describeResult returns a result as the model sees it: without secrets, and with the lines of the change around it.
func (w *work) describeResult(it *finding.Item) string {
	a := it.Anchor
	var b strings.Builder
	fmt.Fprintf(&b, "rule: %s\nseverity: %s\nplace: %s:%d\nmessage: %s\n", it.RuleID, it.Severity, change.CleanPath(a.Path), a.StartLine,
		change.OneLine(change.StripInvisible(it.Explanation)))
	f := w.set.File(a.Path)
	if f == nil || a.StartLine == 0 {
		return b.String()
	}
	size := b.Len()
	for _, h := range f.Hunks {
		for _, l := range h.Lines {
			if l.New >= a.StartLine-resultMargin && l.New <= a.EndLine+resultMargin && l.New > 0 && b.Len()-size < maxResultCode {
				fmt.Fprintf(&b, "%d %s\n", l.New, change.Cut(change.StripInvisible(l.Text), 300))
			}
		}
	}
	return b.String()
}

// takeExplanations gives results their places and the explanations that can be shown, and returns how many have one. Unknown labels
// and repeated ones are ignored.
func (w *work) takeExplanations(items []*finding.Item, answer []explainedResult) (explained int) {
	place := 0
	for _, e := range answer {
		i := slices.IndexFunc(items, func(it *finding.Item) bool { return it.Place == 0 && ask.Label("r", e.Result) == labelOf(items, it) })
		if i < 0 {
			continue
		}
		place++
		items[i].Place = place
		if text := w.showableExplanation(e.Explanation); text != "" {
			items[i].Evidence = append(slices.Clone(items[i].Evidence), domain.Evidence{Kind: domain.EvidenceModel, Note: text})
			explained++
		}
	}
	return explained
}

func labelOf(items []*finding.Item, it *finding.Item) string {
	return fmt.Sprintf("r%d", slices.Index(items, it)+1)
}

// explanationLanguage returns the language of explanations: that of the policy, or English if the checks of [showableExplanation] do
// not know it.
func (w *work) explanationLanguage() string {
	if _, known := scriptsOf(w.in.Policy.Language); !known {
		return "en"
	}
	return cmp.Or(w.in.Policy.Language, "en")
}

// showableExplanation returns a model's explanation without secrets, or "" if readers must not see it. The code and the messages of
// analysers may have influenced it. So it has the bounds of [work.showableSynopsis], but two sentences: it must not acquit a result.
func (w *work) showableExplanation(text string) string {
	if len(text) > maxResultExplanation*utf8.UTFMax || w.Servers.Repeated(text) {
		return ""
	}
	text = w.redact(strings.TrimSpace(text))
	if utf8.RuneCountInString(text) > maxResultExplanation || !isTwoSentences(text) || hasAddress(text) || hasMention(text) ||
		hasJudgement(text) || !isWrittenIn(w.explanationLanguage(), text) {
		return ""
	}
	return change.OneLine(text)
}

// isTwoSentences reports whether a text is one sentence or two.
func isTwoSentences(text string) bool {
	if isOneSentence(text) {
		return true
	}
	for i, r := range text {
		rest := text[i+utf8.RuneLen(r):]
		next, _ := utf8.DecodeRuneInString(rest)
		ends := strings.ContainsRune("。！？", r) || strings.ContainsRune(".!?", r) && unicode.IsSpace(next)
		if ends && isOneSentence(text[:i+utf8.RuneLen(r)]) {
			return isOneSentence(strings.TrimSpace(rest))
		}
	}
	return false
}
