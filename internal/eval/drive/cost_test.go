package drive_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/drive"
	"github.com/assay-dev/assay/internal/eval/script"
	"github.com/assay-dev/assay/internal/eval/seeded"
	"github.com/assay-dev/assay/internal/llm"
	pricelist "github.com/assay-dev/assay/internal/llm/price"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// rates has prices of models of three tiers, in millionths of a dollar per million tokens: Anthropic's prices
// for Claude Haiku, Sonnet and Opus 4.5 (https://www.anthropic.com/pricing).
var rates = map[string]pricelist.Price{
	"fast":     {Input: 1_000_000, Output: 5_000_000, CacheRead: 100_000, CacheWrite: 1_250_000},
	"standard": {Input: 3_000_000, Output: 15_000_000, CacheRead: 300_000, CacheWrite: 3_750_000},
	"strong":   {Input: 5_000_000, Output: 25_000_000, CacheRead: 500_000, CacheWrite: 6_250_000},
}

// used is the usage of the calls of a lens or stage.
type used struct{ calls, input, cached, output, micros int64 }

func (u *used) add(v used) {
	u.calls, u.input, u.cached, u.output, u.micros = u.calls+v.calls, u.input+v.input, u.cached+v.cached, u.output+v.output, u.micros+v.micros
}

// meter adds up the usage of calls, by lens or stage.
type meter struct {
	mu sync.Mutex
	by map[string]*used
}

// all returns the usage of all calls that belong to generation, or of all others.
func (m *meter) all(generation bool) (out used) {
	for name, u := range m.by {
		if generation == (name != "verify" && name != "same") {
			out.add(*u)
		}
	}
	return out
}

// tiered is a scripted model under three names, as if it were three models.
type tiered struct {
	llm.Client
	meter *meter
}

// Complete implements [llm.Client].
func (c tiered) Complete(ctx context.Context, r llm.Request) (llm.Response, error) {
	out, err := c.Client.Complete(ctx, r)
	out.Model = r.Model
	name := prompt.Stage(r.System)
	if name == "generate" {
		name = strings.TrimSuffix(prompt.Lens(r.Messages[0].Text), "-2")
	}
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	if c.meter.by[name] == nil {
		c.meter.by[name] = &used{}
	}
	u := out.Usage
	c.meter.by[name].add(used{1, u.InputTokens, u.CachedInputTokens, u.OutputTokens, rates[r.Model].Cost(u)})
	return out, err
}

func routes(c llm.Client, m *meter) *ask.Models {
	of := func(tier string) ask.Route {
		return ask.Route{Client: tiered{c, m}, Model: tier, Tier: tier, Window: 200_000}
	}
	return &ask.Models{Fast: of("fast"), Standard: of("standard"), Strong: of("strong")}
}

// A price gets the tier of a call beside the model that answered.
func TestPricesGetTheTier(t *testing.T) {
	t.Parallel()
	models := func(c eval.Case, _, head int) (*ask.Models, error) {
		model, err := script.New(script.Options{Name: script.Oracle}, c, head)
		return routes(model, &meter{by: map[string]*used{}}), err
	}
	var mu sync.Mutex
	tiers := map[string]string{}
	run(t, drive.Options{Models: models, Price: func(tier, model string, _ llm.Usage) (int64, bool) {
		mu.Lock()
		defer mu.Unlock()
		tiers[tier] = model
		return 1, true
	}}, defect)
	testkit.Equal(t, "model of the tier strong", tiers["strong"], "strong")
}

// twoRules apply to all files of the seeded cases.
var twoRules = []engine.Rule{{ID: "R1", Title: "Errors are returned", Instruction: "Library code returns errors and does not end the process.", Severity: domain.Medium},
	{ID: "R2", Title: "Queries are bounded", Instruction: "A query for a list has a limit.", Severity: domain.Medium}}

// spent reviews cases at a depth with a noisy model, and returns the usage.
func spent(t *testing.T, set eval.Set, list []eval.Case, tier string) *meter {
	t.Helper()
	m := &meter{by: map[string]*used{}}
	models := func(c eval.Case, _, head int) (*ask.Models, error) {
		model, err := script.New(script.Options{Name: script.Noisy, Seed: 1, Recall: 0.5}, c, head)
		return routes(model, m), err
	}
	got, err := drive.Run(t.Context(), set, list, drive.Options{Checks: checks, Models: models, Rules: twoRules, Tier: tier})
	testkit.OK(t, err)
	for _, o := range got {
		testkit.Equal(t, o.Case.ID, o.Error, "")
	}
	return m
}

// TestWhatDepthsCost measures what reviews use at each depth: every sixth seeded case, with a noisy model,
// two rules, and present prices. With -v it prints the tables of docs/performance/reviews.md. The pass for
// rules costs at most half of T2 without rules. At least half of the input of T3's passes comes from a cache.
func TestWhatDepthsCost(t *testing.T) {
	t.Parallel()
	own, err := seeded.New()
	testkit.OK(t, err)
	all, err := own.Cases(t.Context())
	testkit.OK(t, err)
	var list []eval.Case
	for i := 0; i < len(all); i += 6 {
		list = append(list, all[i])
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	row := func(name string, u used) {
		n := float64(len(list))
		_, _ = fmt.Fprintf(w, "%s\t%.2f\t%.0f\t%d %%\t%.0f\t%.4f\t\n", name, float64(u.calls)/n, float64(u.input)/n, 100*u.cached/max(u.input, 1), float64(u.output)/n, float64(u.micros)/1e6/n)
	}
	_, _ = fmt.Fprintln(w, "\tcalls\tinput\tcached\toutput\tdollars\t")
	for _, tier := range []string{"T1", "T2", "T3", "T4"} {
		m := spent(t, own, list, tier)
		found, verified := m.all(true), m.all(false)
		sum := found
		sum.add(verified)
		row(tier, sum)
		for _, name := range slices.Sorted(maps.Keys(m.by)) {
			row(tier+" "+name, *m.by[name])
		}
		switch tier {
		case "T2":
			if before := sum.micros - m.by["rules"].micros; 2*sum.micros > 3*before {
				t.Errorf("T2 costs %d, and %d without the pass for the rules", sum.micros, before)
			}
		case "T3":
			if 2*found.cached < found.input {
				t.Errorf("the passes of T3 read %d of %d tokens from the cache", found.cached, found.input)
			}
		}
	}
	_ = w.Flush()
	t.Logf("per review of %d:\n%s", len(list), table.String())
}
