package review_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm/chat"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/guideline"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

const noPrintln = "Never use fmt.Println in handlers."

// picking are rules of a simulated model that picks sentences of AGENTS.md, reports the line that
// breaks the first of them, and confirms it.
func picking(sentences ...string) []model.Rule {
	list := []map[string]string{}
	for _, s := range sentences {
		list = append(list, map[string]string{"text": s})
	}
	raw, _ := json.Marshal(map[string]any{"sentences": list})
	return []model.Rule{
		{Match: model.Match{Stage: "guidelines"}, Reply: model.Reply{JSON: raw}},
		{Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: []model.Finding{{Path: "a.go", LineContains: "fmt.Println", Title: "A handler prints",
			Explanation: "The handler writes to the standard output.", Category: "rule", RuleKey: "repo/" + guideline.ID("AGENTS.md", sentences[0]), Severity: "critical"}}}},
		{Match: model.Match{Stage: "verify"}, Reply: model.Reply{Verify: &model.Verify{}}},
	}
}

// simulated routes every tier of a fixture to a simulated model that is reached like a real one.
func simulated(t *testing.T, f *reviewtest.Fixture, rules []model.Rule) *model.Server {
	t.Helper()
	sim, err := model.New(model.Options{Rules: rules})
	testkit.OK(t, err)
	server := httptest.NewServer(sim.Handler())
	t.Cleanup(server.Close)
	t.Cleanup(sim.Close)
	client, err := chat.New(chat.Config{BaseURL: server.URL + "/v1/", HTTP: server.Client()})
	testkit.OK(t, err)
	f.Stop()
	f.Service.Models = routed{ask.Route{Client: client, Model: model.DefaultModels()[0]}}
	f.Start()
	return sim
}

type routed struct{ to ask.Route }

func (r routed) Open(context.Context, store.Run, func(context.Context) bool) (*ask.Models, ask.Recorder, error) {
	return &ask.Models{Fast: r.to, Standard: r.to, Strong: r.to}, nil, nil
}

// asked returns the number of calls of a stage.
func asked(sim *model.Server, stage string) (n int) {
	for _, r := range sim.Requests(false) {
		if r.Stage == stage {
			n++
		}
	}
	return n
}

// shown returns everything that the host shows of the pull request.
func shown(t *testing.T, f *reviewtest.Fixture) string {
	t.Helper()
	out := strings.Join(f.Host.Visible(), "\n")
	reviews, err := f.Host.Reviews(bg, codehost.Repo{}, 1)
	testkit.OK(t, err)
	for _, r := range reviews {
		comments, err := f.Host.ReviewComments(bg, codehost.Repo{}, 1, r.ID)
		testkit.OK(t, err)
		for _, c := range comments {
			out += "\n" + c.Body
		}
	}
	return out
}

// A run reads the guideline files of the target branch, quotes the sentence that the change breaks, and
// stores the picked sentences, so that the next run asks no model for them.
func TestARunHoldsTheChangeAgainstGuidelines(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		sim := simulated(t, f, picking(noPrintln, "Wrap errors with %w."))
		f.Policy(`{"guidelineFiles":true}`)
		f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {
			"AGENTS.md":                       "# Rules\n\n- " + noPrintln + "\n- Wrap errors with %w.\n- Be kind.\n",
			".github/copilot-instructions.md": strings.Repeat("x", 5<<20),
		}}
		f.Snapshots.Lines[storetest.SHA("a")] = `func handle() { fmt.Println("a") }`
		f.Snapshots.Lines[storetest.SHA("b")] = `func handle() { fmt.Println("b") }`
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		body := shown(t, f)
		for _, want := range []string{"`AGENTS.md`", "/blob/" + storetest.SHA("base") + "/AGENTS.md#0-0): “Never use `fmt.Println` in handlers.”", "Guideline files that were not read", "copilot-instructions.md"} {
			if !strings.Contains(body, want) {
				t.Errorf("%q is missing from the text: %s", want, body)
			}
		}
		repositories, err := f.Store.Repositories(bg, f.World.Tenant)
		testkit.OK(t, err)
		held := domain.DefaultPolicy()
		held.GuidelineFiles = true
		known, err := policy.Guidelines(bg, f.Store, f.World.Tenant, repositories[0].ID, held)
		testkit.OK(t, err)
		if len(known) != 2 || known[0].Text != noPrintln || known[0].File != "AGENTS.md" || known[0].Commit != storetest.SHA("base") {
			t.Errorf("known: %+v", known)
		}
		testkit.Equal(t, "questions for sentences", asked(sim, "guidelines"), 1)
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
		testkit.Equal(t, "questions after the next run", asked(sim, "guidelines"), 1)
		testkit.Equal(t, "runs that found", asked(sim, "generate"), 2)

		f.Snapshots.Base[storetest.SHA("base")] = map[string]string{"CLAUDE.md": "Be kind."}
		f.Want(f.Deliver(f.Event("synchronize", "c")), domain.DispositionRun, "completed completed completed")
		known, err = policy.Guidelines(bg, f.Store, f.World.Tenant, repositories[0].ID, held)
		testkit.OK(t, err)
		testkit.Equal(t, "known after the file is gone", len(known), 0)
	})
}

