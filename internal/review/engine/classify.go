package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of the data by which a model sorts a change.
const (
	maxClassifiedFiles = 200
	maxClassifiedBytes = 16_000
)

// ClassifyInput describes a change without its code. All of it but Labels is text from outside. Title and Body must not
// contain secrets.
type ClassifyInput struct {
	Title, Body string
	Files       []ChangedFile
	Areas       []string // the areas to pick from
	Labels      []string // the labels to pick from
}

// ChangedFile is a changed file in numbers.
type ChangedFile struct {
	Path                 string
	Additions, Deletions int
}

// Classification is the model's answer about a change. It contains only what was offered.
type Classification struct {
	Kind   string   // one of [domain.ChangeKinds]
	Areas  []string // of those that were offered, at most [domain.MaxTriageAreas]
	Labels []string // of those that were offered, at most [domain.MaxTriageLabels]
	Model  string   // that was asked
}

// classifyAnswer is the model's answer as it stands in the JSON.
type classifyAnswer struct {
	Kind   string   `json:"kind"`
	Areas  []string `json:"areas"`
	Labels []string `json:"labels"`
}

func classifySchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"kind": ask.Enum(domain.ChangeKinds()...), "areas": ask.Array(ask.String),
		"labels": ask.Array(ask.String)}))
}

// Classify asks the fast model what kind of change it is, which areas it is about and which
// labels fit. The answer is kept before it is used. Errors: [ErrBudget] where there is no room for the call, the context's,
// or of the provider or its answer; without any model it is an error, too.
func (e *Engine) Classify(ctx context.Context, models *ask.Models, in ClassifyInput) (Classification, error) {
	route, ok := models.Pick(ask.TierFast)
	if !ok {
		return Classification{}, fmt.Errorf("classify a change: %w: no model is routed", ask.ErrAnswer)
	}
	s := newWork(e.deps, Input{Models: models})
	route.MaxOutputTokens /= 4 // the answer is short; the rest is room for what a model reasons
	type question struct {
		Model string
		ClassifyInput
	}
	text, err := ask.Stored(ctx, s.Session, "triage", question{route.Model, in}, func() (string, error) {
		ans, err := s.Ask(ctx, "triage", route, ask.SystemText("classify", textOf("classify"), s.Guard),
			classifyMessages(s.Guard, in), classifySchema())
		return ans.Text, err
	})
	if err != nil {
		return Classification{Model: route.Model}, fmt.Errorf("classify a change: %w", err)
	}
	out, err := ask.ReadObject[classifyAnswer](ask.Answer{Text: text}, "kind")
	if err != nil {
		return Classification{Model: route.Model}, fmt.Errorf("classify a change: %w: %w", ask.ErrAnswer, err)
	}
	if out.Kind = strings.ToLower(strings.TrimSpace(out.Kind)); !slices.Contains(domain.ChangeKinds(), out.Kind) {
		return Classification{Model: route.Model}, fmt.Errorf("classify a change: %w: the kind is not in the offered list", ask.ErrAnswer)
	}
	return Classification{Kind: out.Kind, Areas: keepOffered(in.Areas, out.Areas, domain.MaxTriageAreas),
		Labels: keepOffered(in.Labels, out.Labels, domain.MaxTriageLabels), Model: route.Model}, nil
}

// keepOffered returns the entries of a list that a model picked, as they were offered, at most most of them.
func keepOffered(all, picked []string, most int) []string {
	out := []string{}
	for _, v := range all {
		if len(out) < most && slices.ContainsFunc(picked, func(p string) bool { return strings.EqualFold(strings.TrimSpace(p), v) }) {
			out = append(out, v)
		}
	}
	return out
}

// classifyMessages writes a change for a model: within bounds, the longest files first.
func classifyMessages(g ask.Guard, in ClassifyInput) []llm.Message {
	files := slices.Clone(in.Files)
	slices.SortStableFunc(files, func(a, b ChangedFile) int { return (b.Additions + b.Deletions) - (a.Additions + a.Deletions) })
	var list strings.Builder
	left := 0
	for i, f := range files {
		line := fmt.Sprintf("%s +%d -%d\n", change.OneLine(change.CleanPath(f.Path)), f.Additions, f.Deletions)
		if i >= maxClassifiedFiles || list.Len()+len(line) > maxClassifiedBytes {
			left = len(files) - i
			break
		}
		list.WriteString(line)
	}
	if left > 0 {
		fmt.Fprintf(&list, "and %d more\n", left)
	}
	title, body := change.CleanProse(in.Title), change.CleanProse(in.Body)
	said := g.Wrap("claims of the author", strings.TrimSpace("title: "+change.OneLine(title)+"\n"+body))
	text := said + g.Wrap("changed files", list.String()) +
		g.Wrap("areas", strings.Join(in.Areas, "\n")) + g.Wrap("labels", strings.Join(in.Labels, "\n"))
	return []llm.Message{{Role: llm.User, Text: text}}
}
