package connect_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/connect"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/jobs"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/review"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

// reviews is the orchestrator with real model clients. One server simulates all six kinds of providers. Every
// case is a tenant with its own keys and models, so that all cases can run at the same time.
type reviews struct {
	t       *testing.T
	store   *store.Store
	host    *reviewtest.Host
	app     store.App
	sim     *model.Server
	keyring *secret.Keyring
}

// window is how long the model may be down before a review is decided without it. A job that was put off once
// returns within it.
const window = 10 * time.Second

// newReviews builds the orchestrator. Its clients may also reach the given ports of loopback.
func newReviews(t *testing.T, s *store.Store, ports ...int) *reviews {
	t.Helper()
	sim, base := simulated(t, model.Options{APIKey: simKey, Rules: append(finds(), model.Rule{Match: model.Match{Stage: "intent"}, Reply: model.Reply{JSON: json.RawMessage(`{"intent":"An average per shop."}`)}})})
	f := &reviews{t: t, store: s, host: reviewtest.NewHost(), app: storetest.App(t, s), sim: sim, keyring: storetest.Keyring(t, s)}
	models := reaching(t, base, 3*time.Second, func(k catalog.Key) string { return pathOf[k.Kind] }, ports...)
	models.Store, models.Keyring = s, f.keyring
	services := reviewtest.New(t, s, f.host, models, shops{})
	services.Review.Window = window
	reviewtest.Work(t, services,
		jobs.Settings{Lease: 30 * time.Second, Heartbeat: 10 * time.Second, Sweep: time.Second, Relay: time.Second, BackoffFirst: time.Hour, BackoffMax: time.Hour},
		map[domain.Lane]int{domain.LaneDelivery: 4, domain.LaneReview: 128, domain.LanePublish: 8, domain.LaneBackground: 4})
	return f
}

const simKey = "key-of-the-simulated-providers"

// pathOf has the path of the simulated model's interface, by kind of key.
var pathOf = map[string]string{catalog.Compatible: "/v1", catalog.OpenAI: "/v1", catalog.Azure: "/openai/v1", catalog.Mistral: "/mistral/v1", catalog.Anthropic: "", catalog.Bedrock: ""}

// shops provides snapshots with one added function that divides. The leaky head also has a key in it.
type shops struct{}

type shop string

// leaky is the head that contains a secret.
var leaky = storetest.SHA("leaky")

const leak = "AKIA" + "Q3EGRX7N5B2VKJ4M"

func (shops) Open(_ context.Context, _ codehost.Reader, _ codehost.Repo, _ int, _, head string, _ ...string) (review.Snapshot, error) {
	after := "package shop\n\nfunc Average(sum, n int) int {\n\treturn sum / n\n}\n"
	if head == leaky {
		after += `var key = "` + leak + `"` + "\n"
	}
	return shop(after), nil
}

func (s shop) Diff(context.Context) ([]byte, error) {
	lines := strings.Split(strings.TrimSuffix(string(s), "\n"), "\n")
	return fmt.Appendf(nil, "diff --git a/shop.go b/shop.go\nnew file mode 100644\n--- /dev/null\n+++ b/shop.go\n@@ -0,0 +1,%d @@\n+%s\n", len(lines), strings.Join(lines, "\n+")), nil
}

func (s shop) Blob(_ context.Context, side domain.Side, path string) ([]byte, error) {
	if path != "shop.go" || side == domain.Left {
		return nil, fs.ErrNotExist
	}
	return []byte(s), nil
}

func (shop) At(string) guideline.Tree { return nil }

func (shop) Notice() string { return "" }

func (shop) Close() error { return nil }

// modelCase is one review of one pull request.
type modelCase struct {
	name   string
	kind   string      // of the keys
	head   string      // leaky has a secret
	tier   string      // the tier whose model has the fault
	fault  model.Fault // without an action there is no fault
	least  int         // minimum of requests to that model
	silent bool        // the model gets no request
	// change changes the policy of the tenant; may be nil.
	change func(t *testing.T, p *domain.ModelPolicy)
	want   string // $MODEL is the model of the tier

	number int
	tenant domain.Tenant
	guid   string
}

func (c *modelCase) model(tier string) string { return fmt.Sprintf("case-%d-%s", c.number, tier) }

