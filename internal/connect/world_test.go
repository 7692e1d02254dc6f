package connect_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/check"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/telemetry"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

var bg = context.Background()

// world is a run whose tiers are routed to a simulated model.
type world struct {
	storetest.World
	t      *testing.T
	store  *store.Store
	sim    *model.Server
	models *connect.Models

	process func(*store.Store) *connect.Models // opens models as a separate process would
}

func newWorld(t *testing.T, s *store.Store, o model.Options) *world {
	t.Helper()
	sim, base := simulated(t, o)
	w := &world{World: storetest.Seed(t, s), t: t, store: s, sim: sim}
	w.process = func(s *store.Store) *connect.Models {
		m := reaching(t, base, time.Second, func(catalog.Key) string { return "/v1" })
		m.Store = s
		return m
	}
	w.models = w.process(s)
	return w
}

// simulated starts a simulated model.
func simulated(t *testing.T, o model.Options) (sim *model.Server, base string) {
	t.Helper()
	sim, err := model.New(o)
	testkit.OK(t, err)
	server := httptest.NewServer(sim.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(sim.Close)
	return sim, server.URL
}

// reaching opens models whose requests all go to a server of the test, whatever address their keys have. at
// returns the path of a kind's interface.
func reaching(t *testing.T, base string, attempt time.Duration, at func(catalog.Key) string, ports ...int) *connect.Models {
	t.Helper()
	u, err := url.Parse(base)
	testkit.OK(t, err)
	port, err := strconv.Atoi(u.Port())
	testkit.OK(t, err)
	return &connect.Models{Factory: outbound.New(outbound.Policy{LoopbackPorts: append(ports, port)}), Attempt: attempt, Idle: attempt, MaxResponse: 1 << 20, Concurrency: 8,
		Logger: telemetry.Discard(), Endpoint: func(k catalog.Key) string { return base + at(k) }}
}

// route routes the tiers to the models sim-fast, sim-standard and sim-strong of one key. more has other parts
// of the policy.
func (w *world) route(effort string, more domain.ModelPolicy) {
	w.t.Helper()
	key := store.Credential{ID: domain.NewID("crd"), Name: "sim", Kind: catalog.Compatible, BaseURL: "https://sim.example.com/v1"}
	storetest.Credential(w.t, w.store, w.Tenant, key)
	more.Tiers = map[string]domain.TierRoute{}
	for _, tier := range domain.RequiredTiers() {
		more.Tiers[tier] = domain.TierRoute{CredentialID: key.ID, Model: "sim-" + tier, ReasoningEffort: effort}
	}
	w.put("", store.SettingModelPolicy, more)
}

func (w *world) put(repository, kind string, v any) {
	w.t.Helper()
	body, err := json.Marshal(v)
	testkit.OK(w.t, err)
	testkit.OK(w.t, w.store.PutSetting(bg, w.Tenant, repository, kind, string(body)))
}

// prices sets the prices of the three models: one, two and four dollars per million input tokens, ten times
// as much for output, and a tenth for cached input.
func (w *world) prices() {
	w.put("", store.SettingPrices, json.RawMessage(`{"items":[
		{"model":"sim-fast","inputMicros":1000000,"outputMicros":10000000,"cacheReadMicros":100000},
		{"model":"sim-standard","inputMicros":2000000,"outputMicros":20000000,"cacheReadMicros":200000},
		{"model":"sim-strong","inputMicros":4000000,"outputMicros":40000000,"cacheReadMicros":400000,"cacheWriteMicros":5000000}]}`))
}

func (w *world) open() (*ask.Models, ask.Recorder) {
	w.t.Helper()
	m, r, err := w.models.Open(bg, w.Run, nil)
	testkit.OK(w.t, err)
	return m, r
}

// files is a snapshot in memory.
type files map[string]string

func (f files) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if s, ok := f[string(side)+":"+path]; ok {
		return []byte(s), nil
	}
	return nil, fs.ErrNotExist
}

// review reviews a small change: one added function with a defect, and no secret, so that every finding is
// the model's.
func (w *world) review() (engine.Result, error) {
	w.t.Helper()
	scan, err := check.NewScanner()
	testkit.OK(w.t, err)
	m, r := w.open()
	after := "package shop\n\nfunc Average(sum, n int) int {\n\treturn sum / n\n}\n"
	diff := "diff --git a/shop.go b/shop.go\nnew file mode 100644\n--- /dev/null\n+++ b/shop.go\n@@ -0,0 +1,5 @@\n+" + strings.ReplaceAll(strings.TrimSuffix(after, "\n"), "\n", "\n+") + "\n"
	return engine.New(engine.Deps{Checks: &check.Checker{Scanner: scan}, Recorder: r, Logger: telemetry.Discard()}).Review(bg, engine.Input{Repository: w.Repository.ID, BaseSHA: "a", MergeBase: "a", HeadSHA: "b",
		PullRequest: engine.PullRequest{Number: 1, Title: "Add average"}, Policy: domain.DefaultPolicy(), Diff: []byte(diff), Source: files{"RIGHT:shop.go": after}, Models: m})
}

// finds returns the rules of a model that reports the division and confirms it.
func finds() []model.Rule {
	return []model.Rule{{Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: []model.Finding{{Path: "shop.go", LineContains: "return sum / n", Title: "Division by zero",
		Explanation: "n can be 0.", Trigger: "Average(1, 0)", Category: "bug", RuleKey: "division-by-zero", Severity: "high"}}, Usage: &model.Usage{Input: 1000, Cached: 600, Output: 50}}},
		{Match: model.Match{Stage: "verify"}, Reply: model.Reply{Verify: &model.Verify{}, Usage: &model.Usage{Input: 500, Output: 20, Reasoning: 5}}}}
}

// outcome describes an engine's result: the state of the model's part, the verdict on its finding, and why
// the review is incomplete.
func outcome(r engine.Result, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	verdict := "none"
	if len(r.Findings) > 0 {
		verdict = string(r.Findings[0].Verdict)
	}
	return strings.TrimSuffix(fmt.Sprintf("%s, %s, %s", r.ModelState, verdict, r.ModelNote), ", ")
}