// Guidelines are read only if the policy says so. People who look at the rules see those of the default
// branch.
func TestGuidelinesOfTheTargetBranch(t *testing.T) {
	for name, tt := range map[string]struct {
		policy string
		branch string
		base   string
		calls  int
		kept   int
		notice string
	}{
		"not wanted":               {`{}`, "main", "base", 0, 0, ""},
		"a release branch":         {`{"guidelineFiles":true}`, "release", "base", 1, 0, ""},
		"the commit cannot be had": {`{"guidelineFiles":true}`, "main", "other", 0, 0, "The guideline files of the base branch could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				sim := simulated(t, f, picking(noPrintln))
				f.Policy(tt.policy)
				f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {"AGENTS.md": noPrintln}}
				f.Snapshots.Lines[storetest.SHA("a")] = `func handle() { fmt.Println("a") }`
				f.Want(f.Deliver(f.Event("opened", "a", func(pr *codehost.PullRequest) { pr.BaseRef, pr.BaseSHA = tt.branch, storetest.SHA(tt.base) })), domain.DispositionRun, "completed")
				repositories, err := f.Store.Repositories(bg, f.World.Tenant)
				testkit.OK(t, err)
				files, err := f.Store.GuidelineFiles(bg, f.World.Tenant, repositories[0].ID)
				testkit.OK(t, err)
				body := shown(t, f)
				if asked(sim, "guidelines") != tt.calls || len(files) != tt.kept || tt.notice != "" && !strings.Contains(body, tt.notice) {
					t.Errorf("%d calls, kept %+v: %s", asked(sim, "guidelines"), files, body)
				}
				testkit.Equal(t, "the sentence is quoted", strings.Contains(body, "“Never use"), tt.calls > 0)
			})
		})
	}
}

// A file that gave a review no sentence is no longer listed. A file that the review could not look for
// stays.
func TestListedGuidelineFiles(t *testing.T) {
	const rule = ".cursor/rules/a.mdc"
	for name, tt := range map[string]struct {
		then     map[string]string // the files at the second run
		unlisted bool
		want     []string
	}{
		"both are as they were":       {map[string]string{"AGENTS.md": noPrintln, rule: noPrintln}, false, []string{rule, "AGENTS.md"}},
		"one is gone":                 {map[string]string{"AGENTS.md": noPrintln}, false, []string{"AGENTS.md"}},
		"one is empty":                {map[string]string{"AGENTS.md": "", rule: noPrintln}, false, []string{rule}},
		"one is for others":           {map[string]string{"AGENTS.md": noPrintln, rule: "---\nexcludeAgent: code-review\n---\n" + noPrintln}, false, []string{"AGENTS.md"}},
		"folders cannot be listed":    {map[string]string{"AGENTS.md": noPrintln, rule: noPrintln}, true, []string{rule, "AGENTS.md"}},
		"one is empty, without lists": {map[string]string{"AGENTS.md": " ", rule: noPrintln}, true, []string{rule}},
	} {
		t.Run(name, func(t *testing.T) {
			reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
				simulated(t, f, picking(noPrintln))
				f.Policy(`{"guidelineFiles":true}`)
				f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {"AGENTS.md": noPrintln, rule: noPrintln}}
				f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
				f.Snapshots.Base[storetest.SHA("base")], f.Snapshots.Unlisted = tt.then, tt.unlisted
				f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
				if got := kept(t, f); !slices.Equal(got, tt.want) {
					t.Errorf("kept %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// A second attempt does not use the commit that the first attempt read for another target branch.
func TestGuidelinesOfARetargetedPullRequest(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		f.Settings.BackoffFirst = time.Millisecond
		simulated(t, f, picking(noPrintln))
		f.Policy(`{"guidelineFiles":true}`)
		f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {"AGENTS.md": noPrintln}}
		to := func(branch, base string) func(*codehost.PullRequest) {
			return func(pr *codehost.PullRequest) { pr.BaseRef, pr.BaseSHA = branch, storetest.SHA(base) }
		}
		ev := f.Event("opened", "a", to("release", "base"))
		var attempts atomic.Int32
		f.Snapshots.Block(func(context.Context, string) error {
			if attempts.Add(1) > 1 {
				return nil
			}
			pr := *ev.PullRequest
			to("main", "other")(&pr)
			f.Host.Set(pr)
			return errors.New("the disk is full")
		})
		f.Send(ev)
		f.Until("the second attempt makes way for the run onto the other branch", func() bool { return f.States() == "superseded completed" })
		if got := kept(t, f); len(got) > 0 || attempts.Load() != 2 {
			t.Errorf("kept %v of another branch, after %d attempts", got, attempts.Load())
		}
	})
}

// kept returns the paths of the listed files, sorted.
func kept(t *testing.T, f *reviewtest.Fixture) (out []string) {
	t.Helper()
	repositories, err := f.Store.Repositories(bg, f.World.Tenant)
	testkit.OK(t, err)
	files, err := f.Store.GuidelineFiles(bg, f.World.Tenant, repositories[0].ID)
	testkit.OK(t, err)
	for _, file := range files {
		out = append(out, file.Path)
	}
	slices.Sort(out)
	return out
}