// begin creates the tenant of a case with its key and routes, sets the fault at the case's model, and
// delivers its pull request.
func (f *reviews) begin(c *modelCase) {
	t, s := f.t, f.store
	c.tenant = storetest.Tenant(t, s)
	inst := storetest.Installation(t, s, f.app, c.tenant)
	policy := domain.ModelPolicy{Tiers: map[string]domain.TierRoute{}}
	for _, tier := range domain.RequiredTiers() { // a key for each tier, because pauses and breakers belong to a key
		key := store.Credential{ID: domain.NewID("crd"), Name: tier, Kind: c.kind, BaseURL: "https://sim.example.com/v1", Region: "eu-central-1", Resource: "sim"}
		sealed, err := f.keyring.SealSecret(bg, connect.CredentialScope(c.tenant, key.ID), secret.New(simKey))
		testkit.OK(t, err)
		key.APIKey = sealed
		storetest.Credential(t, s, c.tenant, key)
		route := domain.TierRoute{CredentialID: key.ID, Model: c.model(tier)}
		if c.fault.Action == model.RejectEffort && tier == c.tier {
			route.ReasoningEffort = "low"
		}
		policy.Tiers[tier] = route
	}
	if c.change != nil {
		c.change(t, &policy)
	}
	f.put(c.tenant, store.SettingModelPolicy, policy)
	f.put(c.tenant, store.SettingPrices, map[string]any{"items": []map[string]any{
		{"model": c.model("fast"), "inputMicros": 1_000_000, "outputMicros": 10_000_000}, {"model": c.model("standard"), "inputMicros": 2_000_000, "outputMicros": 20_000_000},
		{"model": c.model("strong"), "inputMicros": 4_000_000, "outputMicros": 40_000_000}}})
	if c.fault.Action != "" {
		c.fault.Match.Model = c.model(c.tier)
		_, err := f.sim.SetFault(c.fault)
		testkit.OK(t, err)
	}
	pr := codehost.PullRequest{Number: c.number, Title: "Averages", Body: "Shops want averages. " + strings.Repeat("Pasted log. ", 200), Author: "mona", AuthorID: "5", Association: codehost.AssociationOwner, Open: true,
		HeadSHA: c.head, BaseSHA: storetest.SHA("base"), BaseRef: "main", HeadRef: "topic", UpdatedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	f.host.Set(pr)
	c.guid = fmt.Sprintf("case-%d", c.number)
	reviewtest.Deliver(t, s, f.app.ID, c.guid, codehost.Event{Kind: codehost.KindPullRequest, Name: "pull_request", Action: "opened", PullRequest: &pr,
		Repository:   &codehost.RepoInfo{ExternalID: domain.NumberID(int64(1000 + c.number)), Owner: "octo", Name: fmt.Sprintf("repo-%d", c.number), DefaultBranch: "main"},
		Installation: &codehost.Installation{ID: inst.ExternalID, AccountLogin: inst.AccountLogin, AccountID: inst.AccountID, AccountType: "Organization"}})
}

func (f *reviews) put(t domain.Tenant, kind string, v any) {
	f.t.Helper()
	body, err := json.Marshal(v)
	testkit.OK(f.t, err)
	testkit.OK(f.t, f.store.PutSetting(bg, t, "", kind, string(body)))
}

// outcome describes how a case ended: the state of the run with its reason, or the text of its one visible
// review.
func (f *reviews) outcome(c *modelCase) string {
	d := reviewtest.Delivery(f.t, f.store, c.guid)
	if d.RunID == "" {
		return "no run: " + string(d.Disposition) + " " + d.Reason
	}
	run, err := f.store.RunForWork(bg, d.RunID)
	testkit.OK(f.t, err)
	reviews, err := f.host.Reviews(bg, codehost.Repo{}, c.number)
	testkit.OK(f.t, err)
	if run.State != domain.RunCompleted {
		return fmt.Sprintf("%s with %d reviews: %s", run.State, len(reviews), run.Reason)
	}
	if len(reviews) != 1 || reviews[0].State != codehost.ReviewSubmitted {
		return fmt.Sprintf("%s with %d reviews", run.State, len(reviews))
	}
	known, err := f.store.KnownFindings(bg, c.tenant, run.PullRequest)
	testkit.OK(f.t, err)
	parts := []string{string(run.State), "model " + run.ModelState}
	slices.SortFunc(known, func(a, b store.KnownFinding) int { return cmp.Compare(a.Origin, b.Origin) })
	for _, k := range known {
		verdict := string(k.Verdict)
		if k.Origin.Deterministic() {
			verdict = string(k.Origin)
		}
		parts = append(parts, fmt.Sprintf("%s, %s", verdict, k.Route))
	}
	for line := range strings.Lines(reviews[0].Body) {
		if strings.HasPrefix(line, "Only deterministic checks") || strings.HasPrefix(line, "The model's review is incomplete") {
			parts = append(parts, strings.TrimSpace(line))
		}
	}
	return strings.Join(parts, "; ")
}

// calls counts requests by model.
func calls(all []model.Request) map[string]int {
	out := map[string]int{}
	for _, q := range all {
		out[q.Model]++
	}
	return out
}

// ended waits until all reviews are over.
func (f *reviews) ended(all []*modelCase) {
	f.t.Helper()
	over := func(c *modelCase) bool {
		d := reviewtest.Delivery(f.t, f.store, c.guid)
		if d.RunID == "" {
			return d.Disposition != ""
		}
		run, err := f.store.RunForWork(bg, d.RunID)
		testkit.OK(f.t, err)
		return run.State.Terminal()
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(5 * time.Minute); ; <-tick.C {
		for len(all) > 0 && over(all[0]) {
			all = all[1:]
		}
		if len(all) == 0 {
			return
		}
		if time.Now().After(end) {
			f.t.Fatalf("%d reviews do not end; the first is %s", len(all), all[0].name)
		}
	}
}

// run reviews all cases at once and compares their outcomes.
func (f *reviews) run(all []*modelCase) {
	for i, c := range all {
		c.number = i + 1
		f.begin(c)
	}
	f.ended(all)
	sent := f.sim.Requests(true)
	for _, q := range sent {
		if strings.Contains(string(q.Body), leak) {
			f.t.Errorf("a secret of the change was sent to %s of %s", q.Path, q.Model)
		}
	}
	counted := calls(sent)
	for _, c := range all {
		f.t.Run(c.name, func(t *testing.T) {
			testkit.Equal(t, "outcome", f.outcome(c), strings.ReplaceAll(c.want, "$MODEL", c.model(c.tier)))
			if n := counted[c.model(c.tier)]; n < c.least || c.silent && n > 0 {
				t.Errorf("the model got %d requests, want at least %d", n, c.least)
			}
		})
	}
}
