package review_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/repofile"
	"github.com/assay-dev/assay/internal/review/reviewtest"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/store/storetest"
	"github.com/assay-dev/assay/internal/testkit"
	"github.com/assay-dev/assay/sim/model"
)

const noPrintRule = `rules:
  - title: No printing
    instruction: Handlers must use the logger.
    paths: ["*.go"]
    severity: medium
`

// breaking are rules of a simulated model that reports a violation of the first rule of a repository's file.
func breaking(file string) []model.Rule {
	id := repofile.Parse([]byte(file)).Rules[0].ID
	return []model.Rule{
		{Match: model.Match{Stage: "generate"}, Reply: model.Reply{Findings: []model.Finding{{Path: "a.go", LineContains: "fmt.Println", Title: "A handler prints",
			Explanation: "The handler writes to the standard output.", Category: "rule", RuleKey: "repo/" + id, Severity: "critical"}}}},
		{Match: model.Match{Stage: "verify"}, Reply: model.Reply{Verify: &model.Verify{}}},
	}
}

// A run applies the file of the target branch: its settings, and its rules with their severity. What the file must not have is in
// the check, and everything is shown with the origin file and the commit.
func TestARunAppliesTheRepositoryFile(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		file := noPrintRule + "language: de\npublishMode: silent\nprofil: quiet\n"
		simulated(t, f, breaking(file))
		f.Policy(`{"repositoryFile":"full"}`)
		f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {".assay.yaml": file}}
		f.Snapshots.Lines[storetest.SHA("a")] = `func handle() { fmt.Println("a") }`
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		check := f.Host.Check(f.Runs()[0].ID).Summary.String()
		body := shown(t, f) + check
		for _, want := range []string{"Handlers must use the logger.", "/blob/" + storetest.SHA("base") + "/.assay.yaml", "Einträge in `.assay.yaml` des Basis-Branches ohne Wirkung",
			"`.assay.yaml:7:1: publishMode is set in the policy only, because it decides whether a person approves reviews`",
			"`.assay.yaml:8:1: profil is unknown; did you mean profile?`"} {
			if !strings.Contains(body, want) {
				t.Errorf("%q is missing from the text: %s", want, body)
			}
		}
		testkit.Equal(t, "in the check alone", strings.Count(body, "did you mean profile"), 1)
		run := f.Runs()[0]
		found, err := f.Store.RunFindings(bg, f.World.Tenant, run.ID)
		testkit.OK(t, err)
		if len(found) != 1 || found[0].Severity != domain.Medium {
			t.Errorf("found: %+v", found)
		}
		var summary struct {
			File []string `json:"repositoryFile"`
		}
		testkit.OK(t, json.Unmarshal([]byte(run.Summary), &summary))
		testkit.Equal(t, "lines on the run's page", len(summary.File), 2)
		src, err := f.Store.PolicySources(bg, f.World.Tenant, run.Repository)
		testkit.OK(t, err)
		held, err := policy.ResolveAll(src)
		testkit.OK(t, err)
		if held.Policy.Language != "de" || held.Commit != storetest.SHA("base") || len(held.Rules) != 1 {
			t.Errorf("held: %+v", held)
		}

		delete(f.Snapshots.Base[storetest.SHA("base")], ".assay.yaml")
		f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
		p, _, err := policy.Effective(bg, f.Store, f.World.Tenant, run.Repository)
		testkit.OK(t, err)
		testkit.Equal(t, "after the file is gone", p.Language, "en")
	})
}

