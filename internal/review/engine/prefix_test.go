package engine

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/sim/model/prefix"
)

// cached is a model whose provider caches the beginnings of prompts. It records how much of each call
// came from the cache.
type cached struct {
	kept   prefix.Cache
	marks  bool // only marked parts are kept, as with Anthropic and Bedrock
	usages []llm.Usage
}

// Complete implements [llm.Client].
func (c *cached) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	message := r.Messages[0]
	shared, _ := message.Split()
	text := r.System + message.Text
	read := 0
	if c.marks {
		read, _ = c.kept.Marked("", text, 1024*7/2, len(r.System), len(r.System)+len(shared)) // Anthropic keeps 1,024 tokens or more
	} else if read = c.kept.Common(r.CacheKey, text); llm.EstimateTokens(read) < 1024 { // as OpenAI does
		read = 0
	}
	out, err := findings()(0, "")
	out.Usage = llm.Usage{InputTokens: int64(llm.EstimateTokens(len(text))), CachedInputTokens: int64(llm.EstimateTokens(read)), OutputTokens: 10}
	c.usages = append(c.usages, out.Usage)
	return out, err
}

// ListModels implements [llm.Client].
func (c *cached) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// A second pass over a part of the change reads at least 70 % of its input from the cache of a
// provider, whether the provider keeps marked parts or common beginnings. Another review has other
// delimiters and does not.
func TestASecondPassReadsTheCache(t *testing.T) {
	t.Parallel()
	code := lengthy(6_000)
	in := sampleChange(t)
	in.shows(enginetest.Tree{}, enginetest.Tree{"a.go": code}, nil)
	part := enginetest.TargetOf("a.go", 10)
	for i, l := range strings.Split(strings.TrimSuffix(code, "\n"), "\n")[:300] {
		if i < len(part.Hunks[0].Lines) {
			part.Hunks[0].Lines[i].Text = l
		}
	}
	p := prompts{level: ContextFile, src: in.Source, symbol: func(context.Context, string, int) (string, int, int) { return "", 0, 0 },
		rules: []Rule{{ID: "R1", Title: "Errors", Instruction: "Return them.", Severity: domain.High}}}
	for i := range 5 {
		p.earlier = append(p.earlier, earlierFinding{fmt.Sprintf("k%d", i+1), domain.Finding{State: domain.FindingOpen, Title: "Said before"}, domain.Anchor{Path: "a.go"}, true})
	}
	p.rooms = roomsOf(ask.Route{Window: enginetest.LargeWindow}, 3_000, p.partSizes())
	c := change.Chunk{}
	c.Add(part)
	for name, marks := range map[string]bool{"marked parts": true, "common beginnings": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &cached{marks: marks}
			route := ask.Route{Client: model, Model: "m", Tier: "strong", MaxOutputTokens: 1000, Window: enginetest.LargeWindow}
			deps := New(Deps{Checks: newChecker(t)}).deps
			review := newWork(deps, in)
			for i, w := range []*work{review, review, newWork(deps, in)} {
				ps := pass{Pass: finding.Pass{Lens: finding.LensGeneral, Number: i % 2}, route: route, room: p, slots: 1, shared: true}
				ps.room.pr = PullRequest{Title: fmt.Sprintf("Pass %d", i), Body: strings.Repeat(fmt.Sprintf("words of pass %d ", i), 40)}
				if _, err := w.reviewChunk(t.Context(), ps, c, p.prologue(t.Context(), c, route, "en"), 0); err != nil {
					t.Fatal(err)
				}
			}
			share := func(u llm.Usage) int64 { return 100 * u.CachedInputTokens / u.InputTokens }
			first, second, other := share(model.usages[0]), share(model.usages[1]), share(model.usages[2])
			t.Logf("read from the cache: %d %%, %d %% and %d %% of %d tokens", first, second, other, model.usages[1].InputTokens)
			if first != 0 || second < 70 || other >= 70 {
				t.Errorf("the first pass read %d %%, the second %d %%, another review %d %%", first, second, other)
			}
		})
	}
}