// The head's file changes nothing, and neither does any file if the policy ignores it. A broken file changes nothing, and the
// check says so once.
func TestFilesThatChangeNothing(t *testing.T) {
	for name, c := range map[string]struct {
		mode, base, head string
		lines            int
	}{
		"of the head": {"full", "", "language: de\n", 0},
		"ignored":     {"ignore", "language: de\nprofil: quiet\n", "", 0},
		"broken":      {"full", "language: de\nprofile: [\n", "", 1},
		"narrow":      {"narrow", "maxInlineComments: 40\n" + noPrintRule, "", 2},
	} {
		t.Run(name, func(t *testing.T) {
			f := reviewtest.NewFixture(t, storetest.SQLite(t))
			f.Policy(`{"repositoryFile":"` + c.mode + `"}`)
			f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {}, storetest.SHA("a"): {}}
			if c.base != "" {
				f.Snapshots.Base[storetest.SHA("base")][".assay.yaml"] = c.base
			}
			if c.head != "" {
				f.Snapshots.Base[storetest.SHA("a")][".assay.yaml"] = c.head
			}
			f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
			run := f.Runs()[0]
			src, err := f.Store.PolicySources(bg, f.World.Tenant, run.Repository)
			testkit.OK(t, err)
			held, err := policy.ResolveAll(src)
			testkit.OK(t, err)
			if held.Policy.Language != "en" || held.Policy.MaxInlineComments != 10 || len(held.Active()) != 0 {
				t.Errorf("held: %+v", held)
			}
			summary := store.FromJSON[struct {
				File []string `json:"repositoryFile"`
			}](run.Summary)
			if len(summary.File) != c.lines {
				t.Errorf("lines: %q", summary.File)
			}
		})
	}
}

// Without the target commit, nothing of the file has an effect in the review, its check says so, and what an earlier review has
// read stays stored.
func TestTheTargetCommitIsMissing(t *testing.T) {
	f := reviewtest.NewFixture(t, storetest.SQLite(t))
	f.Policy(`{"repositoryFile":"full"}`)
	f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {policy.FileName: "language: de\n"}}
	f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
	f.Snapshots.Base = nil
	f.Want(f.Deliver(f.Event("synchronize", "b")), domain.DispositionRun, "completed completed")
	lines := 0
	for _, run := range f.Runs() {
		lines += strings.Count(run.Summary, "could not be read from the base commit; nothing in the file has an effect")
	}
	testkit.Equal(t, "lines", lines, 1)
	p, _, err := policy.Effective(bg, f.Store, f.World.Tenant, f.Runs()[0].Repository)
	testkit.OK(t, err)
	testkit.Equal(t, "stored language", p.Language, "de")
}

// The check and the run's page name the checks that the file switches off, and the paths that a mandatory rule forbids it.
func TestARunNamesTheChecksThatAreOff(t *testing.T) {
	reviewtest.Each(t, func(t *testing.T, f *reviewtest.Fixture) {
		file := "deterministic: {secrets: false}\npaths: {exclude: [\"**\"]}\n"
		f.Policy(`{"repositoryFile":"full","deterministic":{"staticAnalysis":false}}`)
		_, err := f.Store.CreateRule(bg, f.World.Tenant, store.Rule{Title: "No printing", Instruction: "Never print.", Severity: "high", Enabled: true,
			Mandatory: true, Paths: "[]", Languages: "[]"})
		testkit.OK(t, err)
		f.Snapshots.Base = map[string]map[string]string{storetest.SHA("base"): {".assay.yaml": file}}
		f.Want(f.Deliver(f.Event("opened", "a")), domain.DispositionRun, "completed")
		check := f.Host.Check(f.Runs()[0].ID).Summary.String()
		for _, want := range []string{"Deterministic checks that did not run", "`deterministic.secrets is false in .assay.yaml`",
			"`deterministic.staticAnalysis is false in the tenant's repository defaults`", ".assay.yaml:2:9: paths.exclude is refused, because a mandatory rule"} {
			if !strings.Contains(check, want) {
				t.Errorf("%q is missing from the check: %s", want, check)
			}
		}
		var summary struct {
			ChecksOff []string `json:"checksOff"`
		}
		testkit.OK(t, json.Unmarshal([]byte(f.Runs()[0].Summary), &summary))
		testkit.Equal(t, "lines on the run's page", len(summary.ChecksOff), 2)
	})
}
